/**
 * Stores connections: names in plain text, everything else sealed and bound to its row. A write replaces a row only if
 * its generation is still the one that was read, so a late writer changes nothing.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import {
  AuthType,
  FlowKind,
  isOwnFlow,
  obtainsAgain,
  ProviderName,
  ProviderSource
} from "../domain/definition/Provider.ts"
import { phantomsIn } from "../domain/injection/Placeholder.ts"
import type { FieldValues } from "../domain/injection/Placement.ts"
import { ConnectionName } from "../domain/wire/Connection.ts"
import { CredentialCommand } from "../domain/wire/CredentialCommand.ts"
import { defaultConnectionName } from "../domain/wire/Names.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { Timestamp, wire } from "../domain/wire/Wire.ts"
import { setNewest } from "../platform/BoundedMap.ts"
import { randomId } from "../platform/Digest.ts"
import { StoreManifest, StoreTransaction } from "../vault/manifest/StoreManifest.ts"
import { jsonContent, makeSealedRepo } from "../vault/SealedRepo.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import { OAuthBinding } from "./oauth/OAuthBinding.ts"

/** Sealed properties of a connection that are neither names nor secrets. */
const Metadata = wire({
  /** `revoking`: being revoked at the provider, and no longer usable. */
  status: Schema.Literals(["connected", "expired", "invalid", "revoking"]),
  baseUrl: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String),
  /** The scopes that each token request of a stored grant names, even if the server granted others. Absent for other flows. */
  requestedScopes: Schema.optional(Schema.Array(Schema.String)),
  tokenType: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Timestamp),
  obtainedAt: Timestamp,
  lastRefreshAt: Schema.NullOr(Timestamp),
  lastRefreshError: Schema.NullOr(Schema.String),
  account: Schema.Struct({ id: Schema.NullOr(Schema.String), label: Schema.NullOr(Schema.String) }),
  hasRefreshToken: Schema.Boolean,
  /** Values of non-secret fields, such as an account ID, which `run` passes to the child process. */
  plainFields: Schema.Record(Schema.String, Schema.String),
  definitionSource: ProviderSource,
  /** Whether only contained runs may use the connection. Removed only by another login. */
  containedOnly: Schema.optional(Schema.Boolean),
  /** When the provider last rejected a credential that cannot be refreshed; absent once a check succeeds. */
  refusedAt: Schema.optional(Timestamp),
  oauth: Schema.optional(OAuthBinding),
  /** The token response of a login that a program has made, with phantoms in place of its tokens. */
  programResponse: Schema.optional(Schema.String),
  command: Schema.optional(CredentialCommand)
})
type Metadata = typeof Metadata.Type

const decodeBinding = Schema.decodeSync(OAuthBinding)
const decodeCommand = Schema.decodeSync(CredentialCommand)

const timeOf = <Absent extends null | undefined>(text: string | Absent) =>
  typeof text === "string" ? DateTime.makeUnsafe(text) : text

/**
 * Decodes without a schema, because the first list after a start decodes all rows, and the schema takes five times as
 * long. The text was authenticated when it was opened.
 */
const decodeMetadata = (text: string): Metadata => {
  const encoded: typeof Metadata.Encoded = JSON.parse(text)
  const decoded: { readonly [Name in keyof Required<Metadata>]: Metadata[Name] } = {
    status: encoded.status,
    baseUrl: encoded.base_url,
    scopes: encoded.scopes,
    requestedScopes: encoded.requested_scopes,
    tokenType: encoded.token_type,
    expiresAt: timeOf(encoded.expires_at),
    obtainedAt: DateTime.makeUnsafe(encoded.obtained_at),
    lastRefreshAt: timeOf(encoded.last_refresh_at),
    lastRefreshError: encoded.last_refresh_error,
    account: encoded.account,
    hasRefreshToken: encoded.has_refresh_token,
    plainFields: encoded.plain_fields,
    definitionSource: encoded.definition_source,
    containedOnly: encoded.contained_only,
    refusedAt: timeOf(encoded.refused_at),
    oauth: encoded.oauth && decodeBinding(encoded.oauth),
    programResponse: encoded.program_response,
    command: encoded.command && decodeCommand(encoded.command)
  }
  return decoded
}

const Secret = Schema.RedactedFromValue(Schema.String)

const Secrets = wire({
  values: Schema.Record(Schema.String, Secret),
  refreshToken: Schema.optional(Secret),
  /** The values of a stored grant. They are sent only to the token endpoint, and never exported. */
  grantValues: Schema.optional(Schema.Record(Schema.String, Secret))
})
export type Secrets = typeof Secrets.Type

