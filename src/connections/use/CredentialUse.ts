/** The operations that use a credential: reveal, export, and resolve. Each is recorded in the audit log first. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { allowsScope, type AwsSigV4, type CredentialScope, scopeOf } from "../../domain/definition/AwsSigV4.ts"
import type { ProviderDefinition, ProviderName } from "../../domain/definition/Provider.ts"
import { apiUrlOf, claimsHost, hostFor, regionAt } from "../../domain/definition/ProviderHosts.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { acceptedAt, capturesAt, declaresLogin } from "../../domain/injection/Capture.ts"
import { placementAt, placements } from "../../domain/injection/Placement.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { ExportRequest } from "../../domain/wire/ConnectionResults.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { Resolved, ResolveRequest } from "../../domain/wire/Resolve.ts"
import { excessOf, type RunLimits } from "../../domain/wire/Run.ts"
import { sha256 } from "../../platform/Digest.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import type { Access } from "../ConnectionAccess.ts"
import { isContainedOnly } from "../ConnectionRecord.ts"
import { ConnectionRepo, contentOf, hasLogin, isRenewable, loginOf, type StoredConnection } from "../ConnectionRepo.ts"
import { TokenRefresher } from "../renewal/TokenRefresher.ts"
import { exportCredential as exported, revealed } from "./CredentialExport.ts"
import { allowed, checkUsable, containedOnly, credentialMissing, notConnected } from "./CredentialFailures.ts"
import { fingerprintOf } from "./DefinitionBinding.ts"
import { HostRouting } from "./HostRouting.ts"
import { makeResolveAudit } from "./ResolveAudit.ts"
import { signingKey } from "./SigningKeys.ts"

/** The scope to sign a request for. The failure is a sentence for the program that uses the proxy. */
const scopeFor = (
  signing: AwsSigV4,
  entry: string,
  { host, scope }: ResolveRequest
): Result.Result<CredentialScope, string> => {
  if (scope === undefined) {
    const found = scopeOf(signing, entry, host)
    return found === undefined
      ? Result.fail(`A request to ${host} must be signed for a region and a service.`)
      : Result.succeed(found)
  }
  return allowsScope(signing, entry, host, scope)
    ? Result.succeed(scope)
    : Result.fail(
      `A request to ${host} must not be signed for the service ${scope.service} in the region ${scope.region}.`
    )
}

const WITHOUT_CREDENTIAL = {
  headers: {},
  query: {},
  defaults: {},
  secrets: [],
  strip: { headers: [], query: [] },
  expiresAt: null,
  issuedAt: DateTime.makeUnsafe(0),
  refreshable: false
}

/** The result for hosts that need no connection (login servers, public hosts), or undefined for others. */
const openAt = ({ definition }: Provider, { host, path, port = 443 }: ResolveRequest, isConnected: boolean) => {
  if (!declaresLogin(definition)) return undefined
  const entry = hostFor(definition, null, { host, port, path })?.entry
  const isOpen = entry !== undefined && (placementAt(definition, entry).issuedTokensOnly === true ||
    (!isConnected && definition.publicHosts.includes(entry)))
  return isOpen ? { ...WITHOUT_CREDENTIAL, captures: capturesAt(definition, entry, null) } : undefined
}

/** Identifies the connection, login and definition for tokens that the API issues. Undefined if it issues none. */
const holderOf = (stored: StoredConnection, provider: Provider): string | undefined => {
  if (provider.definition.issuesTokens.every(({ tokens }) => tokens.length === 0)) return undefined
  return sha256(
    JSON.stringify([stored.row.record_id, loginOf(stored), fingerprintOf(provider, stored.metadata.baseUrl)])
  )
}

/** Who uses a credential. */
export interface UseOptions {
  readonly run: Option.Option<string>
  readonly limits?: RunLimits | undefined
  /** The definition whose test request the daemon itself sends. This request may use any connection of the profile. */
  readonly checked?: ProviderDefinition | undefined
}

