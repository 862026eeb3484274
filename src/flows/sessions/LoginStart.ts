/** Checks the request for a login, and opens its session. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Connections } from "../../connections/Connections.ts"
import { reachOf } from "../../connections/oauth/OAuthEndpoints.ts"
import { type FlowKind, isStoredGrant, type ProviderDefinition } from "../../domain/definition/Provider.ts"
import { namesResource } from "../../domain/definition/ProviderFields.ts"
import { resolveBaseUrl } from "../../domain/definition/ProviderHosts.ts"
import { storedGrantOf } from "../../domain/definition/StoredGrants.ts"
import { ConnectionAlreadyExistsError, InvalidRequestError, type Problem } from "../../domain/Errors.ts"
import type { StartLogin } from "../../domain/wire/AuthSession.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { safeUrl } from "../../oauth/ServerValues.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { Flows } from "../Flows.ts"
import { PublicUrl, redirectUriOf } from "../PublicUrl.ts"
import { AuthSessions, type StartedAt } from "./AuthSessions.ts"
import { stepTime } from "./LoginProgress.ts"

/** The reason why a login with this flow cannot request scopes. */
const fixedScopes: { readonly [Kind in FlowKind]?: string } = {
  api_key: "API keys have no scopes",
  assume_role: "the policies of the role set the permissions",
  refresh_token: "a refresh token already has its scopes",
  credential_command: "a credential command chooses its own scopes"
}

const defaultScopes = (definition: ProviderDefinition, kind: FlowKind): ReadonlyArray<string> => {
  if (definition.authType === "api_key") return []
  return isStoredGrant(kind) ? storedGrantOf(definition.oauth, kind)?.section.scopes ?? [] : definition.oauth.scopes
}

const issuerProblem = (definition: ProviderDefinition, kind: FlowKind, issuer: string): string | undefined => {
  const comparesIssuers = definition.authType === "oauth2" && !isStoredGrant(kind) &&
    (definition.oauth.issuer !== undefined || definition.oauth.resource !== undefined)
  if (!comparesIssuers) return "has no effect: this login does not compare issuers"
  return safeUrl(issuer, reachOf(definition)) === undefined ? "must be an https URL" : undefined
}

/** Lists the options of a login that have no effect in its flow, and a missing one that the flow requires. */
const optionProblems = (
  { clientId, command, noResource, redirectHost, scopes = [], trustIssuer }: StartLogin,
  { addsScopes, definition, kind, publicUrl }: {
    readonly definition: ProviderDefinition
    readonly kind: FlowKind
    readonly publicUrl: string
    /** Whether the request names scopes to add. */
    readonly addsScopes: boolean
  }
): ReadonlyArray<Problem> => {
  const isBrowserFlow = kind === "pkce" || kind === "dcr_pkce"
  const isCommandFlow = kind === "credential_command"
  const isOAuthFlow = isBrowserFlow || kind === "device_code"
  const isFixedHost = redirectUriOf(publicUrl, "localhost") === redirectUriOf(publicUrl, "127.0.0.1")
  const when = (isWrong: boolean, message: string) => isWrong ? message : undefined
  const useless = (isGiven: boolean, what: string) => when(isGiven, `has no effect: this login does not ${what}`)
  const problems: ReadonlyArray<readonly [path: string, message: string | undefined]> = [
    [addsScopes ? "/add_scopes" : "/scopes", scopes.length === 0 ? undefined : fixedScopes[kind]],
    ["/no_resource", useless(noResource === true && !namesResource(definition, kind), "send a resource")],
    ["/trust_issuer", trustIssuer === undefined ? undefined : issuerProblem(definition, kind, trustIssuer)],
    ["/command", when(command === undefined && isCommandFlow, "is required by the flow credential_command")],
    ["/command", when(command !== undefined && !isCommandFlow, "is allowed only with the flow credential_command")],
    ["/client_id", useless(clientId !== undefined && !isOAuthFlow, "contact an authorization server")],
    ["/redirect_host", useless(redirectHost !== undefined && !isBrowserFlow, "use the browser")],
    [
      "/redirect_host",
      when(
        redirectHost !== undefined && isBrowserFlow && isFixedHost,
        `has no effect: the redirect URI begins with the URL of this daemon, ${publicUrl}`
      )
    ]
  ]
  return problems.flatMap(([path, message]) => message === undefined ? [] : [{ path, message }])
}