/**
 * Decodes without a schema: every resolve decodes secrets, and the schema takes three times as long. The text was
 * authenticated when it was opened.
 */
const decodeSecrets = (text: string): Secrets => {
  const { grant_values, refresh_token, values }: typeof Secrets.Encoded = JSON.parse(text)
  const decoded = { values: wrapped(values) }
  if (grant_values !== undefined) return { ...decoded, grantValues: wrapped(grant_values) }
  return refresh_token === undefined ? decoded : { ...decoded, refreshToken: Redacted.make(refresh_token) }
}

const wrapped = (texts: Readonly<Record<string, string>>): FieldValues => {
  const values: Record<string, Redacted.Redacted<string>> = {}
  for (const name of Object.keys(texts)) values[name] = Redacted.make(texts[name]!)
  return values
}

/** The columns of every sealed row that belongs to a provider. */
export const recordColumns = {
  record_id: Schema.String,
  profile: ProfileHandle,
  provider: ProviderName,
  generation: Schema.Int,
  definition_fp: Schema.String
}

const Row = Schema.Struct({
  ...recordColumns,
  name: ConnectionName,
  auth_type: AuthType,
  flow: FlowKind,
  sealed: Schema.Uint8Array,
  secret: Schema.Uint8Array
})
type Row = typeof Row.Type

const makeRepo = makeSealedRepo({
  table: "connections",
  key: ["record_id"],
  row: Row,
  contents: {
    sealed: { ...jsonContent("sealed", Metadata), decode: (text: string) => Effect.try(() => decodeMetadata(text)) },
    secret: { ...jsonContent("secret", Secrets), decode: (text: string) => Effect.sync(() => decodeSecrets(text)) }
  },
  names: ({ name, profile, provider }) => ({ profile, provider, connection: name })
})

const places = rowsOf(Schema.Struct({ profile: ProfileHandle, name: ConnectionName }))
const defaultRows = rowsOf(Schema.Struct({ provider: ProviderName, name: ConnectionName }))
const records = rowsOf(Schema.Struct({ record_id: Schema.String }))
const names = rowsOf(Schema.Struct({ name: ConnectionName }))
const counts = rowsOf(Schema.Struct({ count: Schema.Int }))

const grantRows = rowsOf(Schema.Struct({
  provider: ProviderName,
  connection: ConnectionName,
  owner: ProfileHandle,
  grantee: ProfileHandle,
  created_at: Timestamp
}))

/** A connection that a profile may use: its own, or one that another profile has granted to it. */
interface UsableConnection {
  readonly stored: StoredConnection
  readonly isDefault: boolean
}

export interface StoredConnection {
  readonly row: Row
  readonly metadata: Metadata
}

/** Whether credsvc can obtain a new access token without the user. */
export const isRenewable = ({ metadata, row }: StoredConnection): boolean =>
  metadata.hasRefreshToken || obtainsAgain(row.flow) || (metadata.requestedScopes !== undefined && isOwnFlow(row.flow))

/** The ID of a program's login, as contained in its phantoms, or undefined if the user has made the login. */
export const loginOf = ({ metadata: { programResponse = "" } }: StoredConnection): string | undefined =>
  phantomsIn(programResponse)[0]?.login

/**
 * Whether a phantom with this login ID selects the connection. A program's login must have the same ID, because the
 * name may have belonged to another account. A connection that the user created accepts any ID.
 */
export const hasLogin = (stored: StoredConnection, login: string | undefined): boolean =>
  login === undefined || [login, undefined].includes(loginOf(stored))

/** The content that callers write. The repository adds the names and the generation. */
export interface ConnectionContent {
  readonly authType: AuthType
  readonly flow: FlowKind
  readonly definitionFp: string
  readonly metadata: Metadata
  readonly secrets: Secrets
}

export const contentOf = ({ metadata, row }: StoredConnection, secrets: Secrets): ConnectionContent => ({
  authType: row.auth_type,
  flow: row.flow,
  definitionFp: row.definition_fp,
  metadata,
  secrets
})

const columnsOf = ({ authType, definitionFp, flow }: ConnectionContent) => ({
  definition_fp: definitionFp,
  auth_type: authType,
  flow
})

interface ConnectionPlace {
  readonly profile: ProfileHandle
  readonly provider: ProviderName
  readonly name: ConnectionName
}

export const plainFieldsOf = (values: FieldValues, names: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => Object.hasOwn(values, name) ? [[name, Redacted.value(values[name]!)]] : [])
  )

/** The maximum number of connections in the cache. */
const maxOpened = 20_000

/** The maximum number of queries whose results are cached. */
const maxSelections = 1000

