/** The operations that use a credential: reveal, export, and resolve. Each is recorded in the audit log first. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { allowsScope, type AwsSigV4, type CredentialScope, scopeOf } from "../../domain/definition/AwsSigV4.ts"
import type { ProviderDefinition, ProviderName } from "../../domain/definition/Provider.ts"
import { apiUrlOf, claimsHost, hostFor, regionAt } from "../../domain/definition/ProviderHosts.ts"
import {
  type AmbiguousProviderError,
  type ConnectionNotFoundError,
  type CredentialError,
  OperationNotAllowedError
} from "../../domain/Errors.ts"
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
import { TokenRefresher, type Use } from "../renewal/TokenRefresher.ts"
import { exportCredential as exported, revealed } from "./CredentialExport.ts"
import { checkUsable, containedOnly, credentialMissing, notConnected } from "./CredentialFailures.ts"
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

export const makeCredentialUse = Effect.fnUntraced(function*({ describe, record, requireOwned, whenReady }: Access) {
  const manifest = yield* StoreManifest
  const refresher = yield* TokenRefresher
  const registry = yield* ProviderRegistry
  const repo = yield* ConnectionRepo
  const routing = yield* HostRouting
  const uses = makeResolveAudit()

  /** Returns the connection if its credential is currently usable. */
  const refreshAndCheck = Effect.fnUntraced(
    function*(stored: StoredConnection, provider: Provider, use: Use, rejected?: DateTime.Utc) {
      yield* checkUsable(stored, provider)
      if (stored.row.auth_type === "api_key" && !isRenewable(stored)) return stored
      const fresh = yield* rejected === undefined
        ? refresher.fresh(stored, use)
        : refresher.replaceRejected(stored, rejected)
      if (fresh === stored) return stored
      if (fresh === undefined) return yield* notConnected(stored.row.provider, stored.row.name)
      yield* checkUsable(fresh, provider)
      return fresh
    }
  )

  const renewed = (stored: StoredConnection) =>
    Effect.flatMap(registry.get(stored.row.provider), (known) => refreshAndCheck(stored, known, "keeping"))

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

  const reveal = Effect.fnUntraced(function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
    const shown = (stored: StoredConnection) => outsideRuns(stored, "its secret is not shown")
    const found = yield* shown(yield* ownOnly(profile, provider, name))
    // Returns the stored secret even if it is unusable; the result includes the reason.
    const stored = yield* shown(
      (yield* Effect.orElseSucceed(renewed(found), () => undefined)) ?? (yield* requireOwned(profile, provider, name))
    )
    if (stored.metadata.status === "revoking") {
      return yield* OperationNotAllowedError.of(
        `The connection "${name}" for ${provider} is being revoked, so its secret is not shown.`
      )
    }
    const { values } = yield* repo.openSecrets(stored)
    yield* record("get", profile, provider, name)
    return yield* describe(profile, stored, revealed(values))
  })

  const exportCredential = Effect.fn("Connections.exportCredential")(
    function*(profile: ProfileHandle, { connection, format, provider: name }: ExportRequest) {
      const provider = yield* registry.get(name)
      const chosen = connection ?? (yield* repo.defaultOf(profile, name)) ?? defaultConnectionName
      const found = yield* ownOnly(profile, name, chosen)
      const exportable = (stored: StoredConnection) => outsideRuns(stored, "it is not exported")
      const stored = yield* exportable(yield* refreshAndCheck(yield* exportable(found), provider, "keeping"))
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
      const result = yield* Effect.mapError(
        Effect.fromResult(exported(provider.definition, all, format ?? "env")),
        OperationNotAllowedError.of
      )
      yield* record("export", profile, name, chosen)
      return result
    },
    whenReady
  )

  /**
   * Marks a connection as rejected, for display only: a child process can provoke a 401 at will, so the credential is
   * still sent. Skips refreshable connections, because this write could overtake a write of the refresher.
   */
  const markRejected = Effect.fnUntraced(
    function*(stored: StoredConnection, issuedAt: DateTime.Utc, refusedAt: DateTime.Utc | undefined) {
      const { refusedAt: before, ...metadata } = stored.metadata
      if (isRenewable(stored) || metadata.status !== "connected") return
      if (!DateTime.Equivalence(metadata.obtainedAt, issuedAt)) return
      if ((before === undefined) === (refusedAt === undefined)) return
      const changed = refusedAt === undefined ? metadata : { ...metadata, refusedAt }
      const content = contentOf({ row: stored.row, metadata: changed }, yield* repo.openSecrets(stored))
      yield* manifest.transact(repo.replace(stored, content))
    }
  )

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
        yield* Effect.mapError(Effect.fromResult(scopeFor(awsSigv4, entry, request)), OperationNotAllowedError.of),
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

  const resolve = Effect.fnUntraced(
    function*(
      profile: ProfileHandle,
      request: ResolveRequest,
      options: UseOptions,
      refreshed?: string
    ): Effect.fn.Return<Resolved, Exclude<CredentialError, ConnectionNotFoundError> | AmbiguousProviderError> {
      const { checked, limits, run } = options
      const { path = "/", port = 443 } = request
      if (request.scheme === "http") {
        return yield* OperationNotAllowedError.of(
          `Credentials are sent over HTTPS only, not over plain HTTP to ${request.host}.`
        )
      }
      if (limits !== undefined && limits.profile !== profile) {
        return yield* OperationNotAllowedError.of(`This run is limited to the profile ${limits.profile}.`)
      }
      let { connection, provider: name } = request
      if (name === undefined || connection === undefined) {
        const route = yield* routing.route(profile, { ...request, port, path })
        name = route.provider
        connection ??= route.connection ?? defaultConnectionName
      }
      const provider = yield* registry.get(name)
      const found = yield* repo.findUsable({ profile, provider: name, name: connection })
      const excess = excessOf(limits, name, connection)
      // The connection need not be usable, because the program may refresh its token with this request. The run need
      // not be allowed to use it, because login servers reject its placeholders.
      const open = openAt(provider, request, found !== undefined || excess !== undefined)
      if (open !== undefined) return { provider: name, connection, ...open }
      if (excess !== undefined) return yield* OperationNotAllowedError.of(excess)
      if (found === undefined) {
        const others = (yield* repo.listUsable(profile, name)).map(({ stored }) => stored.row.name)
        const permitted = others.filter((other) => excessOf(limits, provider.name, other) === undefined)
        return yield* notConnected(name, connection, permitted)
      }
      if (!hasLogin(found, request.login)) {
        return yield* credentialMissing(
          name,
          connection,
          `The program was logged out of ${name}, and the connection "${connection}" has another login. Log in again with the program.`
        )
      }
      if (checked !== undefined) {
        const { baseUrl } = found.metadata
        if (fingerprintOf({ definition: checked }, baseUrl) !== fingerprintOf(provider, baseUrl)) {
          return yield* credentialMissing(name, connection, `The definition of ${name} changed during the check.`)
        }
      } else if (isContainedOnly(found, provider) && limits?.contained !== true) {
        return yield* containedOnly(name, connection, "it is not used here")
      }
      const entry = hostFor(provider.definition, found.metadata.baseUrl, { host: request.host, port, path })?.entry
      if (entry === undefined) {
        return yield* OperationNotAllowedError.of(
          claimsHost(provider.definition, found.metadata.baseUrl, request.host, port)
            ? `The credential of ${name} must not be sent to this path of ${request.host}.`
            : `The credential of ${name} must not be sent to ${request.host} on port ${port}.`
        )
      }
      const isRefreshed = refreshed === found.row.record_id
      if (isRefreshed) yield* checkUsable(found, provider)
      const stored = isRefreshed ? found : yield* refreshAndCheck(found, provider, "now", request.rejected)
      // During a refresh, the connection may have become one of another host, or one that this caller may not use.
      if (stored !== found) return yield* resolve(profile, request, options, found.row.record_id)
      const credential = yield* credentialFor(stored, provider, entry, request)
      yield* uses.record(run, stored.row.record_id, record("resolve", profile, name, connection))
      if (request.rejected !== undefined) yield* markRejected(stored, request.rejected, yield* DateTime.now)
      return { provider: name, connection, ...credential }
    },
    whenReady
  )

  const accepted = Effect.fn("Connections.accepted")(
    function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName, issuedAt: DateTime.Utc) {
      const stored = yield* repo.findUsable({ profile, provider, name })
      if (stored !== undefined) yield* markRejected(stored, issuedAt, undefined)
    },
    whenReady
  )

  return { accepted, exportCredential, renewed, resolve, reveal }
})
