/**
 * The tokens that APIs have issued to the clients of one run or sandbox, which have placeholders instead. They are kept in memory
 * only, and end with the run.
 */
import * as Result from "effect/Result"
import type { IssuedTokens as Declared } from "../../domain/injection/IssuedTokens.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { pathOf } from "../../domain/injection/Route.ts"
import { overrideIn } from "../../domain/rules/Overrides.ts"
import { readingsOf } from "../../domain/rules/RequestPath.ts"
import { parseRule, possiblyMatches, type RequestPlace, type Rule, surelyMatches } from "../../domain/rules/Rule.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { Authority } from "../../outbound/Authority.ts"
import { basicOf } from "../../outbound/EndToEndFields.ts"
import type { Injection } from "../../outbound/HeaderInjection.ts"
import { builtins } from "../../platform/builtins.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import type { Issuing } from "../routing/Resolution.ts"

/** A program that requests more tokens loses the placeholders of the oldest ones. */
const MAX_TOKENS = 256
const ID_BYTES = 6
const ISSUED = RegExp(`${PLACEHOLDER}\\.issued\\.([A-Za-z0-9_-]{8})`, "g")

export interface IssuedToken {
  readonly value: string
  readonly placeholder: string
  readonly provider: string
  readonly connection: ConnectionName
  readonly issuing: Issuing
}

const lowerCase = (names: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(names.map((name) => name.toLowerCase()))

const rulesIn = (texts: ReadonlyArray<string>): ReadonlyArray<Rule> =>
  texts.map((text) => Result.getOrThrow(parseRule(text)))

export const compileIssued = (declared: Declared): Issuing => ({
  action: declared.action,
  tokens: declared.tokens,
  tokenHeaders: lowerCase(declared.tokenHeaders),
  requests: rulesIn(declared.requests),
  uses: rulesIn(declared.uses),
  useHeaders: lowerCase(declared.useHeaders),
  placeholder: declared.placeholder
})

interface AskedRequest {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<string>
  readonly authority: Authority
}

const AMBIGUOUS = requestRefusal(
  403,
  "this host issues tokens, and servers could read the method or path of this request in more than one way: send it " +
    "without dot segments, empty segments, parameters, double encoding and overrides of the method"
)

const placeIn = ({ authority: { host, port }, method, target }: AskedRequest): RequestPlace | undefined => {
  const path = readingsOf(pathOf(target))
  return path === undefined ? undefined : { method, host, port, path }
}

/** The declaration for the response to a request; undefined if the response issues no token. */
export const issuingOf = (
  declared: ReadonlyArray<Issuing>,
  request: AskedRequest
): Issuing | Refusal | undefined => {
  if (overrideIn(request.headers, request.target, request.authority.host) !== undefined) return AMBIGUOUS
  const place = placeIn(request)
  if (place !== undefined) {
    return declared.find(({ requests }) => requests.some((rule) => possiblyMatches(rule, place)))
  }
  const isPossible = declared.some(({ requests }) =>
    requests.some(({ methods }) => methods?.includes(request.method) !== false)
  )
  return isPossible ? AMBIGUOUS : undefined
}

const idsIn = (value: string): ReadonlyArray<string> => {
  const text = basicOf(value) ?? value
  return text.includes(`${PLACEHOLDER}.`) ? [...text.matchAll(ISSUED)].map(([, id]) => id!) : []
}

/** The value of a header field with the token in place of its placeholder. */
const filled = (given: string, { placeholder, value }: IssuedToken): string => {
  // A search pads a placeholder to the length of the token.
  const padded = RegExp(`${placeholder.replaceAll(".", "\\.")}-*`, "g")
  const basic = basicOf(given)
  return basic === undefined
    ? given.replaceAll(padded, () => value)
    : given.slice(0, 6) + Buffer.from(basic.replaceAll(padded, () => value), "latin1").toString("base64")
}

export class IssuedTokens {
  /** The tokens by the id in their placeholder, the most recently issued last. */
  readonly #tokens = new Map<string, IssuedToken>()
  readonly #placeholders = new Map<string, string>()

  /** The placeholders of the tokens. */
  get placeholders(): ReadonlyMap<string, string> {
    return this.#placeholders
  }

  /** Adds a token, unless it is known already. */
  add(value: string, from: Pick<IssuedToken, "connection" | "issuing" | "provider">): void {
    if (this.#placeholders.has(value)) return
    if (this.#tokens.size === MAX_TOKENS) {
      const [id, oldest] = this.#tokens.entries().next().value!
      this.#tokens.delete(id)
      this.#placeholders.delete(oldest.value)
    }
    const id = builtins.crypto.randomBytes(ID_BYTES).toString("base64url")
    const placeholder = `${from.issuing.placeholder}.issued.${id}`
    this.#tokens.set(id, { ...from, value, placeholder })
    this.#placeholders.set(value, placeholder)
  }

  /** The token whose placeholder is in the header section of a request. */
  namedIn(headers: ReadonlyArray<string>): IssuedToken | Refusal | undefined {
    let named: string | undefined
    for (let i = 1; i < headers.length; i += 2) {
      for (const id of idsIn(headers[i]!)) {
        if (named !== undefined && named !== id) {
          return requestRefusal(409, "the request has placeholders of several issued tokens: use one of them")
        }
        named = id
      }
    }
    if (named === undefined) return undefined
    return this.#tokens.get(named) ?? requestRefusal(
      403,
      "this run has no token for the placeholder in the request: a token that an API issues can be used in the run that " +
        "requested it only, and only the last 256 are kept. Request another one"
    )
  }
}

/** The injection of an issued token in place of the credential, or beside it if the client sends both, or why it is refused. */
export const tokenInjection = (
  token: IssuedToken,
  request: AskedRequest & { readonly provider: string; readonly connection: ConnectionName | undefined },
  injection: Injection
): Injection | Refusal => {
  const { connection, issuing, provider, value } = token
  const place = placeIn(request)
  const { host } = request.authority
  if (
    provider !== request.provider || connection !== request.connection || place === undefined ||
    !issuing.uses.some((rule) => surelyMatches(rule, place))
  ) {
    return requestRefusal(403, `a token that ${provider} has issued must not be sent to this path of ${host}`)
  }
  const set: Array<string> = []
  for (let i = 0; i < request.headers.length; i += 2) {
    const name = request.headers[i]!
    const given = request.headers[i + 1]!
    const sent = issuing.useHeaders.has(name.toLowerCase()) ? filled(given, token) : given
    if (sent !== given) set.push(name, sent)
  }
  if (set.length === 0) {
    const names = [...issuing.useHeaders].join(" or ")
    return requestRefusal(403, `a token that ${provider} has issued may be sent only in the header ${names}`)
  }
  const others = new Set(request.headers.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()))
  const credential = injection.set.filter((_, i) => {
    const name = injection.set[i - i % 2]!.toLowerCase()
    return others.has(name) && !issuing.useHeaders.has(name)
  })
  return {
    ...injection,
    remove: new Set([...injection.remove, ...issuing.useHeaders]),
    set: [...credential, ...set],
    query: [],
    path: [],
    body: undefined,
    messages: undefined,
    secret: [...injection.secret, ...issuing.useHeaders],
    values: [...injection.values, value]
  }
}