/** The maximum number of changed rows that are read individually. If more have changed, all rows are read. */
const maxSelected = 500

/** Makes the functions that read the connections of a query. */
const makeReads = Effect.fnUntraced(function*(repo: Effect.Success<typeof makeRepo>) {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  // Connections by record ID, each with the digest of its row when it was read. Their secrets are sealed.
  const opened = new Map<string, { readonly digest: bigint; readonly stored: StoredConnection }>()
  // The record IDs that a query selects, in order. They stay valid until records or grants are added or removed.
  const selected = new Map<string, { readonly members: string; readonly ids: ReadonlyArray<string> }>()

  const read = Effect.fnUntraced(function*(which: Fragment) {
    const rows = yield* repo.rows(which)
    const contents = yield* repo.openAll(rows, "sealed")
    return rows.map((row, at): StoredConnection => ({ row, metadata: contents[at]! }))
  })

  const readFirst = (which: Fragment) => Effect.map(read(which), ([stored]) => stored)

  /** Returns the record IDs that a query selects. With a `key`, caches them; the query must use only columns that never change. */
  const idsOf = Effect.fnUntraced(function*(which: Fragment, key: string | undefined) {
    const members = `${manifest.membersOf("connections")} ${manifest.membersOf("connection_grants")}`
    const known = key === undefined ? undefined : selected.get(key)
    if (known?.members === members) return known.ids
    const ids = (yield* records(sql`SELECT record_id FROM connections ${which}`)).map(({ record_id: id }) => id)
    if (key !== undefined) setNewest(selected, key, { members, ids }, maxSelections)
    return ids
  })

  /** Reads the connections of a query. Unchanged rows come from the cache, except in a transaction, whose rows are unverified. */
  const readAll = Effect.fnUntraced(function*(which: Fragment, key?: string) {
    if (Option.isSome(yield* Effect.serviceOption(StoreTransaction))) return yield* read(which)
    yield* manifest.verified("rows")
    const ids = yield* idsOf(which, key)
    const found = new Map<string, StoredConnection>()
    const digests = new Map<string, bigint | undefined>()
    for (const id of ids) {
      const digest = manifest.digestOf("connections", id)
      const known = opened.get(id)
      if (known !== undefined && known.digest === digest) found.set(id, known.stored)
      else digests.set(id, digest)
    }
    const changed = [...digests.keys()]
    if (changed.length > 0) {
      const rows = yield* read(changed.length > maxSelected ? which : sql`WHERE ${sql.in("record_id", changed)}`)
      for (const stored of rows) {
        const id = stored.row.record_id
        const digest = digests.get(id)
        found.set(id, stored)
        if (digest !== undefined) setNewest(opened, id, { digest, stored }, maxOpened)
      }
    }
    return ids.flatMap((id) => found.get(id) ?? [])
  })

  return {
    readAll,
    readFirst,

    /** Lists connections by provider, then by age, oldest first. */
    list: (profile: ProfileHandle, provider?: ProviderName) =>
      readAll(
        provider === undefined
          ? sql`WHERE profile = ${profile} ORDER BY provider, created_at, rowid`
          : sql`WHERE profile = ${profile} AND provider = ${provider} ORDER BY created_at, rowid`,
        `${profile} ${provider ?? ""}`
      ),

    find: ({ name, profile, provider }: ConnectionPlace) =>
      readFirst(sql`WHERE profile = ${profile} AND provider = ${provider} AND name = ${name}`),

    /** Finds a connection in any profile. */
    findRecord: (recordId: string) => readFirst(sql`WHERE record_id = ${recordId}`),

    /** Lists the OAuth connections of all profiles. */
    listOAuth: readAll(sql`WHERE auth_type = 'oauth2' ORDER BY profile, provider, created_at, rowid`)
  }
})
type Reads = Effect.Success<ReturnType<typeof makeReads>>

