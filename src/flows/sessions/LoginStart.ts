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

const defaultScopes = (definition: ProviderDefinition, kind: FlowKind): ReadonlyArray<string> =>
  definition.authType === "api_key"
    ? []
    : isStoredGrant(kind)
    ? storedGrantOf(definition.oauth, kind)?.section.scopes ?? []
    : definition.oauth.scopes

const issuerProblem = (definition: ProviderDefinition, kind: FlowKind, issuer: string): string | undefined =>
  definition.authType !== "oauth2" || isStoredGrant(kind) ||
    (definition.oauth.issuer === undefined && definition.oauth.resource === undefined)
    ? "has no effect: this login does not compare issuers"
    : safeUrl(issuer, reachOf(definition)) === undefined
    ? "must be an https URL"
    : undefined

/** Lists the options of a login that have no effect in its flow, and a missing one that the flow requires. */
const optionProblems = (
  definition: ProviderDefinition,
  kind: FlowKind,
  { clientId, command, noResource, redirectHost, scopes, trustIssuer }: StartLogin,
  asked: StartLogin,
  publicUrl: string
): ReadonlyArray<Problem> => {
  const isBrowserFlow = kind === "pkce" || kind === "dcr_pkce"
  const problems: ReadonlyArray<readonly [path: string, message: string | false | undefined]> = [
    [asked.addScopes === undefined ? "/scopes" : "/add_scopes", !!scopes?.length && fixedScopes[kind]],
    [
      "/no_resource",
      noResource === true && !namesResource(definition, kind) &&
      "has no effect: this login does not send a resource"
    ],
    ["/trust_issuer", trustIssuer !== undefined && issuerProblem(definition, kind, trustIssuer)],
    [
      "/command",
      command === undefined
        ? kind === "credential_command" && "is required by the flow credential_command"
        : kind !== "credential_command" && "is allowed only with the flow credential_command"
    ],
    [
      "/client_id",
      clientId !== undefined && !isBrowserFlow && kind !== "device_code" &&
      "has no effect: this login does not contact an authorization server"
    ],
    [
      "/redirect_host",
      redirectHost !== undefined && (isBrowserFlow
        ? redirectUriOf(publicUrl, "localhost") === redirectUriOf(publicUrl, "127.0.0.1") &&
          `has no effect: the redirect URI begins with the URL of this daemon, ${publicUrl}`
        : "has no effect: this login does not use the browser")
    ]
  ]
  return problems.flatMap(([path, message]) => typeof message === "string" ? [{ path, message }] : [])
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
    const { connection = defaultConnectionName, force = false, scopes = defaultScopes(definition, kind) } = login
    const baseUrl = yield* Effect.mapError(
      Effect.fromResult(resolveBaseUrl(definition, login.baseUrl)),
      (message) => InvalidRequestError.at("/base_url", message)
    )
    const problems = optionProblems(definition, kind, login, asked, publicUrl)
    if (problems.length > 0) return yield* InvalidRequestError.of(problems)
    if (!force && (yield* connections.exists(profile, login.provider, connection))) {
      return yield* ConnectionAlreadyExistsError.of(login.provider, connection)
    }
    // Stored before the first request to the provider, so that the limit on open sessions also limits these requests.
    return yield* sessions.insert({
      profile,
      provider: login.provider,
      name: connection,
      flow: kind,
      status: "pending",
      expires_at: DateTime.addDuration(yield* DateTime.now, stepTime),
      content: {
        startedAt,
        message: `Preparing the login to ${definition.displayName}.`,
        error: null,
        warning: null,
        action: { type: "none" },
        state: {},
        force,
        containedOnly: login.containedOnly,
        baseUrl,
        redirectHost: login.redirectHost,
        clientId: login.clientId,
        scopes,
        trustIssuer: login.trustIssuer,
        noResource: login.noResource,
        command: login.command,
        definitionFp: fingerprint(definition, baseUrl),
        usedTokens: []
      }
    })
  })
})
