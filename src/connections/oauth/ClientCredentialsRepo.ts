/**
 * Stores client credentials: our registration at one authorization server, per provider and profile. They are never
 * sent to another issuer, and never used with a definition that names endpoints other than those of the registration.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { ClientAuthentication, type OAuthProvider, type ProviderName } from "../../domain/definition/Provider.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { Timestamp, wire } from "../../domain/wire/Wire.ts"
import { jsonContent, makeSealedRepo, nextVersion } from "../../vault/SealedRepo.ts"
import { ConnectionRepo, recordColumns } from "../ConnectionRepo.ts"
import { clientFingerprint } from "./OAuthEndpoints.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

const fields = {
  clientId: Schema.String,
  clientSecret: Schema.optional(Secret),
  /** The authentication method. Null until the server metadata or the definition determines it. */
  authentication: Schema.NullOr(ClientAuthentication),
  source: Schema.Literals(["entered", "registered", "metadata_document"]),
  /** The registered redirect URI. A login with a different one requires a new registration. */
  redirectUri: Schema.NullOr(Schema.String),
  secretExpiresAt: Schema.NullOr(Timestamp),
  /** The client configuration endpoint and its access token (RFC 7592). */
  registration: Schema.NullOr(Schema.Struct({ uri: Schema.String, accessToken: Secret })),
  /**
   * When the server last returned `invalid_client`. The next login gets new credentials; refreshes keep using these.
   */
  refusedAt: Schema.NullOr(Timestamp)
}

export const ClientCredentials = wire({
  ...fields,
  /** The previous clients, newest first. Connections may still depend on them. */
  earlier: Schema.optionalKey(Schema.Array(wire(fields)))
})
export type ClientCredentials = typeof ClientCredentials.Type

/** Completes the credentials of a client. By default, they describe a client that was not registered dynamically. */
export const clientCredentials = (
  given: Pick<ClientCredentials, "clientId" | "source"> & Partial<ClientCredentials>
): ClientCredentials => ({
  authentication: null,
  redirectUri: null,
  secretExpiresAt: null,
  registration: null,
  refusedAt: null,
  ...given
})

/** The maximum number of previous clients that are kept, besides those that connections use. */
const maxEarlier = 8

/** The current client and the previous ones. */
export const allClients = ({ earlier = [], ...current }: ClientCredentials): ReadonlyArray<ClientCredentials> => [
  current,
  ...earlier
]

export interface ClientPlace {
  readonly profile: ProfileHandle
  readonly definition: OAuthProvider
  readonly baseUrl: string | null
  readonly issuer: string
}

const Row = Schema.Struct({
  ...recordColumns,
  issuer: Schema.String,
  created_at: Timestamp,
  sealed: Schema.Uint8Array
})
type Row = typeof Row.Type

const makeRepo = makeSealedRepo({
  table: "client_credentials",
  key: ["record_id"],
  row: Row,
  contents: { sealed: jsonContent("client", ClientCredentials) },
  names: ({ issuer, profile, provider }) => ({ profile, provider, connection: issuer })
})

export interface StoredClient {
  readonly row: Row
  readonly credentials: ClientCredentials
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const connections = yield* ConnectionRepo
  const repo = yield* makeRepo

  const open = (row: Row) => Effect.map(repo.open(row, "sealed"), (credentials): StoredClient => ({ row, credentials }))

  const rowAt = (profile: ProfileHandle, provider: ProviderName, issuer: string) =>
    repo.row(sql`WHERE profile = ${profile} AND provider = ${provider} AND issuer = ${issuer}`)

  /** Finds a client. Also undefined if the client was obtained for a definition with different endpoints. */
  const find = Effect.fn("ClientCredentialsRepo.find")(
    function*({ baseUrl, definition, issuer, profile }: ClientPlace) {
      const row = yield* rowAt(profile, definition.name, issuer)
      return row === undefined || row.definition_fp !== clientFingerprint(definition, baseUrl)
        ? undefined
        : yield* open(row)
    }
  )

  /** Lists the current and previous clients of a provider, for any version of its definition. */
  const list = Effect.fn("ClientCredentialsRepo.list")(function*(profile: ProfileHandle, provider: ProviderName) {
    const found = yield* repo.rows(
      sql`WHERE profile = ${profile} AND provider = ${provider} ORDER BY created_at, rowid`
    )
    const stored = yield* Effect.forEach(found, open)
    return stored.flatMap(({ credentials, row }) => allClients(credentials).map((each) => ({ row, credentials: each })))
  })

  const save = Effect.fn("ClientCredentialsRepo.save")(
    function*({ baseUrl, definition, issuer, profile }: ClientPlace, credentials: ClientCredentials) {
      const before = yield* rowAt(profile, definition.name, issuer)
      const row = {
        ...yield* nextVersion(before),
        profile,
        provider: definition.name,
        issuer,
        definition_fp: clientFingerprint(definition, baseUrl)
      }
      const known = before?.definition_fp === row.definition_fp ? allClients((yield* open(before)).credentials) : []
      const others = known.filter(({ clientId }) => clientId !== credentials.clientId)
      const users = others.length <= maxEarlier ? [] : yield* connections.list(profile, definition.name)
      const used = new Set(users.map(({ metadata: { oauth } }) => oauth?.clientId))
      const earlier = others.filter(({ clientId }, index) => index < maxEarlier || used.has(clientId))
      yield* repo.put(before, row, { sealed: earlier.length === 0 ? credentials : { ...credentials, earlier } })
    }
  )

  return {
    find,
    list,
    save,

    /** Removes a client, unless its credentials were replaced in the meantime. */
    remove: ({ row }: StoredClient) => Effect.asVoid(repo.remove(row))
  }
})

export class ClientCredentialsRepo extends Context.Service<ClientCredentialsRepo, Effect.Success<typeof make>>()(
  "credsvc/connections/ClientCredentialsRepo"
) {
  static readonly layerNoDeps = Layer.effect(ClientCredentialsRepo, make)
}
