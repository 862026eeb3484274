/**
 * Manages sandboxes: sealed rows with a token, limits, and a certificate authority with the same lifetime.
 *
 * Only a proxy uses the authority and the digest of the token. The token itself is stored because a new container needs
 * it, too; reading it is audited.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { AuditLog } from "../audit/AuditLog.ts"
import * as CertificateAuthority from "../certificates/CertificateAuthority.ts"
import { Connections } from "../connections/Connections.ts"
import { patternSuffix, withoutPort } from "../domain/definition/HostPattern.ts"
import { ConnectionNotFoundError, InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import { joinRules } from "../domain/rules/RuleSet.ts"
import type { AuditEvent } from "../domain/wire/AuditEntry.ts"
import { defaultConnectionName } from "../domain/wire/Names.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import type { SandboxKey } from "../domain/wire/Run.ts"
import type { NewSandbox, SandboxName } from "../domain/wire/Sandbox.ts"
import { builtins } from "../platform/builtins.ts"
import { randomId, sha256 } from "../platform/Digest.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import {
  type Content,
  isExpired,
  makeSandboxRepo,
  type Row,
  type Stored,
  toAccess,
  toSandbox,
  toServed
} from "./SandboxRows.ts"

const TOKEN_BYTES = 32

/** The maximum number of sandboxes of one profile, so that a caller on another machine cannot fill the store. */
const maxSandboxes = 1000

const newToken = () => Redacted.make(builtins.crypto.randomBytes(TOKEN_BYTES).toString("base64url"))

const unknownSandbox = (name: SandboxName) =>
  OperationNotAllowedError.of(`Unknown sandbox "${name}". List the sandboxes with: credsvc sandbox list`)

/** Checks the request, and returns the names that the certificate authority may certify: the hosts of the providers. */
const certifiedNames = Effect.fnUntraced(function*(
  connections: Connections["Service"],
  profile: ProfileHandle,
  request: NewSandbox
) {
  const { routes } = yield* connections.routes(profile)
  for (const provider of request.providers) {
    if (routes.some((route) => route.provider === provider)) continue
    // Some providers have routes only with a connection. The next line fails if the provider is unknown.
    yield* connections.list(profile, provider)
    return yield* ConnectionNotFoundError.of(provider, defaultConnectionName)
  }
  for (const [provider, name] of Object.entries(request.connections ?? {})) {
    const owner = request.providers.find((each) => each === provider)
    if (owner === undefined) {
      return yield* InvalidRequestError.at(
        `/connections/${provider}`,
        `${provider} is not one of the providers of the sandbox`
      )
    }
    if (!(yield* connections.exists(profile, owner, name))) return yield* ConnectionNotFoundError.of(owner, name)
  }
  const hosts = routes.filter((route) => request.providers.includes(route.provider)).map((route) => route.host)
  return [...new Set(hosts.map((host) => patternSuffix(withoutPort(host))))]
})

const storedAuthority = (names: ReadonlyArray<string>, created: DateTime.Utc, expires: DateTime.Utc) => {
  const { keyPem, ...authority } = CertificateAuthority.createStored(names, {
    created: created.epochMilliseconds,
    expires: expires.epochMilliseconds
  })
  return { ...authority, keyPem: Redacted.make(keyPem) }
}

