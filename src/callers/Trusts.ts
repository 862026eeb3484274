/** Trusts: which jobs may enroll a key for a short time. `JobTokens` verifies the tokens of the jobs. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { AuditLog } from "../audit/AuditLog.ts"
import { InvalidRequestError, OperationNotAllowedError, type StoreFailure } from "../domain/Errors.ts"
import { type Identity, IdentityName, type JobEnrollment } from "../domain/wire/Identity.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { Job, keyLifetime, type NewTrust, Trust, TrustName } from "../domain/wire/Trust.ts"
import { safeUrl } from "../oauth/ServerValues.ts"
import { thumbprint } from "../platform/Ed25519.ts"
import { Policies } from "../policies/Policies.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import { claimOf, knownIssuers, matches, problemsOf } from "./ClaimPatterns.ts"
import { enrolledKeys, insertIdentity } from "./Identities.ts"
import { JobTokens, longestLifetime, parseToken } from "./JobTokens.ts"

const trustRows = rowsOf(Schema.Struct({ content: Schema.fromJsonString(Trust) }))
const encodeTrust = Schema.encodeSync(Schema.fromJsonString(Trust))
const encodeJob = Schema.encodeSync(Schema.fromJsonString(Job))

const maxTrusts = 256
/** The maximum number of valid keys for each trust. */
const maxKeys = 1000

/** The claims that identify a job to its CI system or cluster. The first of them in a token becomes part of the identity's name. */
const jobClaims = ["run_id", "job_id", "oidc.circleci.com/job-id", "kubernetes.io/pod/uid"]

const invalid = (path: string, message: string) => InvalidRequestError.of([{ path, message }])

/** Whether this is a token's only audience: with several audiences, each of them could forward the token to this daemon. */
const isFor = (audience: string, { aud }: { readonly aud?: unknown }): boolean =>
  Array.isArray(aud) ? aud.length === 1 && aud[0] === audience : aud === audience

/** Describes the claims of a token. Repeats only what its sender knows, and no pattern of a trust. */
const describeClaims = (trusts: ReadonlyArray<Trust>, claims: object): string =>
  ["aud", ...new Set(trusts.flatMap((trust) => Object.keys(trust.claims)))]
    .map((name) =>
      `${name}=${JSON.stringify(name === "aud" ? (claims as { aud?: unknown }).aud : claimOf(claims, name) ?? null)}`
    )
    .join(", ").replaceAll(/[^\u0020-\u007e]/g, "?").slice(0, 1000)

/** The trust that a request describes. `audience` applies if the request has none. */
const trustOf = (request: NewTrust, audience: string, createdAt: DateTime.Utc): Trust => ({
  name: TrustName.make(request.profile.slice(0, 32)),
  audience,
  keys: null,
  providers: null,
  policies: [],
  expiresIn: keyLifetime.standard,
  ...request,
  issuer: Object.hasOwn(knownIssuers, request.issuer) ? knownIssuers[request.issuer]! : request.issuer,
  createdAt
})

/** Fails if the trust would accept the jobs of strangers. */
const requireSafe = Effect.fnUntraced(
  function*(tokens: JobTokens["Service"], { audience, claims, issuer, keys }: Trust) {
    const url = safeUrl(issuer, { allowLoopback: false, publicOnly: false })
    if (url === undefined || url.search !== "") {
      return yield* invalid("/issuer", "expected github, gitlab, buildkite, or an https URL without a query")
    }
    const problems = problemsOf(url, claims)
    if (problems.length > 0) return yield* InvalidRequestError.of(problems)
    if (audience === issuer) {
      return yield* invalid(
        "/audience",
        "must not be the issuer: the trust would accept tokens that are meant for the issuer"
      )
    }
    if (keys !== null && !(yield* tokens.areKeys(keys))) {
      return yield* invalid("/keys", "expected a JWK Set with keys")
    }
  }
)

/** Fails unless the trust can be added to the other trusts. */
const requireCompatible = Effect.fnUntraced(function*(trust: Trust, others: ReadonlyArray<Trust>) {
  if (others.some(({ name }) => name === trust.name)) {
    return yield* OperationNotAllowedError.of(
      `Trust "${trust.name}" already exists. Choose another name with --name, or remove it first.`
    )
  }
  if (others.some(({ issuer, keys }) => issuer === trust.issuer && keys !== trust.keys)) {
    return yield* invalid(
      "/keys",
      "another trust of this issuer uses other keys: use the same keys, or remove that trust"
    )
  }
  if (others.length >= maxTrusts) {
    return yield* OperationNotAllowedError.of(
      `The limit of ${maxTrusts} trusts is reached. Remove one with: credsvc admin trust remove <name>`
    )
  }
})

