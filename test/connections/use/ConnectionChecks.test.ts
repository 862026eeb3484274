import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { AuditLog } from "../../../src/audit/AuditLog.ts"
import { objections } from "../../../src/conformance/FakeProviderApi.ts"
import { Connections } from "../../../src/connections/Connections.ts"
import { ConnectionChecks } from "../../../src/connections/use/ConnectionChecks.ts"
import type { ProviderDefinition } from "../../../src/domain/definition/Provider.ts"
import {
  credentialFields,
  definedBaseUrl,
  lookupFields,
  mainField
} from "../../../src/domain/definition/ProviderFields.ts"
import { hostFor } from "../../../src/domain/definition/ProviderHosts.ts"
import type { OAuthHttp } from "../../../src/oauth/OAuthHttp.ts"
import { ApiHttp, type ApiRequest, ApiUnreachableError } from "../../../src/outbound/ApiHttp.ts"
import { readJsonFiles } from "../../../src/platform/files/PackageFiles.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { BundledProviders, decodeFiles } from "../../../src/providers/BundledProviders.ts"
import { ProviderRegistry } from "../../../src/providers/ProviderRegistry.ts"
import { acme, keyDocument, main, oauthDocument, work } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { FakeIssuer } from "../../support/FakeIssuer.ts"
import { noNetwork } from "../../support/FakeOAuthHttp.ts"
import { binding } from "../../support/OAuthConnections.ts"
import { programTimeout } from "../../support/ProgramTimeout.ts"
import { define, services, withHome } from "../../support/Services.ts"
import { storeOf, type StoreOptions, type Values } from "../../support/StoredConnections.ts"
import { type Returned, settle, toEffect } from "../../support/TestBody.ts"

const apiDown = new ApiUnreachableError({ detail: "api.acme.example could not be reached (ECONNREFUSED)" })

/** The value of a header that occurs once. */
const headerOf = ({ headers }: ApiRequest, name: string): string | undefined => {
  const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]!.toLowerCase() === name)
  return values.length === 1 ? values[0] : undefined
}

/** An API without a network, which records requests and responds with given statuses or bodies. */
class FakeApi {
  readonly seen: Array<ApiRequest> = []
  answer: (request: ApiRequest) => Effect.Effect<number, ApiUnreachableError> = () => Effect.succeed(200)
  body = ""

  readonly layer = Layer.succeed(ApiHttp, {
    send: (request, { readsBody }) =>
      Effect.suspend(() => {
        this.seen.push(request)
        return Effect.map(this.answer(request), (status) => ({ status, body: readsBody ? this.body : "" }))
      })
  })
}

const checkable = (changes: Readonly<Record<string, unknown>> = {}) =>
  keyDocument({
    display_name: "Acme",
    api_url: "https://api.acme.example/v1",
    test_request: { path: "/v1/me?limit=1" },
    ...changes
  })

const setUp = Effect.gen(function*() {
  const checks = yield* ConnectionChecks
  const connections = yield* Connections
  const audit = yield* AuditLog
  const registry = yield* ProviderRegistry
  const profiles = yield* Profiles
  const profile = yield* profiles.active
  const store = yield* storeOf(profile)
  const uses = Effect.map(audit.list({ limit: 99 }), (entries) => entries.filter(({ event }) => event === "resolve"))
  return {
    connections,
    registry,
    profile,
    save: (values: Values, options: StoreOptions = {}) => store(values, { force: true, ...options }),
    uses,
    check: (connection = main, provider = acme, of = profile) => checks.check(of, provider, connection),
    team: profiles.ensure("team"),
    record: connections.get(profile, acme, main, { reveal: false }),
    resolve: (rejected?: DateTime.Utc) =>
      connections.resolve(profile, {
        host: "api.acme.example",
        path: "/v1/models",
        provider: acme,
        connection: main,
        ...(rejected === undefined ? {} : { rejected })
      }, { run: Option.some("run-of-the-test-1") })
  }
})

type Context = Effect.Success<typeof setUp>

