import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ChannelResponse } from "../../../src/client/DaemonChannel.ts"
import { DaemonClient } from "../../../src/client/DaemonClient.ts"
import type { DaemonRequest } from "../../../src/client/DaemonConnection.ts"
import { DaemonUnavailableError } from "../../../src/domain/Errors.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import { Resolved } from "../../../src/domain/wire/Resolve.ts"
import { CredentialSource, readResolved } from "../../../src/proxy/routing/CredentialSource.ts"
import * as fc from "../../support/FastCheck.ts"

const RESOLVED = {
  provider: "github",
  connection: "work",
  headers: { Authorization: "Bearer s3cret" },
  query: { key: "k" },
  defaults: { "x-version": "1" },
  secrets: ["s3cret", "k"],
  strip: { headers: ["x-api-key"], query: ["api_key"] },
  expires_at: null,
  issued_at: "2026-01-01T00:00:00.000Z",
  refreshable: true
}
const ROUTES = {
  version: "v7",
  routes: [{ host: "api.github.com", path_prefix: "/v3", provider: "github", connection: null, connected: false }],
  placeholders: [{ provider: "github", variable: "GITHUB_TOKEN", value: "credsvc-proxy-managed" }]
}

const from = { url: new URL("http://127.0.0.1:1"), loopback: true, explicit: false, startable: false }

const using = (
  respond: (request: DaemonRequest) => ChannelResponse | undefined,
  renewed?: Effect.Effect<boolean>
) => {
  const seen: Array<DaemonRequest> = []
  const exchange = (request: DaemonRequest) =>
    Effect.suspend(() => {
      seen.push(request)
      const response = respond(request)
      return response === undefined
        ? Effect.fail(new DaemonUnavailableError({ url: "http://127.0.0.1:1", detail: "Nothing listens there." }))
        : Effect.succeed({ ...response, from, headers: {} })
    })
  const client = Layer.succeed(
    DaemonClient,
    DaemonClient.of({
      address: Effect.die("not used"),
      of: () => assert.fail("not used"),
      read: () => assert.fail("not used"),
      send: exchange,
      hold: () => assert.fail("not used"),
      sendIfRunning: () => assert.fail("not used"),
      exchange: (request, done) => void Effect.runCallback(exchange(request), { onExit: done })
    })
  )
  const layer = CredentialSource.layerDaemon({ profile: "quiet-heron-4821", runId: "run-0123456789abcdef", renewed })
    .pipe(
      Layer.provide(client)
    )
  return { seen, layer }
}

const request = {
  host: "api.github.com",
  port: 443,
  provider: "github" as ProviderName,
  connection: "work" as ConnectionName
}