/** The end of the name of a job's identity: the first of the claims that identify the job, if any. */
const labelOf = (claims: object): string => {
  const ids = jobClaims.map((name) => claimOf(claims, name))
  const id = ids.find((id) => id !== undefined && /^[0-9a-z-]+$/.test(id))
  return id === undefined ? "" : `-${id.slice(0, 22)}`
}

/** Deletes tokens that have expired, and so cannot enroll another key, together with their identities. */
const deleteOld = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, now: DateTime.Utc) {
  const old = sql`expires_at <= ${DateTime.formatIso(DateTime.subtract(now, { seconds: longestLifetime }))}`
  yield* sql`DELETE FROM identities WHERE name IN (SELECT name FROM job_tokens WHERE ${old})`
  yield* sql`DELETE FROM job_tokens WHERE ${old}`
})

/** A key to bind to the profile of the trust that accepts a token. */
interface Binding {
  readonly trust: Trust
  readonly publicKey: string
  readonly tokenHash: string
  /** The end of the name of the job's identity. */
  readonly label: string
}

/** Fails if the token has enrolled a key, or if the trust has as many keys as it may. */
const requireUnused = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, { tokenHash, trust }: Binding, now: DateTime.Utc) {
    const enrollments = yield* sql`SELECT name FROM job_tokens WHERE token_hash = ${tokenHash}`
    if (enrollments.length > 0) return yield* OperationNotAllowedError.of("This token has already enrolled a key.")
    const valid = yield* sql`
      SELECT name FROM job_tokens WHERE trust = ${trust.name} AND expires_at > ${DateTime.formatIso(now)}`
    if (valid.length >= maxKeys) {
      return yield* OperationNotAllowedError.of(
        `This trust has ${maxKeys} valid keys, which is the limit. Try again when some have expired.`
      )
    }
  }
)

