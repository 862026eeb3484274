/** Determines who issued the tokens of a connection: the server to contact and the client to authenticate as. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { OAuthProvider } from "../../domain/definition/Provider.ts"
import { type AuthorizationServer, withoutExtensions } from "../../oauth/AuthorizationServer.ts"
import { discover } from "../../oauth/Discovery.ts"
import type { OAuthClient } from "../../oauth/OAuthClient.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import { standardStyle, type TokenRequestStyle } from "../../oauth/TokenDialect.ts"
import type { RevocationRequest } from "../../oauth/TokenRevocation.ts"
import { setNewest } from "../../platform/BoundedMap.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import type { StoredConnection } from "../ConnectionRepo.ts"
import { allClients, ClientCredentialsRepo, type StoredClient } from "./ClientCredentialsRepo.ts"
import type { OAuthBinding } from "./OAuthBinding.ts"
import { reachOf, refreshRequestStyle, refreshServer, tokenRequestStyle } from "./OAuthEndpoints.ts"

/** The refresh token cannot be sent to any server. It stays stored. */
export class IssuerUnusableError extends Data.TaggedError("IssuerUnusableError")<{
  /** The cause without the remedy, which is always a new login. */
  readonly message: string
}> {}

export interface Issuer {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  readonly style: TokenRequestStyle & RevocationRequest["style"]
  readonly binding: OAuthBinding
}

const metadataMillis = 24 * 3600_000
/** Time until metadata is fetched again after discovery failed or returned an endpoint at another origin. */
const retryMillis = 3600_000
/** The maximum number of servers whose metadata is cached. */
const maxKnown = 1000

const isSameOrigin = (left: string, right: string): boolean => new URL(left).origin === new URL(right).origin

const pinnedServer = (binding: OAuthBinding, definition: OAuthProvider | undefined): AuthorizationServer => ({
  issuer: binding.issuer,
  issuerKnown: binding.discovered,
  trustedIssuer: binding.trustedIssuer,
  tokenEndpoint: binding.tokenEndpoint,
  revocationEndpoint: binding.revocationEndpoint ?? undefined,
  ...withoutExtensions,
  reach: {
    allowLoopback: definition !== undefined && reachOf(definition).allowLoopback,
    publicOnly: binding.publicOnly
  }
})

/**
 * Returns the discovered endpoint if its origin is one that the login used: a revocation request carries the refresh
 * token and the client secret.
 */
const revocationEndpointOf = (binding: OAuthBinding, { revocationEndpoint }: AuthorizationServer): string | null => {
  if (revocationEndpoint === undefined) return null
  const known = [binding.tokenEndpoint, binding.revocationEndpoint].filter((endpoint) => endpoint !== null)
  return known.some((endpoint) => isSameOrigin(endpoint, revocationEndpoint))
    ? revocationEndpoint
    : binding.revocationEndpoint
}

/** The client of the login. Its secret is used only while the stored credentials belong to the same client. */
const clientOf = (binding: OAuthBinding, stored: StoredClient | undefined): OAuthClient => {
  const { clientAuthentication: authentication, clientId } = binding
  const known = stored === undefined ? [] : allClients(stored.credentials)
  const clientSecret = known.find((each) => each.clientId === clientId)?.clientSecret
  return { clientId, clientSecret, authentication }
}

/** The issuer as it was at login, regardless of its current metadata and definition. */
export const pinnedIssuer = (
  binding: OAuthBinding,
  definition: OAuthProvider | undefined,
  clients: ReadonlyArray<StoredClient>
): Issuer => ({
  server: pinnedServer(binding, definition),
  client: clientOf(
    binding,
    clients.find(({ credentials, row }) => row.issuer === binding.issuer && credentials.clientId === binding.clientId)
  ),
  style: definition === undefined ? standardStyle : tokenRequestStyle(definition),
  binding
})