const newContent = (request: NewSandbox, authority: Content["authority"]): Content => ({
  providers: [...new Set(request.providers)],
  connections: request.connections ?? {},
  unmatched: request.unmatched ?? "allow",
  rules: joinRules(request.rules ?? [], []),
  strict: request.strict ?? false,
  rotatedAt: null,
  frozenAt: null,
  token: newToken(),
  authority
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const repo = yield* makeSandboxRepo
  const audit = yield* AuditLog
  const connections = yield* Connections

  const record = (event: AuditEvent, identity: ProfileHandle, connection: SandboxName) =>
    audit.append({ event, connection, identity, status: "ok" })

  const open = (row: Row) => Effect.map(repo.open(row, "sealed"), (content): Stored => ({ row, content }))

  const rowNamed = (name: SandboxName) => repo.row(sql`WHERE name = ${name}`)

  const requireRow = Effect.fnUntraced(function*(profile: ProfileHandle, name: SandboxName) {
    const row = yield* rowNamed(name)
    return row?.profile === profile ? row : yield* unknownSandbox(name)
  })

  const requireActiveRow = Effect.fnUntraced(function*(profile: ProfileHandle, name: SandboxName, now: DateTime.Utc) {
    const row = yield* requireRow(profile, name)
    if (!isExpired(row, now)) return row
    return yield* OperationNotAllowedError.of(
      `The sandbox "${name}" expired at ${DateTime.formatIso(row.expires_at)}. ` +
        `Create it again with: credsvc sandbox create ${name} --provider <name>`
    )
  })

  const deleteExpired = Effect.fnUntraced(function*(now: DateTime.Utc) {
    for (const row of yield* repo.rows(sql``)) {
      if (!isExpired(row, now)) continue
      yield* repo.remove(row)
      yield* record("sandbox-delete", row.profile, row.name)
    }
  })

  /** Lists the sandboxes of a profile by name, including expired ones. */
  const list = Effect.fn("Sandboxes.list")(function*(profile: ProfileHandle) {
    const now = yield* DateTime.now
    const rows = yield* repo.rows(sql`WHERE profile = ${profile} ORDER BY name`)
    return (yield* Effect.forEach(rows, open)).map((stored) => toSandbox(stored, now))
  })

  /** Creates a sandbox. It replaces an expired one of the same name. Deletes all expired sandboxes. */
  const create = Effect.fn("Sandboxes.create")(function*(profile: ProfileHandle, request: NewSandbox) {
    const names = yield* certifiedNames(connections, profile, request)
    const now = yield* DateTime.now
    const expires = DateTime.add(now, { seconds: request.expiresIn })
    const content = newContent(request, storedAuthority(names, now, expires))
    const row = {
      record_id: randomId(),
      profile,
      name: request.name,
      generation: 1,
      created_at: now,
      expires_at: expires
    }
    yield* manifest.transact(Effect.gen(function*() {
      yield* deleteExpired(now)
      if ((yield* rowNamed(request.name)) !== undefined) {
        return yield* OperationNotAllowedError.of(
          `The sandbox "${request.name}" already exists. Delete it with: credsvc sandbox delete ${request.name}`
        )
      }
      if ((yield* repo.rows(sql`WHERE profile = ${profile}`)).length >= maxSandboxes) {
        return yield* OperationNotAllowedError.of(
          `A profile can have at most ${maxSandboxes} sandboxes. Delete one with: credsvc sandbox delete <name>`
        )
      }
      yield* repo.insert(row, { sealed: content })
      yield* record("sandbox-create", profile, request.name)
    }))
    return toAccess({ row, content }, now)
  })

  /** Returns the token. The audit log records this first. */
  const access = Effect.fn("Sandboxes.access")(function*(profile: ProfileHandle, name: SandboxName) {
    const now = yield* DateTime.now
    const stored = yield* open(yield* requireActiveRow(profile, name, now))
    yield* audit.appendRepeatable({ event: "sandbox-access", connection: name, identity: profile, status: "ok" })
    return toAccess(stored, now)
  })

  /** Replaces the token. */
  const rotate = Effect.fn("Sandboxes.rotate")(function*(profile: ProfileHandle, name: SandboxName) {
    const now = yield* DateTime.now
    return yield* manifest.transact(Effect.gen(function*() {
      const { content: before, row } = yield* open(yield* requireActiveRow(profile, name, now))
      const content = { ...before, token: newToken(), rotatedAt: now, frozenAt: null }
      const next = { ...row, generation: row.generation + 1 }
      yield* repo.replace(row, next, { sealed: content })
      yield* record("sandbox-rotate", profile, name)
      return toAccess({ row: next, content }, now)
    }))
  })

  const remove = Effect.fn("Sandboxes.remove")(function*(profile: ProfileHandle, name: SandboxName) {
    yield* manifest.transact(Effect.gen(function*() {
      yield* repo.remove(yield* requireRow(profile, name))
      yield* record("sandbox-delete", profile, name)
    }))
  })

  /**
   * Returns the data that a proxy needs to serve the active sandboxes of all profiles, or of one profile. Returns
   * undefined if it has not changed since `knownVersion`. The audit log records this for the caller's profile.
   */
  const served = Effect.fn("Sandboxes.served")(function*(
    caller: ProfileHandle,
    knownVersion: string | undefined,
    only?: ProfileHandle
  ) {
    const now = yield* DateTime.now
    const rows = (yield* repo.rows(sql`ORDER BY name`)).filter((row) =>
      !isExpired(row, now) && (only === undefined || row.profile === only)
    )
    const version = sha256(JSON.stringify(rows.map((row) => [row.record_id, row.generation]))).slice(0, 32)
    if (version === knownVersion) return undefined
    const sandboxes = yield* Effect.forEach(rows, open)
    yield* audit.appendRepeatable({ event: "sandbox-access", identity: caller, status: "ok" })
    return { version, sandboxes: sandboxes.map(toServed) }
  })

  /** Finds a sandbox. Returns undefined if it was deleted, or if its token was rotated, which changes the generation. */
  const findCurrent = Effect.fnUntraced(function*(profile: ProfileHandle, { generation, id }: SandboxKey) {
    const row = yield* repo.row(sql`WHERE profile = ${profile} AND record_id = ${id} AND generation = ${generation}`)
    return row === undefined ? undefined : yield* open(row)
  })

  /** Denies credentials to a sandbox of this profile until its token is rotated. */
  const freeze = Effect.fn("Sandboxes.freeze")(function*(profile: ProfileHandle, key: SandboxKey) {
    const now = yield* DateTime.now
    yield* manifest.transact(Effect.gen(function*() {
      const stored = yield* findCurrent(profile, key)
      if (stored === undefined || stored.content.frozenAt !== null) return
      yield* repo.replace(stored.row, stored.row, { sealed: { ...stored.content, frozenAt: now } })
    }))
  })

  /** When a sandbox of this profile was frozen, or null if it is not frozen, or if its token was rotated. */
  const frozenAt = (profile: ProfileHandle, key: SandboxKey) =>
    Effect.map(findCurrent(profile, key), (stored) => stored?.content.frozenAt ?? null)

  return { list, create, access, rotate, remove, served, freeze, frozenAt }
})

export class Sandboxes
  extends Context.Service<Sandboxes, Effect.Success<typeof make>>()("credsvc/sandboxes/Sandboxes")
{
  static readonly layerNoDeps = Layer.effect(Sandboxes, make)
}