/** The error for a connection that this caller must not use now, or undefined. */
const refusalOfConnection = (
  stored: StoredConnection,
  provider: Provider,
  { login }: ResolveRequest,
  { checked, limits }: UseOptions
) => {
  const { metadata: { baseUrl }, row: { name, provider: providerName } } = stored
  if (!hasLogin(stored, login)) {
    return credentialMissing(
      providerName,
      name,
      `The program was logged out of ${providerName}, and the connection "${name}" has another login. Log in again with the program.`
    )
  }
  if (checked === undefined) {
    return isContainedOnly(stored, provider) && limits?.contained !== true
      ? containedOnly(providerName, name, "it is not used here")
      : undefined
  }
  return fingerprintOf({ definition: checked }, baseUrl) === fingerprintOf(provider, baseUrl)
    ? undefined
    : credentialMissing(providerName, name, `The definition of ${providerName} changed during the check.`)
}

/** Finds the entry of the definition for a request with this connection. The failure is a sentence for the program. */
const entryFor = (
  { metadata: { baseUrl }, row: { provider } }: StoredConnection,
  { definition }: Provider,
  { host, path = "/", port = 443 }: ResolveRequest
): Result.Result<string, string> => {
  const entry = hostFor(definition, baseUrl, { host, port, path })?.entry
  if (entry !== undefined) return Result.succeed(entry)
  const place = claimsHost(definition, baseUrl, host, port) ? `to this path of ${host}` : `to ${host} on port ${port}`
  return Result.fail(`The credential of ${provider} must not be sent ${place}.`)
}

/** Makes the operations that show a secret. */
export const makeSecretUse = Effect.fnUntraced(
  function*({ describe, record, renewed, requireOwned, whenReady }: Access) {
    const registry = yield* ProviderRegistry
    const repo = yield* ConnectionRepo

    /** Returns a connection that the profile owns. Only its owner may see the secret: a grant allows only use. */
    const ownOnly = Effect.fnUntraced(function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
      const found = yield* repo.findUsable({ profile, provider, name })
      if (found !== undefined && found.row.profile !== profile) {
        return yield* OperationNotAllowedError.of(
          `The connection "${name}" for ${provider} belongs to the profile ${found.row.profile}, which has granted only the use of the connection, not its secret.`
        )
      }
      return found ?? (yield* requireOwned(profile, provider, name))
    })

    /** Returns the connection unless only contained runs may use it. `consequence` ends the sentence of the refusal. */
    const outsideRuns = Effect.fnUntraced(function*(stored: StoredConnection, consequence: string) {
      const { name, provider } = stored.row
      const known = Option.getOrUndefined(yield* registry.find(provider))
      return isContainedOnly(stored, known) ? yield* containedOnly(provider, name, consequence) : stored
    })

    const revealSecret = Effect.fnUntraced(
      function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
        const shown = (stored: StoredConnection) => outsideRuns(stored, "its secret is not shown")
        const found = yield* shown(yield* ownOnly(profile, provider, name))
        // Returns the stored secret even if it is unusable; the result includes the reason.
        const stored = yield* shown(
          (yield* Effect.orElseSucceed(renewed(found), () => undefined)) ??
            (yield* requireOwned(profile, provider, name))
        )
        if (stored.metadata.status === "revoking") {
          return yield* OperationNotAllowedError.of(
            `The connection "${name}" for ${provider} is being revoked, so its secret is not shown.`
          )
        }
        const { values } = yield* repo.openSecrets(stored)
        yield* record("get", profile, provider, name)
        return yield* describe(profile, stored, revealed(values))
      }
    )

    /**
     * Exports the fields that the definition exports, never a refresh token. Without a name, uses the default connection.
     */
    const exportCredential = Effect.fn("Connections.exportCredential")(
      function*(profile: ProfileHandle, { connection, format, provider: name }: ExportRequest) {
        const provider = yield* registry.get(name)
        const chosen = connection ?? (yield* repo.defaultOf(profile, name)) ?? defaultConnectionName
        const found = yield* ownOnly(profile, name, chosen)
        const exportable = (stored: StoredConnection) => outsideRuns(stored, "it is not exported")
        const stored = yield* exportable(yield* renewed(yield* exportable(found)))
        const { values } = yield* repo.openSecrets(stored)
        const { baseUrl } = stored.metadata
        const apiUrl = apiUrlOf(provider.definition, baseUrl)
        const region = regionAt(provider.definition, baseUrl)
        const all = {
          ...(baseUrl === null ? {} : { base_url: Redacted.make(baseUrl) }),
          ...(apiUrl === null ? {} : { api_url: Redacted.make(apiUrl) }),
          ...(region === undefined ? {} : { region: Redacted.make(region.name) }),
          ...values
        }
        const result = yield* allowed(exported(provider.definition, all, format ?? "env"))
        yield* record("export", profile, name, chosen)
        return result
      },
      whenReady
    )

    return { exportCredential, revealSecret }
  }
)

