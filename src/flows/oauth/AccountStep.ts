/**
 * The steps of a login after its tokens have arrived: the lookup that the definition declares, and the choice of an
 * account. Meanwhile the tokens are kept in the sealed state, so a crash does not lose them.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { reachOf } from "../../connections/oauth/OAuthEndpoints.ts"
import { expandBaseUrl, hostFor } from "../../domain/definition/ProviderHosts.ts"
import { type AuthenticationFailedError, EndpointUnreachableError, InvalidRequestError } from "../../domain/Errors.ts"
import { type FieldValues, placements } from "../../domain/injection/Placement.ts"
import { type FoundAccount, idOf, lookUp } from "../../oauth/AccountLookup.ts"
import { type FlowStep, inputField, type OAuthLogin } from "../Flow.ts"
import { stoppedLogin } from "../ProviderFailure.ts"
import { type ArrivedTokens, baseUrlOf } from "./OAuthGrant.ts"

const granted = ({ grantFor }: ArrivedTokens, account?: FoundAccount) =>
  Effect.map(grantFor(account), (grant): FlowStep => ({ _tag: "Granted", grant }))

/** Returns the next step after the tokens have arrived. Keeps refused tokens, so that the end of the login revokes them. */
export const settleGrant = ({ definition: { displayName, oauth } }: OAuthLogin, arrived: ArrivedTokens) => {
  const kept = Effect.map(
    arrived.keep(),
    (state): FlowStep => ({ _tag: "Proceed", message: `Requesting your accounts from ${displayName}.`, state })
  )
  return oauth.lookup === undefined ? Effect.catch(granted(arrived), () => kept) : kept
}

const requestOf = (login: OAuthLogin, { held, tokens }: ArrivedTokens) =>
  Result.gen(function*() {
    const { definition } = login
    const lookup = definition.oauth.lookup!
    const tenant = yield* baseUrlOf(login, tokens.baseUrl)
    const url = expandBaseUrl(lookup.url, tenant)
    const address = url === undefined || !URL.canParse(url) ? undefined : new URL(url)
    const port = Number(address?.port || (address?.protocol === "http:" ? 80 : 443))
    const place = address === undefined
      ? undefined
      : hostFor(definition, tenant, { host: address.hostname, port, path: address.pathname })
    if (url === undefined || place === undefined) {
      return yield* Result.fail("the URL of the lookup is not on a host of the definition")
    }
    const { defaults, headers, query } = yield* placements(definition, held.values, place.entry)
    return {
      reach: reachOf(definition),
      url,
      headers: { ...defaults, ...headers },
      query,
      items: lookup.items,
      label: lookup.label,
      values: lookup.values
    }
  })

const hostOfUrl = (url: string): string => new URL(url).host

/** Requests the accounts. A GET request can be repeated, so an earlier process may already have sent it. */
export const lookUpAccount = Effect.fnUntraced(function*(login: OAuthLogin, arrived: ArrivedTokens) {
  const { displayName, oauth } = login.definition
  if (oauth.lookup === undefined || arrived.tokens.refused !== undefined) return yield* granted(arrived)
  const stopped = (detail: string) =>
    stoppedLogin(login.definition, `The login to ${displayName} was stopped and nothing was stored: ${detail}.`)
  const request = yield* Effect.mapError(Effect.fromResult(requestOf(login, arrived)), stopped)
  const accounts = yield* lookUp(request).pipe(
    Effect.retry({ times: 1, while: ({ _tag }) => _tag === "OAuthUnavailable" }),
    Effect.mapError((error) => {
      const detail = `the request for your accounts to ${hostOfUrl(request.url)} failed: ${error.detail}`
      return error._tag === "OAuthUnsafe" ? stopped(detail) : new EndpointUnreachableError({
        endpoint: request.url,
        detail: `The login to ${displayName} was stopped and nothing was stored: ${detail}. Try again later.`
      })
    })
  )
  if (accounts.length === 1) return yield* granted(arrived, accounts[0])
  const step: FlowStep = {
    _tag: "AskInput",
    message: `Choose the account of ${displayName} for this connection.`,
    fields: [inputField("account", "Account", {
      options: accounts.map((account) => ({ value: idOf(account), label: account.label }))
    })],
    state: yield* arrived.keep(accounts)
  }
  return step
})

export const chooseAccount = (
  arrived: ArrivedTokens,
  accounts: ReadonlyArray<FoundAccount>,
  data: FieldValues
): Effect.Effect<FlowStep, AuthenticationFailedError | InvalidRequestError> => {
  const chosen = Object.hasOwn(data, "account") ? Redacted.value(data["account"]!).trim() : ""
  const account = accounts.find((each) => idOf(each) === chosen)
  return account === undefined
    ? Effect.fail(InvalidRequestError.at("/data/account", "is not one of the accounts"))
    : granted(arrived, account)
}
