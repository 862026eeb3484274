/**
 * Revokes connections at their provider (RFC 7009, RFC 7592).
 *
 * A connection is first marked, which makes it unusable, then revoked at the provider, then deleted whatever the
 * provider responds. While a daemon revokes the connections that it has marked, it holds a lease. If that daemon ends,
 * another daemon finishes its revocations, or it does so itself at its next start.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { AuditLog } from "../../audit/AuditLog.ts"
import type { OAuthProvider, ProviderName } from "../../domain/definition/Provider.ts"
import type { VaultUnavailableError } from "../../domain/Errors.ts"
import type { Revoked } from "../../domain/wire/ConnectionResults.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { deregister } from "../../oauth/ClientRegistration.ts"
import type { OAuthError } from "../../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import * as Revocation from "../../oauth/TokenRevocation.ts"
import { StoreChanges } from "../../platform/store/StoreChanges.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { makeLeases } from "../../vault/Leases.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { ConnectionRepo, contentOf, type Secrets, type StoredConnection } from "../ConnectionRepo.ts"
import { withStoredSecret } from "../grants/GrantRequests.ts"
import { makeOriginalFiles } from "../programs/OriginalFiles.ts"
import { sharedFiber } from "../renewal/SharedFiber.ts"
import { ClientCredentialsRepo, type StoredClient } from "./ClientCredentialsRepo.ts"
import { type Issuer, pinnedIssuer } from "./Issuers.ts"

interface Outcome {
  readonly contacted: boolean
  readonly failure: string | undefined
  /** The server does not support revoking this token type (RFC 7009 section 2.2.1), so the token may still be valid. */
  readonly unsupported?: boolean
}

const limit = Duration.seconds(10)

interface Place {
  readonly profile: ProfileHandle
  readonly provider: ProviderName
}

const leasePrefix = "revoke:"

const leaseOf = ({ profile, provider }: Place): string => `${leasePrefix}${profile} ${provider}`

const placesOf = (leases: ReadonlyArray<{ readonly record_id: string }>): ReadonlyArray<Place> =>
  leases.flatMap(({ record_id: key }) => {
    if (!key.startsWith(leasePrefix)) return []
    const [profile, provider] = key.slice(leasePrefix.length).split(" ")
    return [{ profile: profile as ProfileHandle, provider: provider as ProviderName }]
  })

/** The time between two checks of whether another daemon is still revoking. */
const lookPause = "1 second"

const reached = (error: OAuthError): boolean =>
  error._tag === "OAuthRejected" || (error._tag === "OAuthUnavailable" && error.sent)

