import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { signingKey } from "../../src/connections/use/SigningKeys.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import type { ExportFormat } from "../../src/domain/wire/ConnectionResults.ts"
import { signatureObjections } from "../support/AwsSignature.ts"
import { failsWith } from "../support/Failures.ts"
import { unreachable } from "../support/FakeIssuer.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { testsIn } from "../support/Fixture.ts"
import { loginContext } from "../support/Logins.ts"
import { contentOf, logins, withHome } from "../support/Services.ts"
import { redacted } from "../support/StoredConnections.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"

const aws = "aws" as ProviderName
const ROLE = "arn:aws:iam::123456789012:role/Deploy"
const SECRET = "CANARY+secret/of+the+user/with+40+letter"
const USER = { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: SECRET }
const ENTERED = { role_arn: ROLE, ...USER, external_id: "ext:1", duration: "1800", region: "eu-central-1" }

/** The keys with this number. */
const keysOf = (count: number) => ({
  access_key_id: `ASIAIOSFODNN7EXAMPL${count}`,
  secret_access_key: `${count}`.padEnd(40, "s"),
  session_token: `session-token-with-equals-signs-${count}==`
})

const issued = (count: number, expiration: string, more = "") => {
  const { access_key_id: id, secret_access_key: secret, session_token: token } = keysOf(count)
  return `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>${more}<Credentials>` +
    `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken>` +
    `<Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
}

const refused = (code: string, message = "Not &lt;now&gt;", status = 403): FakeOAuthHttp.Reply => ({
  status,
  body:
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`
})