const makeRejectionMark = Effect.gen(function*() {
  const manifest = yield* StoreManifest
  const repo = yield* ConnectionRepo

  /**
   * Marks a connection as rejected or accepted, for display only: a child process can provoke a 401 at will, so the credential is
   * still sent. Skips refreshable connections, because this write could overtake a write of the refresher.
   */
  return Effect.fnUntraced(
    function*(
      stored: StoredConnection,
      { issuedAt, refusedAt }: { readonly issuedAt: DateTime.Utc; readonly refusedAt?: DateTime.Utc }
    ) {
      const { refusedAt: before, ...metadata } = stored.metadata
      if (isRenewable(stored) || metadata.status !== "connected") return
      if (!DateTime.Equivalence(metadata.obtainedAt, issuedAt)) return
      if ((before === undefined) === (refusedAt === undefined)) return
      const changed = refusedAt === undefined ? metadata : { ...metadata, refusedAt }
      const content = contentOf({ row: stored.row, metadata: changed }, yield* repo.openSecrets(stored))
      yield* manifest.transact(repo.replace(stored, content))
    }
  )
})

/** Makes the operations that put a credential into requests. Each use is recorded in the audit log first. */
export const makeCredentialUse = Effect.fnUntraced(function*({ record, usable, whenReady }: Access) {
  const mark = yield* makeRejectionMark
  const refresher = yield* TokenRefresher
  const registry = yield* ProviderRegistry
  const repo = yield* ConnectionRepo
  const routing = yield* HostRouting
  const uses = makeResolveAudit()

  /** Returns what the proxy adds to a request, and what it does with the response. */
  const credentialFor = Effect.fnUntraced(
    function*(stored: StoredConnection, provider: Provider, entry: string, request: ResolveRequest) {
      const { metadata, row } = stored
      const { values } = yield* repo.openSecrets(stored)
      const injection = placements(provider.definition, values, entry, metadata.plainFields)
      if (Result.isFailure(injection)) return yield* credentialMissing(row.provider, row.name, injection.failure)
      const { awsSigv4 } = placementAt(provider.definition, entry)
      const signing = awsSigv4 === undefined ? undefined : signingKey(
        values,
        yield* allowed(scopeFor(awsSigv4, entry, request)),
        yield* DateTime.now
      )
      const holder = holderOf(stored, provider)
      const captures = capturesAt(provider.definition, entry, metadata.baseUrl, holder)
      return {
        ...injection.success,
        ...(signing === undefined ? {} : { signing }),
        ...(captures.length === 0 ? {} : { captures }),
        ...(holder === undefined ? {} : { accepted: acceptedAt(provider.definition, entry, holder) }),
        expiresAt: metadata.expiresAt,
        issuedAt: metadata.lastRefreshAt ?? metadata.obtainedAt,
        refreshable: isRenewable(stored)
      }
    }
  )

  /** Returns the result of a request that needs no connection, or else the connection for the request. */
  const admit = Effect.fnUntraced(function*(profile: ProfileHandle, request: ResolveRequest, options: UseOptions) {
    const { connection: chosen, provider: asked } = request
    const route = asked === undefined || chosen === undefined
      ? yield* routing.route(profile, request)
      : { provider: asked, connection: chosen }
    const { provider: name } = route
    const connection = chosen ?? route.connection ?? defaultConnectionName
    const provider = yield* registry.get(name)
    const stored = yield* repo.findUsable({ profile, provider: name, name: connection })
    const excess = excessOf(options.limits, name, connection)
    // The connection need not be usable, because the program may refresh its token with this request. The run need
    // not be allowed to use it, because login servers reject its placeholders.
    const open = openAt(provider, request, stored !== undefined || excess !== undefined)
    const resolved: Resolved | undefined = open && { provider: name, connection, ...open }
    if (resolved !== undefined) return { resolved }
    if (excess !== undefined) return yield* OperationNotAllowedError.of(excess)
    if (stored === undefined) {
      const others = (yield* repo.listUsable(profile, name)).map((other) => other.stored.row.name)
      const permitted = others.filter((other) => excessOf(options.limits, name, other) === undefined)
      return yield* notConnected(name, connection, permitted)
    }
    const refusal = refusalOfConnection(stored, provider, request, options)
    if (refusal !== undefined) return yield* refusal
    return { stored, provider, entry: yield* allowed(entryFor(stored, provider, request)) }
  })

  /** Like `admit`, for a connection whose token is fresh. */
  const admitFresh = Effect.fnUntraced(function*(profile: ProfileHandle, request: ResolveRequest, options: UseOptions) {
    const { rejected } = request
    let refreshed: string | undefined
    while (true) {
      const admitted = yield* admit(profile, request, options)
      if ("resolved" in admitted) return admitted
      const { provider, stored } = admitted
      if (stored.row.record_id === refreshed) {
        yield* checkUsable(stored, provider)
        return admitted
      }
      const fresh = rejected === undefined
        ? refresher.fresh(stored, "now")
        : refresher.replaceRejected(stored, rejected)
      if ((yield* usable(stored, provider, fresh)) === stored) return admitted
      // During the refresh, the connection may have become one of another host, or one that this caller may not use.
      refreshed = stored.row.record_id
    }
  })

  /**
   * Resolves the credential for one request. The routing table selects provider and connection unless the request names
   * them; in either case the host must be one of the provider's, and the `limits` of a registered run apply. Every call
   * reads the store.
   */
  const resolve = Effect.fnUntraced(
    function*(profile: ProfileHandle, request: ResolveRequest, options: UseOptions) {
      const { limits, run } = options
      const { host, rejected: issuedAt, scheme } = request
      if (scheme === "http") {
        const refusal = `Credentials are sent over HTTPS only, not over plain HTTP to ${host}.`
        return yield* OperationNotAllowedError.of(refusal)
      }
      if (limits !== undefined && limits.profile !== profile) {
        return yield* OperationNotAllowedError.of(`This run is limited to the profile ${limits.profile}.`)
      }
      const admitted = yield* admitFresh(profile, request, options)
      if ("resolved" in admitted) return admitted.resolved
      const { entry, provider, stored } = admitted
      const { name: connection, provider: name, record_id: id } = stored.row
      const credential = yield* credentialFor(stored, provider, entry, request)
      yield* uses.record(run, id, record("resolve", profile, name, connection))
      if (issuedAt !== undefined) yield* mark(stored, { issuedAt, refusedAt: yield* DateTime.now })
      const resolved: Resolved = { provider: name, connection, ...credential }
      return resolved
    },
    whenReady
  )

  /** Clears an earlier rejection of the credential with this `issuedAt`, which the upstream has accepted. */
  const accepted = Effect.fn("Connections.accepted")(
    function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName, issuedAt: DateTime.Utc) {
      const stored = yield* repo.findUsable({ profile, provider, name })
      if (stored !== undefined) yield* mark(stored, { issuedAt })
    },
    whenReady
  )

  return { accepted, resolve }
})
