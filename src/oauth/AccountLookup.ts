/** Requests the accounts that a new access token can reach, in the JSON form that a provider definition describes. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { valueAt } from "../platform/JsonPointer.ts"
import * as Messages from "./Messages.ts"
import { malformedError, OAuthUnavailable, unsafeError } from "./OAuthErrors.ts"
import { OAuthHttp, type Reach } from "./OAuthHttp.ts"
import { plainText } from "./ServerValues.ts"

interface LookupRequest {
  readonly reach: Reach
  readonly url: string
  /** The headers that carry the token. */
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly query: Readonly<Record<string, Redacted.Redacted<string>>>
  /** JSON pointers: `items` to the list of accounts (empty if the response is the list), the others within an account. */
  readonly items?: string | undefined
  readonly label?: string | undefined
  readonly values: Readonly<Record<string, string>>
}

/** The ID of an account, which is the same in each login. */
export const idOf = ({ values }: { readonly values: Readonly<Record<string, string>> }): string =>
  Object.values(values).join(" ")

/** The maximum number of accounts, more than a user can choose from. */
const MAX_ACCOUNTS = 200

/** Whether a string fits into a header field and a URL. */
const isValue = (text: string): boolean => /^[\u0021-\u007e](?:[\u0020-\u007e]{0,510}[\u0021-\u007e])?$/.test(text)

const valueOf = (value: unknown): string | undefined => {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value
  return typeof text === "string" && isValue(text) ? text : undefined
}

/** Reads an account. Returns undefined if a value is missing or cannot be sent in a request. */
const accountOf = (item: unknown, { label, values }: LookupRequest) => {
  const found: Record<string, string> = {}
  for (const [name, pointer] of Object.entries(values)) {
    const value = valueOf(valueAt(item, pointer))
    if (value === undefined) return undefined
    found[name] = value
  }
  const name = label === undefined ? undefined : plainText(valueAt(item, label))
  return { label: name ?? idOf({ values: found }), values: found }
}
export type FoundAccount = NonNullable<ReturnType<typeof accountOf>>

const withQuery = (url: string, query: LookupRequest["query"]): string => {
  const address = new URL(url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, Redacted.value(value))
  return address.href
}

const requestOf = ({ headers, query, url }: LookupRequest) => {
  const { authorization, ...others } = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  )
  return {
    method: "GET" as const,
    url: withQuery(url, query),
    headers: {
      accept: "application/json",
      ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, Redacted.value(value)]))
    },
    ...(authorization === undefined ? {} : { authorization })
  }
}

/** Requests the accounts. Returns at least one account, without duplicates. */
export const lookUp = Effect.fnUntraced(function*(request: LookupRequest) {
  const http = yield* OAuthHttp
  const response = yield* http.request(request.reach, requestOf(request))
  const { status } = response
  if (status === 429 || status >= 500) {
    const reason = status === 429 ? "rate_limited" : "server_error"
    return yield* new OAuthUnavailable({ reason, detail: `the server responded with status ${status}`, sent: true })
  }
  if (status !== 200) return yield* unsafeError(`the server responded with status ${status}`)
  const document = Messages.jsonValue(Redacted.value(response.body))
  if (document === undefined) return yield* malformedError("the response with the accounts is not JSON")
  const listed = request.items === undefined ? [document] : valueAt(document, request.items)
  if (!Array.isArray(listed)) return yield* malformedError("the response with the accounts has no list of accounts")
  if (listed.length === 0) return yield* unsafeError("the token gives access to no account")
  if (listed.length > MAX_ACCOUNTS) {
    return yield* unsafeError(`the token gives access to more than ${MAX_ACCOUNTS} accounts`)
  }
  const accounts = listed.map((item) => accountOf(item, request))
  const complete = accounts.filter((account) => account !== undefined)
  if (complete.length < accounts.length) {
    return yield* malformedError("an account lacks a value that requests need, or the value is not printable text")
  }
  const byValues = new Map(complete.map((account) => [JSON.stringify(account.values), account]))
  return [...byValues.values()]
})