/** The time of a request, which its signature covers. */
const timeOf = ({ headers }: FakeOAuthHttp.Sent): number =>
  Date.parse(headers["x-amz-date"]!.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"))

/** A token service that verifies signatures, until a test gives it another behavior. */
const tokenService = () => {
  const state = {
    issued: 0,
    next: undefined as ((request: FakeOAuthHttp.Sent) => FakeOAuthHttp.Outcome) | undefined
  }
  const normal = (request: FakeOAuthHttp.Sent): FakeOAuthHttp.Reply => {
    const [objection] = signatureObjections(USER, {
      method: request.method,
      url: new URL(request.url),
      headers: [
        ["host", new URL(request.url).host],
        ["authorization", request.authorization ?? ""],
        ...Object.entries(request.headers)
      ],
      body: request.body
    })
    if (objection !== undefined) return refused("SignatureDoesNotMatch", objection)
    const expires = timeOf(request) + Number(request.fields["DurationSeconds"]) * 1000
    return { body: issued(++state.issued, new Date(expires).toISOString()) }
  }
  const http = FakeOAuthHttp.make((request) => {
    const { next } = state
    return next === undefined ? normal(request) : next(request)
  })
  return Object.assign(state, { http, normal })
}

type TokenService = ReturnType<typeof tokenService>

const setUp = Effect.gen(function*() {
  const context = yield* loginContext
  const { connections, profile, runner } = context
  const start = runner.start(profile, { provider: aws, flow: "assume_role", force: true })
  const logIn = (entered: Readonly<Record<string, string>> = ENTERED) =>
    Effect.flatMap(start, ({ sessionId }) => runner.resume(sessionId, redacted(entered)))
  const resolve = (rejected?: DateTime.Utc) =>
    context.resolve({
      provider: aws,
      host: "sts.eu-central-1.amazonaws.com",
      ...(rejected === undefined ? {} : { rejected })
    })
  /** The number of the keys that requests are signed with. */
  const key = (rejected?: DateTime.Utc) =>
    Effect.gen(function*() {
      const { signing } = yield* resolve(rejected)
      const count = Number(signing!.accessKeyId.at(-1))
      const scope = { region: "eu-central-1", service: "sts" }
      const expected = signingKey(redacted(keysOf(count)), scope, yield* DateTime.now)
      assert.strictEqual(Redacted.value(signing!.key), Redacted.value(expected.key))
      assert.strictEqual(Redacted.value(signing!.sessionToken!), keysOf(count).session_token)
      return count
    })
  const record = connections.get(profile, aws, "default" as never, { reveal: false })
  return { ...context, key, logIn, record, resolve, start }
})

type Context = Effect.Success<typeof setUp>

const started = <A>(home: string, service: TokenService, body: (context: Context) => Returned<A, Scope.Scope>) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(
    Effect.provide(logins(home, service.http.layer), { local: true })
  )

const inHome = <A>(body: (context: Context, service: TokenService, home: string) => Returned<A, Scope.Scope>) =>
  withHome((home) => {
    const service = tokenService()
    return started(home, service, (context) => body(context, service, home))
  })

const { effect } = testsIn(inHome)

describe("A login that assumes a role", () => {
  effect("requests keys, and sends no secret", function*({ connections, key, logIn, profile, record }, { http }, home) {
    const session = yield* logIn()
    assert.strictEqual(session.status, "completed", session.error?.message)
    const [request, ...others] = http.sent
    assert.lengthOf(others, 0)
    assert.strictEqual(request!.url, "https://sts.eu-central-1.amazonaws.com/")
    assert.deepStrictEqual(request!.fields, {
      Action: "AssumeRole",
      Version: "2011-06-15",
      RoleArn: ROLE,
      RoleSessionName: "credsvc",
      DurationSeconds: "1800",
      ExternalId: "ext:1"
    })
    assert.notInclude(JSON.stringify(http.sent), "CANARY")
    assert.isFalse(contentOf(home).includes("CANARY"))
    assert.strictEqual(yield* key(), 1)
    const { account, expiresAt, flow, status } = yield* record
    assert.deepStrictEqual([flow, status, account.label], ["assume_role", "connected", ROLE])
    assert.strictEqual(DateTime.toEpochMillis(expiresAt!), 1_800_000)
    const { output } = yield* connections.exportCredential(profile, { provider: aws, format: "env" as ExportFormat })
    for (const value of Object.values(keysOf(1))) assert.include(Redacted.value(output), value)
    assert.notInclude(Redacted.value(output), "CANARY")
  })

  effect("names the fields that are missing or wrong", function*({ logIn, start }, { http }) {
    const problems = (entered: Readonly<Record<string, string>>) =>
      Effect.map(
        failsWith(logIn(entered), "InvalidRequestError"),
        ({ problems: found }) => found.map(({ path }) => path).toSorted()
      )
    const { nextAction } = yield* start
    assert.strictEqual(
      nextAction.type === "enter_input" &&
        nextAction.fields.map(({ name, secret }) => name + (secret ? "*" : "")).join(),
      "role_arn,access_key_id,secret_access_key*,external_id*,session_name,duration,region"
    )
    assert.deepStrictEqual(yield* problems({}), ["/data/access_key_id", "/data/role_arn", "/data/secret_access_key"])
    for (const duration of ["899", "43201", "1e4", "0900"]) {
      assert.deepStrictEqual(yield* problems({ ...ENTERED, duration }), ["/data/duration"], duration)
    }
    assert.deepStrictEqual(yield* problems({ ...ENTERED, region: "evil.example/x" }), ["/data/region"])
    assert.deepStrictEqual(yield* problems({ ...ENTERED, role_arn: "arn:aws:iam::1:user/x" }), ["/data/role_arn"])
    assert.deepStrictEqual(yield* problems({ ...ENTERED, session_token: "x" }), ["/data/session_token"])
    const other = ROLE.replace("arn:aws:", "arn:aws-iso:")
    assert.deepStrictEqual(yield* problems({ ...ENTERED, role_arn: other }), ["/data/role_arn"])
    const china = { ...ENTERED, role_arn: ROLE.replace("arn:aws:", "arn:aws-cn:") }
    assert.deepStrictEqual(yield* problems({ ...china, region: "" }), ["/data/region"])
    assert.lengthOf(http.sent, 0)
    yield* logIn({ ...ENTERED, role_arn: ROLE.replace("arn:aws:", "arn:aws-eusc:"), region: "eusc-de-east-1" })
    assert.strictEqual(http.sent[0]!.url, "https://sts.eusc-de-east-1.amazonaws.eu/")
    yield* logIn({ ...ENTERED, region: "" })
    assert.strictEqual(http.sent[1]!.url, "https://sts.us-east-1.amazonaws.com/")
  })

  effect("asks again with the reason if AWS refuses the request", function*({ connections, logIn, profile }, service) {
    service.next = () => refused("AccessDenied", `User may not assume ${SECRET}`)
    const repeated = yield* logIn()
    assert.strictEqual(repeated.status, "waiting_for_user")
    assert.include(repeated.message, "refused the request for the role (AccessDenied).")
    assert.notInclude(JSON.stringify(repeated), "CANARY")
    service.next = () => refused("ValidationError", "1 &lt;error&gt; &amp; more", 400)
    assert.include((yield* logIn()).message, "(ValidationError: 1 <error> & more).")
    assert.lengthOf(yield* connections.list(profile), 0)
  })

  for (
    const [what, reply] of [
      ["a response without keys", { body: "<AssumeRoleResponse/>" }],
      ["an empty token", { body: issued(1, "1970-01-01T01:00:00Z").replace(/(<SessionToken>)[^<]*/, "$1") }],
      ["a placeholder as a key", {
        body: issued(1, "1970-01-01T01:00:00Z").replace(/(<AccessKeyId>)[^<]*/, "$1ASIA-credsvc-proxy-managed")
      }],
      ["a line break in the token", {
        body: issued(1, "1970-01-01T01:00:00Z").replace(/(<SessionToken>[^<]{20})/, "$1\r\nX-Evil: 1")
      }],
      ["an expiry that has passed", { body: issued(1, "1969-12-31T23:00:00Z") }],
      ["a response without an expiry", { body: issued(1, "").replace(/<Expiration>.*<\/Expiration>/, "") }],
      ["JSON", { body: { Credentials: keysOf(1) } }],
      ["a redirect", { status: 307, headers: { location: "https://evil.example/" } }],
      ["a server error", { status: 503, body: "<html>" }],
      ["an unreadable refusal", { status: 403, body: "<html>" }],
      ["throttling", refused("Throttling", "Rate exceeded", 400)],
      ["a failed connection", unreachable]
    ] as ReadonlyArray<readonly [string, FakeOAuthHttp.Outcome]>
  ) {
    effect(`fails after ${what} and repeats no secret`, function*({ connections, logIn, profile }, service) {
      service.next = () => reply
      const error = yield* Effect.flip(logIn())
      assert.match(error._tag, /^(?:AuthenticationFailedError|EndpointUnreachableError)$/)
      assert.notInclude(`${error.message}${JSON.stringify(error)}`, "CANARY")
      assert.lengthOf(yield* connections.list(profile), 0)
    })
  }
})

describe("A connection that assumes a role", () => {
  effect(
    "requests new keys once, before the current ones expire",
    function*({ events, key, logIn, resolve }, { http }, home) {
      yield* logIn()
      assert.isTrue((yield* resolve()).refreshable)
      yield* TestClock.adjust("40 minutes")
      const numbers = yield* Effect.all(Array.from({ length: 100 }, () => key()), { concurrency: "unbounded" })
      assert.deepStrictEqual(new Set(numbers), new Set([2]))
      assert.lengthOf(http.sent, 2)
      assert.include(yield* events, "refresh ok")
      assert.isFalse(contentOf(home).includes("CANARY"))
      yield* TestClock.adjust("27 minutes")
      assert.strictEqual(yield* key(), 2)
    }
  )

  effect("replaces keys that AWS rejected", function*({ key, logIn, resolve }) {
    yield* logIn()
    const { issuedAt } = yield* resolve()
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* key(issuedAt), 2)
  })

  effect("keeps the user's keys while AWS denies access", function*({ key, logIn, record }, service) {
    yield* logIn()
    yield* TestClock.adjust("1 hour")
    service.next = () => refused("AccessDenied", `No ${SECRET}`)
    yield* failsWith(key(), "RefreshFailedError")
    const { lastRefreshError, status } = yield* record
    assert.strictEqual(status, "connected")
    assert.include(lastRefreshError, "AccessDenied")
    assert.notInclude(lastRefreshError, "CANARY")
    service.next = undefined
    yield* TestClock.adjust("1 hour")
    assert.isAtLeast(yield* key(), 2)
    assert.isNull((yield* record).lastRefreshError)
  })

  effect("becomes invalid once the keys of the user no longer exist", function*({ key, logIn, record }, service) {
    yield* logIn()
    yield* TestClock.adjust("1 hour")
    service.next = () => refused("InvalidClientTokenId", "The security token is invalid.")
    yield* failsWith(key(), "CredentialMissingError")
    const { lastRefreshError, status } = yield* record
    assert.strictEqual(status, "invalid")
    assert.include(lastRefreshError, "Log in again with: credsvc login aws --force")
  })
})