const started = <A>(
  home: string,
  api: FakeApi,
  body: (context: Context) => Returned<A>,
  issuer: Layer.Layer<OAuthHttp> = noNetwork
) =>
  Effect.provide(
    Effect.flatMap(setUp, (context) => toEffect(body(context))),
    ConnectionChecks.layerNoDeps.pipe(
      Layer.provide(api.layer),
      Layer.provideMerge(services(home, BundledProviders.layer, issuer))
    ),
    { local: true }
  )

/** A provider with this definition, and an upstream that records its requests. */
const withApi = <A>(
  document: { readonly name: string },
  body: (context: Context, api: FakeApi) => Returned<A>,
  issuer?: Layer.Layer<OAuthHttp>
) =>
  withHome((home) => {
    const api = new FakeApi()
    return started(home, api, (context) => body(context, api), issuer)
  }, document)

/** A JSON document with this value where the pointer leads. */
const bodyWith = (pointer: string, value: unknown): string =>
  JSON.stringify(pointer.split("/").slice(1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value))

describe("ConnectionChecks", () => {
  it.effect("sends the test request with the credential and audits the use once", () =>
    withApi(checkable(), function*({ check, save, uses }, api) {
      yield* save({ api_key: "key-1" })
      assert.deepInclude(yield* check(), {
        provider: acme,
        connection: main,
        outcome: "works",
        httpStatus: 200,
        message: "Acme accepts the credential."
      })
      const [request] = api.seen
      assert.lengthOf(api.seen, 1)
      assert.deepInclude(request, { method: "GET", path: "/v1/me?limit=1", body: undefined })
      assert.deepInclude(request!.authority, { host: "api.acme.example", port: 443 })
      assert.strictEqual(headerOf(request!, "host"), "api.acme.example")
      assert.strictEqual(headerOf(request!, "authorization"), "Bearer key-1")
      assert.match(headerOf(request!, "user-agent")!, /^credsvc\//)
      assert.lengthOf(yield* uses, 1)
    }))

  it.effect("sends no other request than that of the definition at the login", () =>
    withHome((home) => {
      const api = new FakeApi()
      return started(home, api, function*({ check, connections, profile, registry, save }) {
        yield* save({ api_key: "key-1" })
        yield* failsWith(check(work), "ConnectionNotFoundError")
        yield* define(home, checkable({ test_request: { method: "POST", path: "/v1/keys", body: "{}" } }))
        const error = yield* failsWith(check(), "CredentialMissingError")
        assert.include(error.message, "The definition of acme has changed since this login")
        assert.lengthOf(api.seen, 0)
        const { definition: checked } = yield* registry.get(acme)
        yield* define(home, checkable())
        assert.strictEqual((yield* check()).outcome, "works")
        const request = { host: "api.acme.example", provider: acme, connection: main }
        const late = yield* failsWith(
          connections.resolve(profile, request, { run: Option.none(), checked }),
          "CredentialMissingError"
        )
        assert.include(late.message, "The definition of acme changed during the check.")
      })
    }, checkable()))

  it.effect("tests a connection that only contained runs may use", () =>
    withApi(checkable(), function*({ check, save }) {
      yield* save({ api_key: "key-1" }, { containedOnly: true })
      assert.strictEqual((yield* check()).outcome, "works")
    }))

  it.effect("sends the body of a POST to the tenant's own host", () =>
    withApi(
      checkable({
        api_url: "{base_url}/api",
        api_key: { query_param: "key", base_url: "https://{tenant}.acme.example" },
        test_request: { method: "POST", path: "/api/graphql", body: "{\"query\":\"{ é }\"}", expect: 201 }
      }),
      function*({ check, save }, api) {
        yield* save({ api_key: "key-1" }, { baseUrl: "https://one.acme.example" })
        api.answer = () => Effect.succeed(201)
        assert.strictEqual((yield* check()).outcome, "works")
        const [request] = api.seen
        assert.deepInclude(request, { method: "POST", path: "/api/graphql?key=key-1" })
        assert.strictEqual(request!.authority.host, "one.acme.example")
        assert.strictEqual(headerOf(request!, "content-type"), "application/json")
        assert.strictEqual(headerOf(request!, "content-length"), "18")
      }
    ))

  it.effect("sends the test request to a self-hosted server below the path of its base URL", () =>
    withApi(
      checkable({ api_url: "{base_url}/api", test_request: { method: "GET", path: "/api/me" } }),
      function*({ check, save }, api) {
        yield* save({ api_key: "key-1" }, { baseUrl: "https://acme.example/wiki" })
        assert.strictEqual((yield* check()).outcome, "works")
        assert.strictEqual(api.seen[0]!.path, "/wiki/api/me")
      }
    ))

  it.effect.each([
    { expect: { json: "/ok", equals: true }, body: "{\"ok\":true}", works: true },
    { expect: { json: "/ok", equals: true }, body: "{\"ok\":false,\"error\":\"invalid_auth\"}", works: false },
    { expect: { json: "/code", equals: 0 }, body: "{\"code\":0}", works: true },
    { expect: { json: "/code", equals: 0 }, body: "{\"code\":40105}", works: false },
    { expect: { json: "/data/viewer/id" }, body: "{\"data\":{\"viewer\":{\"id\":\"7\"}}}", works: true },
    { expect: { json: "/data/viewer/id" }, body: "{\"data\":{\"viewer\":null},\"errors\":[{}]}", works: false },
    { expect: { json: "/data/viewer/id" }, body: "<html>Log in</html>", works: false },
    { expect: 200, body: "{\"ok\":false}", works: true }
  ])(
    "reads $body as the response to a valid credential: $works",
    ({ body, expect, works }) =>
      withApi(checkable({ test_request: { path: "/v1/me", expect } }), function*({ check, record, save }, api) {
        const before = yield* save({ api_key: "key-1" })
        api.body = body
        const checked = yield* check()
        assert.deepInclude(checked, { outcome: works ? "works" : "refused", httpStatus: 200 })
        const lack = /the response body lacks \/(?:ok with the value true|code with the value 0|data)/
        if (!works) assert.match(checked.message, lack)
        assert.deepStrictEqual(yield* record, before)
      })
  )

  const regions = ["us", "eu", "asia"].map((name) => ({ name, base_url: `https://${name}.acme.example` }))

  it.effect.each([
    { baseUrl: null, accepts: "us", asked: "us", outcome: "works" },
    { baseUrl: null, accepts: "eu", asked: "us eu", outcome: "works" },
    { baseUrl: null, accepts: "none", asked: "us eu asia us", outcome: "refused" },
    { baseUrl: "https://eu.acme.example", accepts: "eu", asked: "eu", outcome: "works" },
    { baseUrl: "https://eu.acme.example", accepts: "us", asked: "eu", outcome: "refused" }
  ])(
    "tests a key of the region $accepts, with the base URL $baseUrl, in the regions $asked: $outcome",
    ({ accepts, asked, baseUrl, outcome }) =>
      withApi(checkable({ api_url: "{base_url}/v1", regions }), function*({ check, record, save, uses }, api) {
        yield* save({ api_key: "key-1" }, { baseUrl })
        api.answer = ({ authority: { host } }) => Effect.succeed(host.startsWith(accepts) ? 200 : 401)
        const checked = yield* check()
        assert.strictEqual(checked.outcome, outcome)
        assert.strictEqual(api.seen.map(({ authority: { host } }) => host.split(".")[0]).join(" "), asked)
        assert.strictEqual((yield* record).status, outcome === "works" ? "connected" : "invalid")
        if (outcome === "works") assert.include(checked.message, `in the region ${accepts}.`)
        assert.lengthOf(yield* uses, 1)
      })
  )

  it.effect("leaves the other regions to other connections, and tells clients which region to call", () =>
    withApi(
      checkable({
        api_url: "{base_url}/v1",
        regions,
        export: { env: { region: "ACME_REGION" }, base_urls: { ACME_BASE_URL: "{base_url}/v1" } }
      }),
      function*({ connections, profile, save }) {
        yield* save({ api_key: "key-1" })
        const open = yield* connections.routes(profile)
        assert.deepStrictEqual(open.placeholders.map(({ variable }) => variable), ["ACME_API_KEY"])
        yield* save({ api_key: "key-1" }, { baseUrl: "https://us.acme.example" })
        yield* save({ api_key: "key-2" }, { baseUrl: "https://eu.acme.example", connection: work })
        const { baseUrls, placeholders, routes } = yield* connections.routes(profile)
        const own = (values: ReadonlyArray<{ readonly provider: string }>) =>
          values.filter(({ provider }) => provider === acme)
        assert.deepStrictEqual<unknown>(
          own(routes),
          [["us", main], ["eu", work]].map(([region, connection]) => ({
            host: `${region}.acme.example`,
            pathPrefix: null,
            provider: acme,
            connection,
            connected: true,
            precedence: "custom"
          }))
        )
        const values = { ACME_REGION: "us", ACME_BASE_URL: "https://us.acme.example/v1" }
        for (const [variable, value] of Object.entries(values)) {
          assert.strictEqual(placeholders.find((each) => each.variable === variable)?.value, value)
        }
        assert.deepStrictEqual(baseUrls.map(({ value }) => value), ["https://us.acme.example/v1"])
      }
    ))

  const scoped = { status: 403, json: "/code", equals: "scope" }

  it.effect.each([
    { limited: 403, status: 403, body: "", outcome: "limited" },
    { limited: 401, status: 401, body: "", outcome: "limited" },
    { limited: scoped, status: 403, body: "{\"code\":\"scope\"}", outcome: "limited" },
    { limited: scoped, status: 403, body: "{\"code\":\"key\"}", outcome: "refused" },
    { limited: 403, status: 401, body: "", outcome: "refused" },
    { limited: 403, status: 200, body: "", outcome: "works" }
  ])(
    "reports $status with $body as $outcome if a key without the permission gets $limited",
    ({ body, limited, outcome, status }) =>
      withApi(checkable({ test_request: { path: "/v1/me", limited } }), function*({ check, record, save }, api) {
        yield* save({ api_key: "key-1" })
        api.answer = () => Effect.succeed(status)
        api.body = body
        const checked = yield* check()
        assert.deepStrictEqual<unknown>([checked.outcome, checked.httpStatus], [outcome, status])
        assert.strictEqual((yield* record).status, status === 401 && outcome === "refused" ? "invalid" : "connected")
      })
  )

  it.effect("sends the fields of a connection that another profile has granted, and clears an earlier rejection", () =>
    withApi(
      checkable({
        api_key: { fields: [{ name: "account", secret: false }, { name: "token" }], header_name: "X-Token" },
        test_request: { path: "/v1/accounts/{account}" }
      }),
      function*({ check, connections, profile, record, save, team }, api) {
        yield* save({ account: "a/1", token: "secret" })
        const grantee = yield* team
        yield* connections.grant(profile, { provider: acme, grantee })
        api.answer = () => Effect.succeed(401)
        yield* check()
        assert.strictEqual((yield* record).status, "invalid")
        api.answer = () => Effect.succeed(200)
        const checked = yield* check(main, acme, grantee)
        assert.deepStrictEqual([checked.outcome, api.seen.at(-1)!.path], ["works", "/v1/accounts/a%2F1"])
        assert.strictEqual((yield* record).status, "connected")
      }
    ))

  it.effect("marks a key as invalid after a 401 and keeps sending it", () =>
    withApi(checkable(), function*({ check, connections, profile, record, resolve, save }, api) {
      yield* save({ api_key: "key-1" })
      api.answer = () => Effect.succeed(401)
      yield* TestClock.adjust("1 hour")
      const now = yield* DateTime.now
      const checked = yield* check()
      assert.deepInclude(checked, { outcome: "refused", httpStatus: 401, checkedAt: now })
      assert.include(checked.message, "Log in again with: credsvc login acme --force")
      assert.lengthOf(api.seen, 1, "the same key is not sent again")
      const marked = yield* record
      assert.deepInclude(marked, { status: "invalid", refusedAt: now })
      assert.include(marked.lastRefreshError!, DateTime.formatIso(now))
      assert.deepInclude((yield* connections.list(profile))[0], { status: "invalid" })
      assert.lengthOf((yield* connections.selfTest(profile)).warnings, 1)
      const { headers } = yield* resolve()
      assert.strictEqual(Redacted.value(headers["Authorization"]!), "Bearer key-1")
      assert.isTrue((yield* connections.routes(profile)).routes.find(({ provider }) => provider === acme)!.connected)
    }))

  it.effect("clears the mark when a later check succeeds or a new login replaces the key", () =>
    withApi(checkable(), function*({ check, record, save }, api) {
      yield* save({ api_key: "key-1" })
      api.answer = () => Effect.succeed(401)
      yield* check()
      api.answer = () => Effect.succeed(500)
      yield* check()
      assert.strictEqual((yield* record).status, "invalid")
      api.answer = () => Effect.succeed(200)
      yield* check()
      assert.deepInclude(yield* record, { status: "connected", refusedAt: null, lastRefreshError: null })
      api.answer = () => Effect.succeed(401)
      yield* check()
      yield* save({ api_key: "key-2" })
      assert.deepInclude(yield* record, { status: "connected", refusedAt: null })
    }))

  it.effect("reports statuses other than 200 and 401, and failed requests, without changing the connection", () =>
    withApi(checkable(), function*({ check, record, save }, api) {
      const before = yield* save({ api_key: "key-1" })
      for (const httpStatus of [403, 404, 302, 204, 500]) {
        api.answer = () => Effect.succeed(httpStatus)
        const outcome = httpStatus === 403 ? "refused" : "unexpected"
        assert.deepInclude(yield* check(), { outcome, httpStatus })
      }
      api.answer = () => Effect.fail(apiDown)
      const down = yield* check()
      assert.deepInclude(down, { outcome: "unreachable", httpStatus: null })
      assert.include(down.message, "ECONNREFUSED")
      assert.lengthOf(api.seen, 6)
      assert.deepStrictEqual(yield* record, before)
    }))

  it.effect("sends nothing if the definition has no test request", () =>
    withApi(checkable({ test_request: undefined }), function*({ check, save, uses }, api) {
      yield* save({ api_key: "key-1" })
      assert.deepInclude(yield* check(), { outcome: "not_checked", httpStatus: null })
      assert.lengthOf(api.seen, 0)
      assert.lengthOf(yield* uses, 0)
    }))

  it.effect("sends nothing to a path that the definition does not allow", () =>
    withApi(
      checkable({ hosts: ["api.acme.example/v1"], test_request: { path: "/v2/me" } }),
      function*({ check, save }, api) {
        yield* save({ api_key: "key-1" })
        yield* failsWith(check(), "OperationNotAllowedError")
        assert.lengthOf(api.seen, 0)
      }
    ))

  it.effect("refreshes a token after a 401 and retries once", () => {
    const issuer = new FakeIssuer()
    const login = { refreshToken: Redacted.make("rt-0"), oauth: binding }
    return withApi(
      oauthDocument({ test_request: { path: "/me" } }),
      function*({ check, record, save }, api) {
        yield* save({ access_token: "at-0", client_id: "client-1" }, login)
        api.answer = (request) => Effect.succeed(headerOf(request, "authorization") === "Bearer at-1" ? 200 : 401)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* check()).outcome, "works")
        assert.lengthOf(api.seen, 2)
        api.answer = () => Effect.succeed(401)
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual((yield* check()).outcome, "refused")
        assert.lengthOf(api.seen, 4)
        assert.lengthOf(issuer.refreshes, 2)
        // A mark must not overtake what the refresher writes.
        assert.deepInclude(yield* record, { status: "connected", refusedAt: null })
      },
      issuer.layer
    )
  })

  it.effect("marks a token that cannot be refreshed as invalid", () =>
    withApi(oauthDocument({ test_request: { path: "/me" } }), function*({ check, record, save }, api) {
      yield* save({ access_token: "at-0", client_id: "client-1" }, { oauth: binding })
      api.answer = () => Effect.succeed(401)
      assert.strictEqual((yield* check()).outcome, "refused")
      assert.strictEqual((yield* record).status, "invalid")
    }))

  it.effect("marks a key that has replaced the checked key during the check, if the provider rejects both", () =>
    withApi(checkable(), function*({ check, record, save }, api) {
      yield* save({ api_key: "key-1" })
      api.answer = (request) =>
        Effect.gen(function*() {
          if (headerOf(request, "authorization") === "Bearer key-2") return 401
          yield* TestClock.adjust("1 second")
          yield* Effect.orDie(save({ api_key: "key-2" }))
          return 401
        })
      assert.strictEqual((yield* check()).outcome, "refused")
      assert.lengthOf(api.seen, 2)
      assert.strictEqual((yield* record).status, "invalid")
    }))

  it.effect("runs at most four checks at a time", () =>
    withApi(checkable(), function*({ check, save }, api) {
      yield* save({ api_key: "key-1" })
      const arrived = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      api.answer = () =>
        Effect.gen(function*() {
          if (api.seen.length === 4) yield* Deferred.succeed(arrived, undefined)
          yield* Deferred.await(release)
          return 200
        })
      const all = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 6 }, () => check()), { concurrency: "unbounded" })
      )
      yield* Deferred.await(arrived)
      yield* settle
      assert.lengthOf(api.seen, 4)
      yield* Deferred.succeed(release, undefined)
      assert.lengthOf(yield* Fiber.join(all), 6)
      assert.lengthOf(api.seen, 6)
    }))
})