export const makeLoginStart = Effect.gen(function*() {
  const sessions = yield* AuthSessions
  const flows = yield* Flows
  const connections = yield* Connections
  const registry = yield* ProviderRegistry
  const { baseUrl: publicUrl } = yield* PublicUrl

  /** Completes a request with the options of the replaced connection and, for `addScopes`, with its scopes. */
  const completeLogin = Effect.fnUntraced(function*(
    profile: ProfileHandle,
    { addScopes, ...login }: StartLogin,
    definition: ProviderDefinition,
    kind: FlowKind
  ) {
    const problem = (message: string) => InvalidRequestError.at("/add_scopes", message)
    if (addScopes !== undefined && login.scopes !== undefined) return yield* problem("cannot be combined with scopes")
    if (addScopes?.length === 0) return yield* problem("names no scope")
    if (addScopes === undefined && login.force !== true) return login
    const name = login.connection ?? defaultConnectionName
    const before = yield* Effect.catchTag(
      connections.get(profile, login.provider, name, { reveal: false }),
      "ConnectionNotFoundError",
      () =>
        addScopes === undefined
          ? Effect.undefined
          : problem(`requires the connection "${name}", which does not exist; use scopes instead`)
    )
    // Options that another profile has accepted for its connection do not apply to this profile.
    if (before === undefined || (before.grantedBy !== undefined && addScopes === undefined)) return login
    const { baseUrl, noResource, scopes, trustedIssuer } = before
    const isSameTenant = Result.getOrUndefined(
      resolveBaseUrl(definition, login.baseUrl ?? (addScopes === undefined ? undefined : baseUrl ?? undefined))
    ) === baseUrl
    return {
      ...(isSameTenant && trustedIssuer !== undefined && !issuerProblem(definition, kind, trustedIssuer)
        ? { trustIssuer: trustedIssuer }
        : {}),
      ...(isSameTenant && noResource === true && namesResource(definition, kind) ? { noResource } : {}),
      ...(baseUrl === null || addScopes === undefined ? {} : { baseUrl }),
      ...login,
      ...(addScopes === undefined ? {} : { scopes: [...new Set([...scopes, ...addScopes])], force: true })
    }
  })

  return Effect.fnUntraced(function*(profile: ProfileHandle, asked: StartLogin, startedAt: StartedAt) {
    const { definition } = yield* registry.get(asked.provider)
    const { kind } = yield* flows.of(definition, asked.flow ?? definition.flow)
    const login = yield* completeLogin(profile, asked, definition, kind)
    const { baseUrl: givenUrl, connection = defaultConnectionName, flow: _, force = false, ...others } = login
    const { provider, scopes = defaultScopes(definition, kind), ...options } = others
    const baseUrl = yield* Effect.mapError(
      Effect.fromResult(resolveBaseUrl(definition, givenUrl)),
      (message) => InvalidRequestError.at("/base_url", message)
    )
    const addsScopes = asked.addScopes !== undefined
    const problems = optionProblems(login, { definition, kind, publicUrl, addsScopes })
    if (problems.length > 0) return yield* InvalidRequestError.of(problems)
    if (!force && (yield* connections.exists(profile, provider, connection))) {
      return yield* ConnectionAlreadyExistsError.of(provider, connection)
    }
    // Stored before the first request to the provider, so that the limit on open sessions also limits these requests.
    return yield* sessions.insert({
      profile,
      provider,
      name: connection,
      flow: kind,
      status: "pending",
      expires_at: DateTime.addDuration(yield* DateTime.now, stepTime),
      content: {
        ...options,
        startedAt,
        message: `Preparing the login to ${definition.displayName}.`,
        error: null,
        warning: null,
        action: { type: "none" },
        state: {},
        force,
        baseUrl,
        scopes,
        definitionFp: fingerprint(definition, baseUrl),
        usedTokens: []
      }
    })
  })
})