const defaultsIn = (sql: SqlClient.SqlClient, manifest: StoreManifest["Service"]) => ({
  /** Returns the names of the default connections, by provider. */
  defaults: Effect.fnUntraced(function*(profile: ProfileHandle) {
    yield* manifest.verified("rows")
    const found = yield* defaultRows(sql`SELECT provider, name FROM provider_defaults WHERE profile = ${profile}`)
    return new Map(found.map(({ name, provider }) => [provider, name]))
  }),

  setDefault: Effect.fnUntraced(function*({ name, profile, provider }: ConnectionPlace) {
    yield* StoreTransaction
    yield* sql`INSERT INTO provider_defaults ${sql.insert({ profile, provider, name })}
        ON CONFLICT (profile, provider) DO UPDATE SET name = excluded.name`
  }),

  /** If the default connection was deleted, makes the oldest remaining connection the default and returns its name. */
  inheritDefault: Effect.fnUntraced(function*(profile: ProfileHandle, provider: ProviderName) {
    yield* StoreTransaction
    const [gone] = yield* sql`SELECT name FROM provider_defaults AS d
          WHERE profile = ${profile} AND provider = ${provider} AND NOT EXISTS (
            SELECT 1 FROM connections AS c WHERE c.profile = d.profile AND c.provider = d.provider AND c.name = d.name
          )`
    if (gone === undefined) return null
    const [oldest] = yield* names(sql`SELECT name FROM connections
          WHERE profile = ${profile} AND provider = ${provider} ORDER BY created_at, rowid LIMIT 1`)
    yield* oldest === undefined
      ? sql`DELETE FROM provider_defaults WHERE profile = ${profile} AND provider = ${provider}`
      : sql`UPDATE provider_defaults SET name = ${oldest.name}
            WHERE profile = ${profile} AND provider = ${provider}`
    return oldest?.name ?? null
  })
})

const grantsIn = (sql: SqlClient.SqlClient, manifest: StoreManifest["Service"]) => ({
  /** Lists the grants that a profile has given and received. */
  grants: (profile: ProfileHandle) =>
    manifest.verified("rows").pipe(
      Effect.andThen(grantRows(
        sql`SELECT c.provider, c.name AS connection, c.profile AS owner, g.profile AS grantee, g.created_at
          FROM connections AS c, connection_grants AS g
          WHERE g.record_id = c.record_id AND (c.profile = ${profile} OR g.profile = ${profile})
          ORDER BY c.provider, c.name, g.profile`
      )),
      Effect.map((found) => found.map(({ created_at: createdAt, ...grant }) => ({ ...grant, createdAt })))
    ),

  /** Grants the use of a connection to a profile. Returns the time of the grant. */
  grant: Effect.fnUntraced(function*({ row }: StoredConnection, grantee: ProfileHandle) {
    yield* StoreTransaction
    const now = yield* DateTime.now
    yield* sql`INSERT INTO connection_grants ${
      sql.insert({ record_id: row.record_id, profile: grantee, created_at: DateTime.formatIso(now) })
    }`
    return now
  }),

  /** Withdraws a grant. Returns false if it does not exist. */
  withdraw: Effect.fnUntraced(function*({ row }: StoredConnection, grantee: ProfileHandle) {
    yield* StoreTransaction
    const ended = yield* sql`DELETE FROM connection_grants
        WHERE record_id = ${row.record_id} AND profile = ${grantee} RETURNING record_id`
    return ended.length > 0
  })
})