describe("ConnectionChecks with the bundled definitions", () => {
  const { definitions } = decodeFiles(readJsonFiles(new URL("../../../providers/", import.meta.url)))
  const testable = [...definitions.values()].filter(({ testRequest }) => testRequest !== undefined)

  const tenantOf = (definition: ProviderDefinition): string | null => {
    const defined = definedBaseUrl(definition)?.replaceAll(/\{\w+\}/g, "tenant")
    const inTenant = [definition.apiUrl ?? "", ...definition.hosts].some((place) => place.startsWith("{base_url}"))
    return defined ?? (inTenant ? "https://tenant.example.com" : null)
  }

  it.effect("sends each test request as the provider expects it, to a host of the provider", () =>
    withHome((home) => {
      const api = new FakeApi()
      return started(
        home,
        api,
        function*({ check, save }) {
          assert.isAbove(testable.length, 250)
          for (const definition of testable) {
            const { name: provider } = definition
            const baseUrl = tenantOf(definition)
            const fields = [
              ...(definition.authType === "oauth2" ? ["access_token", "client_id", ...lookupFields(definition)] : []),
              ...credentialFields(definition).map(({ name }) => name)
            ]
            const key = definition.authType === "api_key" ? definition.apiKey.hmac?.key : undefined
            const values = Object.fromEntries(
              fields.map((field) => [field, field === key ? "a2V5" : `value-of-${field}`])
            )
            yield* save(values, { provider, baseUrl })
            const { expect } = definition.testRequest!
            api.answer = () => Effect.succeed(typeof expect === "number" ? expect : expect.status)
            api.body = typeof expect === "number" ? "" : bodyWith(expect.json, expect.equals ?? "id")
            assert.strictEqual((yield* check(main, provider)).outcome, "works", provider)
            const { authority, body = "", headers, method, path } = api.seen.at(-1)!
            const host = authority.port === 443 ? authority.host : `${authority.host}:${authority.port}`
            const url = new URL(`https://${host}${path}`)
            const own = hostFor(definition, baseUrl, { ...authority, path: url.pathname })
            assert.isDefined(own, provider)
            assert.deepStrictEqual(
              objections(definition, own!.entry, { values, main: mainField(definition) }, {
                method,
                url,
                headers: headers.flatMap((name, at) => at % 2 === 0 ? [[name, headers[at + 1]!] as const] : []),
                body
              }),
              [],
              provider
            )
            assert.notMatch(url.href, /[{}]/, provider)
          }
        }
      )
    }), programTimeout)
})

describe("Connections › resolve with a rejected key", () => {
  it.effect("marks the connection as invalid once, and only for the stored key", () =>
    withApi(checkable(), function*({ record, resolve, save }) {
      yield* save({ api_key: "key-1" })
      const { issuedAt, refreshable } = yield* resolve()
      assert.isFalse(refreshable)
      yield* TestClock.adjust("1 minute")
      yield* save({ api_key: "key-2" })
      yield* resolve(issuedAt)
      assert.strictEqual((yield* record).status, "connected")
      const current = yield* resolve()
      const marked = yield* Effect.andThen(resolve(current.issuedAt), record)
      assert.strictEqual(marked.status, "invalid")
      yield* TestClock.adjust("1 minute")
      yield* resolve(current.issuedAt)
      assert.deepStrictEqual(yield* record, marked)
    }))
})