/** Makes the functions that send the messages of a revocation. */
const makeMessages = Effect.gen(function*() {
  const repo = yield* ConnectionRepo
  const http = yield* OAuthHttp

  /** Sends a message of a revocation. `what` begins the sentence about a failure. */
  const attempt = (what: string, message: Effect.Effect<void, OAuthError, OAuthHttp>): Effect.Effect<Outcome> =>
    message.pipe(
      Effect.provideService(OAuthHttp, http),
      Effect.result,
      Effect.timeoutOption(limit),
      Effect.map(Option.match({
        onNone: () => ({ contacted: true, failure: `${what}: the authorization server did not respond in time.` }),
        onSome: Result.match({
          onSuccess: () => ({ contacted: true, failure: undefined }),
          onFailure: (error) => ({
            contacted: reached(error),
            failure: `${what}: ${error.message}.`,
            unsupported: error._tag === "OAuthRejected" && error.error === "unsupported_token_type"
          })
        })
      }))
    )

  /** Revokes the refresh token first: while it is valid, it can be used to obtain new access tokens. */
  const endTokens = Effect.fnUntraced(function*(issuer: Issuer, secrets: Secrets, name: string) {
    const { server, style } = issuer
    const client = withStoredSecret(issuer.client, secrets)
    if (server.revocationEndpoint === undefined) return []
    const { host } = new URL(server.revocationEndpoint)
    const outcomes: Array<Outcome> = []
    for (const hint of ["refresh_token", "access_token"] as const) {
      const token = hint === "refresh_token" ? secrets.refreshToken : secrets.values["access_token"]
      const isSent = style.revocationNames === undefined || Object.hasOwn(style.revocationNames, hint)
      if (token === undefined || !isSent) continue
      const what = `The ${hint.replace("_", " ")} of ${name} may still be valid at ${host}`
      outcomes.push(yield* attempt(what, Revocation.revoke({ server, client, token, hint, style })))
    }
    const [refresh, access] = outcomes
    // Some servers revoke access tokens only together with their refresh token, whose revocation succeeded here.
    return access?.unsupported === true && refresh?.failure === undefined
      ? [refresh!, { ...access, failure: undefined }]
      : outcomes
  })

  const endConnection = Effect.fnUntraced(
    function*(stored: StoredConnection, known: ReadonlyArray<StoredClient>, definition: OAuthProvider | undefined) {
      const { metadata, row } = stored
      if (metadata.oauth === undefined) return []
      const issuer = pinnedIssuer(metadata.oauth, definition, known)
      const name = `${row.provider}/${row.name}`
      const outcomes = yield* Effect.timeoutOption(endTokens(issuer, yield* repo.openSecrets(stored), name), limit)
      return Option.getOrElse(outcomes, (): ReadonlyArray<Outcome> => [{
        contacted: true,
        failure: `The tokens of ${name} may still be valid: ${metadata.oauth?.issuer} did not respond in time.`
      }])
    }
  )

  const endRegistration = Effect.fnUntraced(
    function*(
      { credentials, row }: StoredClient,
      marked: ReadonlyArray<StoredConnection>,
      definition: OAuthProvider | undefined
    ) {
      const { registration } = credentials
      const binding = marked.find(({ metadata: { oauth } }) => oauth?.issuer === row.issuer)?.metadata.oauth
      if (registration === null || binding === undefined) return []
      const { server } = pinnedIssuer(binding, definition, [])
      const what = `The registration of ${row.provider} at ${row.issuer} was not deleted`
      return [yield* attempt(what, deregister(server, registration))]
    }
  )

  /**
   * Revokes tokens that no stored connection holds. Skipped if another connection may have the same client and account,
   * because many servers revoke the grants of both together. `account` is null if unknown.
   */
  const giveBack = Effect.fn("Revocations.giveBack")(
    function*(issuer: Issuer, secrets: Secrets, account: string | null = null) {
      const { clientId, issuer: origin } = issuer.binding
      const others = (yield* repo.listOAuth).filter(({ metadata: { account: { id }, oauth, status } }) =>
        status !== "revoking" && oauth?.issuer === origin && oauth.clientId === clientId &&
        (id === null || account === null || id === account)
      )
      if (others.length === 0) yield* endTokens(issuer, secrets, "a deleted connection")
    },
    (effect) => Effect.ignore(effect)
  )

  return { endConnection, endRegistration, giveBack }
})

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const clients = yield* ClientCredentialsRepo
  const repo = yield* ConnectionRepo
  const registry = yield* ProviderRegistry
  const manifest = yield* StoreManifest
  const originals = yield* makeOriginalFiles
  const leases = yield* makeLeases
  const { endConnection, endRegistration, giveBack } = yield* makeMessages
  const running = yield* FiberMap.make<string, Revoked, VaultUnavailableError>()
  const resuming = yield* FiberMap.make<string, Revoked | undefined, VaultUnavailableError>()

  /** Marks connections and acquires the lease. Returns undefined if another daemon holds the lease. */
  const mark = Effect.fnUntraced(function*(place: Place, which: "all" | "marked") {
    const { profile, provider } = place
    // The other daemon may have finished since the caller read the lease.
    if (which === "marked" && (yield* leases.find(leaseOf(place))) === undefined) return undefined
    const lease = yield* leases.acquire(leaseOf(place))
    if (lease === "taken") return undefined
    if (which === "all") {
      for (const stored of yield* repo.list(profile, provider)) {
        if (stored.metadata.status === "revoking") continue
        const metadata = { ...stored.metadata, status: "revoking" as const }
        yield* repo.replace(stored, contentOf({ ...stored, metadata }, yield* repo.openSecrets(stored)))
      }
    }
    const stored = yield* repo.list(profile, provider)
    const used = stored.flatMap(({ metadata: { oauth, status } }) => status === "revoking" ? [] : [oauth])
    const known = yield* clients.list(profile, provider)
    const kept = known.filter(({ credentials: { clientId }, row: { issuer } }) =>
      used.some((oauth) => oauth?.issuer === issuer && oauth.clientId === clientId)
    )
    return {
      rows: stored.filter(({ metadata }) => metadata.status === "revoking"),
      clients: known.filter(({ row }) => !kept.some((client) => client.row.record_id === row.record_id))
    }
  }, manifest.transact)

  const erase = Effect.fnUntraced(
    function*(place: Place, marked: ReadonlyArray<StoredConnection>, known: ReadonlyArray<StoredClient>) {
      const { profile, provider } = place
      for (const stored of marked) yield* repo.remove(stored)
      for (const client of known) yield* clients.remove(client)
      yield* originals.removeUnconnected(provider, profile)
      yield* repo.inheritDefault(profile, provider)
      for (const name of marked.length === 0 ? [null] : marked.map(({ row }) => row.name)) {
        yield* audit.append({ event: "revoke", provider, connection: name, identity: profile, status: "ok" })
      }
      yield* leases.end(leaseOf(place))
    },
    manifest.transact
  )

  /** Revokes marked connections. Returns undefined if another daemon is revoking them. */
  const attemptAll = Effect.fnUntraced(function*(place: Place, which: "all" | "marked") {
    const marked = yield* mark(place, which)
    if (marked === undefined) return undefined
    const known = Option.getOrUndefined(yield* registry.find(place.provider))?.definition
    const definition = known?.authType === "oauth2" ? known : undefined
    const tokens = yield* Effect.forEach(
      marked.rows,
      (stored) => endConnection(stored, marked.clients, definition),
      { concurrency: 8 }
    )
    // Deletes clients after the tokens, because a server may need the client to identify a token.
    const registrations = yield* Effect.forEach(
      marked.clients,
      (client) => endRegistration(client, marked.rows, definition),
      { concurrency: 8 }
    )
    yield* erase(place, marked.rows, marked.clients)
    const outcomes = [...tokens, ...registrations].flat()
    return {
      status: "revoked" as const,
      provider: place.provider,
      connections: marked.rows.map(({ row }) => row.name),
      providerContacted: outcomes.some(({ contacted }) => contacted),
      failures: outcomes.flatMap(({ failure }) => failure ?? [])
    }
  })

  /** Revokes all connections. Waits for a daemon that is already revoking some of them. */
  const revokeAll = Effect.fnUntraced(function*(place: Place) {
    while (true) {
      const revoked = yield* attemptAll(place, "all")
      if (revoked !== undefined) return revoked
      yield* Effect.sleep(lookPause)
    }
  })

  /** Revokes all connections of a provider, and deletes its client credentials. Continues if the caller is interrupted. */
  const revoke = Effect.fn("Revocations.revoke")(function*(profile: ProfileHandle, provider: ProviderName) {
    if ((yield* repo.list(profile, provider)).length === 0) yield* registry.get(provider)
    const place = { profile, provider }
    const resumed = FiberMap.getUnsafe(resuming, leaseOf(place))
    if (Option.isSome(resumed)) yield* Fiber.await(resumed.value)
    return yield* Effect.flatMap(sharedFiber(running, leaseOf(place), revokeAll(place)), Fiber.join)
  })

  const resumeAt = (place: Place) =>
    Option.isSome(FiberMap.getUnsafe(running, leaseOf(place)))
      ? Effect.void
      : Effect.asVoid(sharedFiber(resuming, leaseOf(place), attemptAll(place, "marked")))

  /** Finishes the revocations of daemons that have ended. */
  const resume = Effect.flatMap(leases.all, (all) => Effect.forEach(placesOf(all), resumeAt, { discard: true }))
    .pipe(Effect.withSpan("Revocations.resume"))
  if ((yield* StoreChanges).isShared) {
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(resume), Schedule.spaced(lookPause)))
  }

  return { revoke, giveBack, resume }
})

export class Revocations
  extends Context.Service<Revocations, Effect.Success<typeof make>>()("credsvc/connections/Revocations")
{
  static readonly layerNoDeps = Layer.effect(Revocations, make)
}