describe("CredentialSource", () => {
  it.effect("resolves a credential for the run and its profile, and keeps it redacted", () => {
    const { layer, seen } = using(() => ({ status: 200, body: JSON.stringify(RESOLVED) }))
    return Effect.gen(function*() {
      const source = yield* CredentialSource
      const credential = yield* source.resolve({ ...request, path: "/v3/x" })
      assert.strictEqual(Redacted.value(credential.headers["Authorization"] ?? Redacted.make("")), "Bearer s3cret")
      assert.deepEqual(credential.strip, RESOLVED.strip)
      assert.notInclude(JSON.stringify(credential), "s3cret")
      assert.deepEqual(JSON.parse(seen[0]?.body ?? ""), { ...request, path: "/v3/x", scheme: "https" })
      assert.strictEqual(seen[0]?.headers["credsvc-run"], "run-0123456789abcdef")
      assert.strictEqual(seen[0]?.headers["credsvc-profile"], "quiet-heron-4821")
      assert.strictEqual(seen[0]?.headers["content-type"], "application/json")
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks each time, and decodes equal responses once", () => {
    const refusal = { status: 403, body: JSON.stringify({ error: "OperationNotAllowedError", detail: "No." }) }
    const other = { ...RESOLVED, headers: { Authorization: "Bearer 0ther" } }
    const responses = [RESOLVED, RESOLVED, other, other, RESOLVED].map((body) => ({
      status: 200,
      body: JSON.stringify(body)
    }))
    const { layer, seen } = using(() => responses[seen.length - 1] ?? refusal)
    return Effect.gen(function*() {
      const source = yield* CredentialSource
      const taken = yield* Effect.forEach(responses, () => source.resolve(request))
      assert.deepStrictEqual(
        taken.map(({ headers }) => Redacted.value(headers["Authorization"]!)),
        ["Bearer s3cret", "Bearer s3cret", "Bearer 0ther", "Bearer 0ther", "Bearer s3cret"]
      )
      assert.deepStrictEqual(taken.slice(1).map((each, index) => each === taken[index]), [true, false, true, false])
      assert.strictEqual((yield* Effect.flip(source.resolve(request))).error, "OperationNotAllowedError")
      assert.strictEqual(seen.length, responses.length + 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("passes on the error class and message of the daemon", () => {
    const body = JSON.stringify({ error: "ConnectionNotFoundError", detail: "There is none.", status: 404 })
    const { layer } = using(() => ({ status: 404, body }))
    return Effect.gen(function*() {
      const source = yield* CredentialSource
      const error = yield* Effect.flip(source.resolve(request))
      assert.deepInclude(error, { error: "ConnectionNotFoundError", detail: "There is none.", status: 404 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks again after a refusal, if the daemon did not know the run any more", () => {
    const refusal = { status: 403, body: JSON.stringify({ error: "OperationNotAllowedError", detail: "No." }) }
    return Effect.gen(function*() {
      for (const isRenewed of [true, false]) {
        const { layer, seen } = using(
          () => seen.length === 1 ? refusal : { status: 200, body: JSON.stringify(RESOLVED) },
          Effect.succeed(isRenewed)
        )
        const resolved = yield* Effect.result(
          Effect.provide(Effect.flatMap(CredentialSource, (source) => source.resolve(request)), layer)
        )
        assert.deepStrictEqual([resolved._tag, seen.length], isRenewed ? ["Success", 2] : ["Failure", 1])
      }
    })
  })

  it.effect("reports that the daemon is unavailable", () => {
    const { layer } = using(() => undefined)
    return Effect.gen(function*() {
      const source = yield* CredentialSource
      for (const call of [Effect.asVoid(source.resolve(request)), Effect.asVoid(source.routes(undefined))]) {
        assert.strictEqual((yield* Effect.flip(call)).error, "DaemonUnavailableError")
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("reads unchanged routes only once, by their entity tag", () => {
    const { layer, seen } = using((request) =>
      request.headers["if-none-match"] === "\"v7\""
        ? { status: 304, body: "" }
        : { status: 200, body: JSON.stringify(ROUTES) }
    )
    return Effect.gen(function*() {
      const source = yield* CredentialSource
      const list = yield* source.routes(undefined)
      assert.strictEqual(list?.version, "v7")
      assert.deepInclude(list?.routes[0], { host: "api.github.com", pathPrefix: "/v3", connected: false })
      assert.strictEqual(list?.placeholders[0]?.variable, "GITHUB_TOKEN")
      assert.isUndefined(yield* source.routes("v7"))
      assert.isDefined(yield* source.routes("v6"))
      for (const { headers } of seen) {
        assert.strictEqual(headers["credsvc-profile"], "quiet-heron-4821")
        assert.strictEqual(headers["credsvc-run"], "run-0123456789abcdef")
      }
    }).pipe(Effect.provide(layer))
  })

  const broken: ReadonlyArray<readonly [string, unknown]> = [
    ["no JSON", "{"],
    ["null", null],
    ["a list", []],
    ["no headers", { ...RESOLVED, headers: undefined }]
  ]
  for (const [what, body] of broken) {
    it.effect(`rejects a response with ${what}`, () => {
      const { layer } = using(() => ({ status: 200, body: typeof body === "string" ? body : JSON.stringify(body) }))
      return Effect.gen(function*() {
        const error = yield* Effect.flip((yield* CredentialSource).resolve(request))
        assert.deepInclude(error, { error: "Unexpected", detail: "The daemon responded with status 200.", status: 200 })
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("reuses a valid answer to the same question, and to no other", () => {
    let status = 200
    let holds = true
    const { layer, seen } = using(() => ({ status, body: JSON.stringify(RESOLVED), holds: () => holds }))
    return Effect.gen(function*() {
      const source = yield* CredentialSource
      assert.isUndefined(source.known?.(request))
      const credential = yield* source.resolve(request)
      assert.strictEqual(source.known?.(request), credential)
      for (const other of [{ ...request, port: 8443 }, { ...request, confirm: true as const }]) {
        assert.isUndefined(source.known?.(other))
      }
      holds = false
      assert.isUndefined(source.known?.(request))
      holds = true
      assert.strictEqual(source.known?.(request), credential)
      status = 403
      yield* Effect.flip(source.resolve(request))
      assert.isUndefined(source.known?.(request), "refused")
      assert.lengthOf(seen, 2)
    }).pipe(Effect.provide(layer))
  })

  it("decodes a credential exactly as its schema does", () => {
    const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Resolved))
    const encode = Schema.encodeSync(Resolved)
    const secrets = fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 })
    const names = fc.array(fc.string(), { maxLength: 3 })
    const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") })
      .map((date) => date.toISOString())
    const fields = fc.record({
      provider: fc.constantFrom("openai", "a.b-c"),
      connection: fc.constantFrom("default", "me@work"),
      headers: secrets,
      query: secrets,
      path: secrets,
      body: secrets,
      messages: fc.record({ first: fc.integer(), fields: secrets }, { noNullPrototype: true }),
      defaults: secrets,
      secrets: names,
      strip: fc.record({ headers: names, query: names, placeholders: names }),
      expires_at: fc.option(time),
      issued_at: time,
      refreshable: fc.boolean(),
      signing: fc.record({
        access_key_id: fc.string(),
        session_token: fc.string(),
        key: fc.string(),
        date: fc.string(),
        region: fc.string(),
        service: fc.string()
      }, { noNullPrototype: true, requiredKeys: ["access_key_id", "key", "date", "region", "service"] }),
      hmac: fc.record({
        key: fc.string(),
        message: fc.constantFrom("{method}\n{target}", "x".repeat(512)),
        timestamp: fc.constantFrom("seconds", "milliseconds", "iso8601", "http_date"),
        encoding: fc.constantFrom("hex", "base64"),
        headers: secrets
      }, { noNullPrototype: true }),
      issued_tokens: fc.array(
        fc.record({
          requests: names,
          tokens: names,
          token_headers: names,
          uses: names,
          use_headers: names,
          placeholder: fc.string(),
          action: fc.constantFrom("login", "refused")
        }, {
          noNullPrototype: true,
          requiredKeys: ["requests", "tokens", "token_headers", "uses", "use_headers", "placeholder"]
        }),
        { minLength: 1, maxLength: 2 }
      ),
      later: fc.anything()
    }, {
      noNullPrototype: true,
      requiredKeys: [
        "provider",
        "connection",
        "headers",
        "query",
        "defaults",
        "secrets",
        "strip",
        "expires_at",
        "issued_at",
        "refreshable"
      ]
    })
    fc.assert(fc.property(fields, (value) => {
      const text = JSON.stringify(value)
      assert.deepStrictEqual(encode(readResolved(text)!), encode(decode(text)))
    }))
  })
})