const make = Effect.gen(function*() {
  const clients = yield* ClientCredentialsRepo
  const manifest = yield* StoreManifest
  const http = yield* OAuthHttp
  const known = new Map<string, { readonly until: number; readonly server: AuthorizationServer | undefined }>()

  const rediscovered = Effect.fnUntraced(function*(pinned: AuthorizationServer) {
    const now = yield* Clock.currentTimeMillis
    const { issuer, reach, trustedIssuer } = pinned
    const key = JSON.stringify([issuer, trustedIssuer])
    const before = known.get(key)
    if (before !== undefined && now < before.until && before.until - now <= metadataMillis) return before.server
    const found = Option.getOrUndefined(
      yield* Effect.option(Effect.provideService(discover(issuer, reach, { trusted: trustedIssuer }), OAuthHttp, http))
    )
    const isUsual = found?.tokenEndpoint !== undefined && isSameOrigin(found.tokenEndpoint, pinned.tokenEndpoint!)
    const until = now + (isUsual ? metadataMillis : retryMillis)
    setNewest(known, key, { until, server: found }, maxKnown)
    return found
  })

  const current = Effect.fnUntraced(function*(binding: OAuthBinding, definition: OAuthProvider) {
    const pinned = pinnedServer(binding, definition)
    const found = yield* rediscovered(pinned)
    if (found?.tokenEndpoint === undefined) return { server: pinned, binding }
    if (!isSameOrigin(found.tokenEndpoint, binding.tokenEndpoint)) {
      const hosts = `${new URL(found.tokenEndpoint).host} instead of ${new URL(binding.tokenEndpoint).host}`
      return yield* new IssuerUnusableError({
        message: `${binding.issuer} now names a token endpoint on ${hosts}. credsvc sent nothing to the new endpoint.`
      })
    }
    const revocationEndpoint = revocationEndpointOf(binding, found)
    return {
      server: {
        ...pinned,
        tokenEndpoint: found.tokenEndpoint,
        revocationEndpoint: revocationEndpoint ?? pinned.revocationEndpoint
      },
      binding: { ...binding, tokenEndpoint: found.tokenEndpoint, revocationEndpoint }
    }
  })

  const placeOf = ({ metadata, row }: StoredConnection, definition: OAuthProvider, binding: OAuthBinding) => ({
    profile: row.profile,
    definition,
    baseUrl: metadata.baseUrl,
    issuer: binding.issuer
  })

  /**
   * Returns the issuer for a refresh, with the current endpoints of the definition. If the login discovered them: with
   * those of the metadata, on the same origin. The caller must have compared `definition` with that of the login.
   */
  const of = Effect.fn("Issuers.of")(function*(stored: StoredConnection, definition: OAuthProvider) {
    const pinned = stored.metadata.oauth
    const defined = refreshServer(definition, stored.metadata.baseUrl)
    if (pinned === undefined || (!pinned.discovered && defined === undefined)) {
      return yield* new IssuerUnusableError({ message: "The server that issued the token is unknown." })
    }
    const { binding, server } = pinned.discovered
      ? yield* current(pinned, definition)
      : { binding: pinned, server: defined! }
    const client = clientOf(binding, yield* clients.find(placeOf(stored, definition, pinned)))
    if (client.authentication !== "none" && client.clientSecret === undefined) {
      return yield* new IssuerUnusableError({ message: "The client secret of this login is no longer stored." })
    }
    return { server, client, style: refreshRequestStyle(definition), binding }
  })

  /** Records that the server rejected the client, so that the next login obtains a new client. */
  const markRejected = Effect.fn("Issuers.markRejected")(
    function*(stored: StoredConnection, definition: OAuthProvider) {
      const binding = stored.metadata.oauth
      if (binding === undefined) return
      const place = placeOf(stored, definition, binding)
      const client = yield* clients.find(place)
      if (client === undefined || client.credentials.clientId !== binding.clientId) return
      const refusedAt = yield* DateTime.now
      yield* clients.save(place, { ...client.credentials, refusedAt })
    },
    manifest.transact
  )

  return { of, markRejected }
})

export class Issuers extends Context.Service<Issuers, Effect.Success<typeof make>>()("credsvc/connections/Issuers") {
  static readonly layerNoDeps = Layer.effect(Issuers, make)
}