/** Stores the identity of a job in place of an earlier one with the same key. */
const insertJob = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, { label, publicKey, tokenHash, trust }: Binding, now: DateTime.Utc) {
    const { expiresIn, name: trustName, policies, profile, providers } = trust
    const job: Job = { trust: trustName, expiresAt: DateTime.add(now, { seconds: expiresIn }), providers, policies }
    const name = IdentityName.make(`${trustName}${label}-${tokenHash.slice(0, 8)}`)
    const keyId = thumbprint(publicKey)
    const identity: Identity = { name, profile, keyId, createdAt: now, disabledAt: null, job }
    yield* sql`DELETE FROM identities WHERE key_id = ${keyId}`
    yield* insertIdentity(sql, identity, publicKey)
    const expires = DateTime.formatIso(job.expiresAt)
    const row = { token_hash: tokenHash, name, trust: trustName, expires_at: expires, job: encodeJob(job) }
    yield* sql`INSERT INTO job_tokens ${sql.insert(row)}`
    return identity
  }
)

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const audit = yield* AuditLog
  const policies = yield* Policies
  const profiles = yield* Profiles
  const tokens = yield* JobTokens

  const trusts = (selection: Fragment) =>
    Effect.map(
      trustRows(sql`SELECT content FROM trusts ${selection} ORDER BY name`),
      (rows) => rows.map(({ content }) => content)
    )
  const trustNamed = (name: TrustName) => Effect.map(trusts(sql`WHERE name = ${name}`), ([trust]) => trust)
  /** Lists all trusts by name. */
  const list = Effect.andThen(manifest.verified("rows"), trusts(sql``))

  /** Creates a trust, with `baseUrl` as its audience if the request has none. Fails if the trust would accept the jobs of strangers. */
  const create = Effect.fn("Trusts.create")(function*(
    administrator: ProfileHandle,
    request: NewTrust,
    baseUrl: string
  ) {
    const trust = trustOf(request, baseUrl, yield* DateTime.now)
    yield* profiles.find(trust.profile)
    yield* policies.ruleSets(trust.profile, trust.policies)
    yield* requireSafe(tokens, trust)
    yield* manifest.transact(Effect.gen(function*() {
      yield* requireCompatible(trust, yield* trusts(sql``))
      yield* sql`INSERT INTO trusts ${
        sql.insert({ name: trust.name, issuer: trust.issuer, content: encodeTrust(trust) })
      }`
      yield* audit.append({ event: "trust-create", connection: trust.name, identity: administrator, status: "ok" })
    }))
    return trust
  })

  /** Removes a trust and the identities of its jobs. Returns the number of removed identities. */
  const remove = Effect.fn("Trusts.remove")(function*(administrator: ProfileHandle, name: TrustName) {
    return yield* manifest.transact(Effect.gen(function*() {
      if ((yield* trustNamed(name)) === undefined) {
        return yield* OperationNotAllowedError.of(
          `Unknown trust "${name}". List the trusts with: credsvc admin trust list`
        )
      }
      const ofTrust = sql`name IN (SELECT name FROM job_tokens WHERE trust = ${name})`
      const identities = yield* sql`DELETE FROM identities WHERE ${ofTrust} RETURNING name`
      yield* sql`DELETE FROM trusts WHERE name = ${name}`
      yield* audit.append({ event: "trust-remove", connection: name, identity: administrator, status: "ok" })
      return identities.length
    }))
  })

  const bindKey = Effect.fnUntraced(function*(binding: Binding) {
    const { publicKey, tokenHash, trust } = binding
    const now = yield* DateTime.now
    const current = yield* trustNamed(trust.name)
    if (current?.createdAt.epochMilliseconds !== trust.createdAt.epochMilliseconds) {
      return yield* OperationNotAllowedError.of(
        "The trust of this token was removed. Ask the administrator of the daemon to create it again."
      )
    }
    yield* deleteOld(sql, now)
    const [enrolled] = yield* enrolledKeys(sql, sql`WHERE key_id = ${thumbprint(publicKey)}`)
    const { disabledAt = null, job: earlier, name: enrolledName } = enrolled?.identity ?? {}
    if (enrolled !== undefined && (earlier?.trust !== trust.name || disabledAt !== null)) {
      return yield* OperationNotAllowedError.of(
        `This key is already enrolled as "${enrolledName}". Use a new home for each job, with CREDSVC_HOME.`
      )
    }
    if (enrolled?.tokenHash === tokenHash && DateTime.isGreaterThan(earlier!.expiresAt, now)) {
      // The caller did not get the response, or the workload has started again.
      return enrolled.identity
    }
    yield* requireUnused(sql, binding, now)
    const identity = yield* insertJob(sql, binding, now)
    const { name, profile } = identity
    yield* audit.append({ event: "identity-enroll", connection: name, identity: profile, status: "ok" })
    return identity
  })

  /**
   * Binds a key to the profile of the trust that accepts the token, and uses up the token. `proof` fails unless the
   * caller has proved that it has the key. It is evaluated only for tokens of trusted issuers.
   */
  const enroll = Effect.fn("Trusts.enroll")(function*<R>(
    { publicKey, token, trust: chosen }: JobEnrollment,
    proof: Effect.Effect<void, StoreFailure, R>
  ) {
    const parsed = yield* parseToken(token)
    yield* manifest.verified("rows")
    const trusting = yield* trusts(sql`WHERE issuer = ${parsed.issuer}`)
    if (trusting.length === 0) {
      return yield* OperationNotAllowedError.of(
        "The token was refused: no trust accepts tokens of its issuer. See: credsvc admin trust list"
      )
    }
    const claims = yield* tokens.verify(parsed, trusting[0]!.keys)
    yield* proof
    const addressed = trusting.filter(({ audience }) => isFor(audience, claims))
    const accepting = addressed.filter(({ claims: patterns, name }) =>
      (chosen === undefined || name === chosen) && matches(claims, patterns)
    )
    const [trust] = accepting
    if (trust === undefined || accepting.length > 1) {
      // Tokens for other services are not recorded: their entries would displace those about tokens for this daemon.
      if (addressed[0] !== undefined) {
        yield* audit.appendRepeatable({ event: "identity-enroll", identity: addressed[0].profile, status: "denied" })
      }
      return yield* OperationNotAllowedError.of(
        trust === undefined
          ? `The token is valid, but no trust accepts its claims: ${describeClaims(trusting, claims)}. ` +
            "The administrator can compare them with: credsvc admin trust list"
          : `Several trusts accept the token. Choose one with --trust: ${accepting.map(({ name }) => name).join(", ")}`
      )
    }
    return yield* manifest.transact(bindKey({ trust, tokenHash: parsed.hash, publicKey, label: labelOf(claims) }))
  })

  return { list, create, remove, enroll }
})

export class Trusts extends Context.Service<Trusts, Effect.Success<typeof make>>()("credsvc/callers/Trusts") {
  static readonly layerNoDeps = Layer.effect(Trusts, make)
}