/** The functions that find the connections that a profile may use: its own, and granted ones. */
const usableIn = (
  sql: SqlClient.SqlClient,
  manifest: StoreManifest["Service"],
  { defaults, find, list, readAll, readFirst }: Reads & Pick<ReturnType<typeof defaultsIn>, "defaults">
) => {
  // Connections that were used, each with the verified state of its tables. Their secrets are sealed.
  const used = new Map<string, { readonly state: string; readonly stored: StoredConnection }>()
  const stateOfTables = () => `${manifest.revisionOf("connections")} ${manifest.revisionOf("connection_grants")}`

  const isGranted = (profile: ProfileHandle) =>
    sql`record_id IN (SELECT record_id FROM connection_grants WHERE profile = ${profile})`

  const grantedAt = (profile: ProfileHandle) =>
    sql`(SELECT created_at FROM connection_grants AS g
      WHERE g.record_id = connections.record_id AND g.profile = ${profile})`

  const readUsable = Effect.fnUntraced(function*(place: ConnectionPlace) {
    const own = yield* find(place)
    if (own !== undefined) return own
    const { name, profile, provider } = place
    return yield* readFirst(sql`WHERE ${isGranted(profile)} AND provider = ${provider} AND name = ${name}
      ORDER BY ${grantedAt(profile)} LIMIT 1`)
  })

  /** Lists granted connections. The first of each provider is used by default, so those named `default` come first. */
  const granted = (profile: ProfileHandle) =>
    readAll(
      sql`WHERE ${isGranted(profile)}
      ORDER BY provider, CASE WHEN name = ${defaultConnectionName} THEN 0 ELSE 1 END, ${grantedAt(profile)}, name`,
      `granted: ${profile}`
    )

  /**
   * Lists the connections that a profile may use: first its own, then granted ones, without those whose names the
   * profile uses itself.
   */
  const listUsable = Effect.fnUntraced(function*(profile: ProfileHandle, provider?: ProviderName) {
    const own = yield* list(profile, provider)
    const names = yield* defaults(profile)
    const others = (yield* granted(profile)).filter(({ row }) => provider === undefined || row.provider === provider)
    const all = [...own, ...others]
    const lastFirst = all.toReversed()
    // Of the connections with one name, only the first is usable.
    const byName = new Map(lastFirst.map((stored) => [`${stored.row.provider} ${stored.row.name}`, stored]))
    const firstOf = new Map(lastFirst.map((stored) => [stored.row.provider, stored]))
    const usable = new Set(byName.values())
    return all.filter((stored) => usable.has(stored)).map((stored): UsableConnection => {
      const { name, profile: owner, provider } = stored.row
      return { stored, isDefault: owner === profile ? names.get(provider) === name : firstOf.get(provider) === stored }
    })
  })

  /**
   * Returns the name of a profile's default connection for a provider: the chosen connection, or the first granted one
   * if the profile has no own connection.
   */
  const defaultOf = Effect.fnUntraced(function*(profile: ProfileHandle, provider: ProviderName) {
    const chosen = (yield* defaults(profile)).get(provider)
    return chosen ?? (yield* listUsable(profile, provider)).find(({ isDefault }) => isDefault)?.stored.row.name
  })

  return {
    defaultOf,
    listUsable,

    /**
     * Finds a connection that a profile may use. The caller must have verified the store (`StoreManifest.verified`).
     * Results are cached for each verified state.
     */
    findUsable: Effect.fnUntraced(function*(place: ConnectionPlace) {
      // Not cached within a transaction, because its writes may be rolled back.
      if (Option.isSome(yield* Effect.serviceOption(StoreTransaction))) return yield* readUsable(place)
      const state = stateOfTables()
      const key = JSON.stringify([place.profile, place.provider, place.name])
      const known = used.get(key)
      if (known?.state === state) return known.stored
      const stored = yield* readUsable(place)
      if (stored !== undefined) setNewest(used, key, { state, stored }, maxOpened)
      return stored
    })
  }
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const repo = yield* makeRepo
  const { readAll, readFirst, ...reads } = yield* makeReads(repo)
  const { defaults, ...changes } = defaultsIn(sql, manifest)

  return {
    ...reads,
    ...changes,
    defaults,
    ...grantsIn(sql, manifest),
    ...usableIn(sql, manifest, { defaults, readAll, readFirst, ...reads }),

    count: (profile: ProfileHandle) =>
      Effect.map(
        counts(sql`SELECT count(*) AS count FROM connections WHERE profile = ${profile}`),
        ([row]) => row?.count ?? 0
      ),

    openSecrets: ({ row }: StoredConnection) => repo.open(row, "secret"),

    insert: Effect.fnUntraced(function*(place: ConnectionPlace, content: ConnectionContent) {
      const row = { ...place, record_id: randomId(), generation: 1, ...columnsOf(content) }
      const created_at = DateTime.formatIso(yield* DateTime.now)
      yield* repo.insert(row, { sealed: content.metadata, secret: content.secrets }, { created_at })
    }),

    /** Writes the next generation. Returns false if the row has changed since it was read. */
    replace: ({ row: before }: StoredConnection, content: ConnectionContent) => {
      const next = { ...before, generation: before.generation + 1, ...columnsOf(content) }
      return repo.replace(before, next, { sealed: content.metadata, secret: content.secrets })
    },

    remove: Effect.fnUntraced(function*({ row }: StoredConnection) {
      const isRemoved = yield* repo.remove(row)
      if (isRemoved) yield* sql`DELETE FROM connection_grants WHERE record_id = ${row.record_id}`
    }),

    /** Lists the names of a provider's connections in all profiles. */
    ofProvider: (provider: ProviderName) =>
      places(sql`SELECT profile, name FROM connections WHERE provider = ${provider} ORDER BY profile, name`),

    /** Deletes connections, defaults and client credentials of a provider, in all profiles. */
    removeProvider: Effect.fnUntraced(function*(provider: ProviderName) {
      yield* StoreTransaction
      yield* sql`DELETE FROM connection_grants
        WHERE record_id IN (SELECT record_id FROM connections WHERE provider = ${provider})`
      for (const table of ["connections", "provider_defaults", "client_credentials"]) {
        yield* sql`DELETE FROM ${sql(table)} WHERE provider = ${provider}`
      }
    })
  }
})

export class ConnectionRepo
  extends Context.Service<ConnectionRepo, Effect.Success<typeof make>>()("credsvc/connections/ConnectionRepo")
{
  static readonly layerNoDeps = Layer.effect(ConnectionRepo, make)
}
