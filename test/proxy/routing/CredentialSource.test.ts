import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ChannelResponse } from "../../../src/client/DaemonChannel.ts"
import { DaemonClient } from "../../../src/client/DaemonClient.ts"
import type { DaemonRequest } from "../../../src/client/DaemonConnection.ts"
import type { RunNotices } from "../../../src/client/RunRegistration.ts"
import { DaemonUnavailableError } from "../../../src/domain/Errors.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import { CredentialSource } from "../../../src/proxy/routing/CredentialSource.ts"
import { effect } from "../../support/Fixture.ts"

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

/** The source over a daemon that responds in this way, and the requests that the daemon has seen. */
const using = Effect.fnUntraced(function*(
  respond: (request: DaemonRequest, count: number) => ChannelResponse | undefined,
  renewed?: Effect.Effect<boolean>,
  notices?: Pick<RunNotices, "ended" | "listen">
) {
  const seen: Array<DaemonRequest> = []
  const exchange = (request: DaemonRequest) =>
    Effect.suspend(() => {
      seen.push(request)
      const response = respond(request, seen.length)
      return response === undefined
        ? Effect.fail(new DaemonUnavailableError({ url: "http://127.0.0.1:1", detail: "Nothing listens there." }))
        : Effect.succeed({ ...response, from, headers: {} })
    })
  const client = Layer.succeed(
    DaemonClient,
    DaemonClient.of({
      address: Effect.die("not used"),
      of: () => assert.fail("not used"),
      send: exchange,
      hold: () => assert.fail("not used"),
      sendIfRunning: exchange,
      exchange: (request, done) => void Effect.runCallback(exchange(request), { onExit: done })
    })
  )
  const layer = CredentialSource.layerDaemon({
    profile: "quiet-heron-4821",
    runId: "run-0123456789abcdef",
    renewed,
    notices
  })
  const context = yield* Layer.build(Layer.provide(layer, client))
  return { seen, source: Context.get(context, CredentialSource) }
})

const request = {
  host: "api.github.com",
  port: 443,
  provider: "github" as ProviderName,
  connection: "work" as ConnectionName
}

describe("CredentialSource", () => {
  effect("resolves a credential for the run and its profile, and keeps it redacted", function*() {
    const { seen, source } = yield* using(() => ({ status: 200, body: JSON.stringify(RESOLVED) }))
    const credential = yield* source.resolve({ ...request, path: "/v3/x" })
    assert.strictEqual(Redacted.value(credential.headers["Authorization"] ?? Redacted.make("")), "Bearer s3cret")
    assert.deepEqual(credential.strip, RESOLVED.strip)
    assert.notInclude(JSON.stringify(credential), "s3cret")
    assert.deepEqual(JSON.parse(seen[0]?.body ?? ""), { ...request, path: "/v3/x", scheme: "https" })
    assert.strictEqual(seen[0]?.headers["credsvc-run"], "run-0123456789abcdef")
    assert.strictEqual(seen[0]?.headers["credsvc-profile"], "quiet-heron-4821")
    assert.strictEqual(seen[0]?.headers["content-type"], "application/json")
  })

  effect("asks the daemon for each request, and decodes equal responses once", function*() {
    const refusal = { status: 403, body: JSON.stringify({ error: "OperationNotAllowedError", detail: "No." }) }
    const other = { ...RESOLVED, headers: { Authorization: "Bearer 0ther" } }
    const responses = [RESOLVED, RESOLVED, other, other, RESOLVED].map((body) => ({
      status: 200,
      body: JSON.stringify(body)
    }))
    const { seen, source } = yield* using((_, count) => responses[count - 1] ?? refusal)
    const taken = yield* Effect.forEach(responses, () => source.resolve(request))
    assert.deepStrictEqual(
      taken.map(({ headers }) => Redacted.value(headers["Authorization"]!)),
      ["Bearer s3cret", "Bearer s3cret", "Bearer 0ther", "Bearer 0ther", "Bearer s3cret"]
    )
    assert.deepStrictEqual(taken.slice(1).map((each, index) => each === taken[index]), [true, false, true, false])
    assert.strictEqual((yield* Effect.flip(source.resolve(request))).error, "OperationNotAllowedError")
    assert.strictEqual(seen.length, responses.length + 1)
  })

  effect("passes on the error class and message of the daemon", function*() {
    const body = JSON.stringify({ error: "ConnectionNotFoundError", detail: "There is none.", status: 404 })
    const { source } = yield* using(() => ({ status: 404, body }))
    const error = yield* Effect.flip(source.resolve(request))
    assert.deepInclude(error, { error: "ConnectionNotFoundError", detail: "There is none.", status: 404 })
  })

  effect("asks again after a refusal if the daemon no longer knew the run", function*() {
    const refusal = { status: 403, body: JSON.stringify({ error: "OperationNotAllowedError", detail: "No." }) }
    for (const isRenewed of [true, false]) {
      const { seen, source } = yield* using(
        (_, count) => count === 1 ? refusal : { status: 200, body: JSON.stringify(RESOLVED) },
        Effect.succeed(isRenewed)
      )
      const resolved = yield* Effect.result(source.resolve(request))
      assert.deepStrictEqual([resolved._tag, seen.length], isRenewed ? ["Success", 2] : ["Failure", 1])
    }
  })

  effect("returns no credential if the run ends before the daemon responds", function*() {
    for (const [how, error] of [["stopped", "OperationNotAllowedError"], ["frozen", "RunFrozenError"]] as const) {
      const notices: { ended: RunNotices["ended"]; listen: RunNotices["listen"] } = {
        ended: undefined,
        listen: () => () => {}
      }
      const { source } = yield* using(
        () => {
          notices.ended = how
          return { status: 200, body: JSON.stringify(RESOLVED) }
        },
        undefined,
        notices
      )
      assert.strictEqual((yield* Effect.flip(source.resolve(request))).error, error)
    }
  })

  effect("reports that the daemon is unavailable", function*() {
    const { source } = yield* using(() => undefined)
    for (const call of [Effect.asVoid(source.resolve(request)), Effect.asVoid(source.routes(undefined))]) {
      assert.strictEqual((yield* Effect.flip(call)).error, "DaemonUnavailableError")
    }
  })

  effect("sends a report again unless the daemon records or rejects it", function*() {
    const statuses = [200, 400, 413, 403, 500]
    const { source } = yield* using((_, count) => ({ status: statuses[count - 1]!, body: "" }))
    const results = yield* Effect.forEach(statuses, () => source.report("{}"))
    assert.deepStrictEqual(results, [true, "rejected", "rejected", false, false])
  })

  effect("reads unchanged routes only once, by their entity tag", function*() {
    const { seen, source } = yield* using((request) =>
      request.headers["if-none-match"] === "\"v7\""
        ? { status: 304, body: "" }
        : { status: 200, body: JSON.stringify(ROUTES) }
    )
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
  })

  const broken: ReadonlyArray<readonly [string, unknown]> = [
    ["no JSON", "{"],
    ["null", null],
    ["a list", []],
    ["no headers", { ...RESOLVED, headers: undefined }]
  ]
  for (const [what, body] of broken) {
    effect(`rejects a response with ${what}`, function*() {
      const { source } = yield* using(() => ({
        status: 200,
        body: typeof body === "string" ? body : JSON.stringify(body)
      }))
      const error = yield* Effect.flip(source.resolve(request))
      assert.deepInclude(error, { error: "Unexpected", detail: "The daemon responded with status 200.", status: 200 })
    })
  }

  effect("reuses a valid response for the same query only", function*() {
    let status = 200
    let validity: "valid" | "over" = "valid"
    const { seen, source } = yield* using(() => ({ status, body: JSON.stringify(RESOLVED), validity: () => validity }))
    assert.isUndefined(source.known?.(request))
    const credential = yield* source.resolve(request)
    assert.strictEqual(source.known?.(request), credential)
    for (const other of [{ ...request, port: 8443 }, { ...request, confirm: true as const }]) {
      assert.isUndefined(source.known?.(other))
    }
    validity = "over"
    assert.isUndefined(source.known?.(request))
    validity = "valid"
    assert.strictEqual(source.known?.(request), credential)
    status = 403
    yield* Effect.flip(source.resolve(request))
    assert.isUndefined(source.known?.(request), "refused")
    assert.lengthOf(seen, 2)
  })

  effect("renews a response that expires soon, once, while requests use it", function*() {
    const refusal = { status: 403, body: JSON.stringify({ error: "OperationNotAllowedError", detail: "No." }) }
    const validities: ReadonlyArray<"valid" | "expiring"> = ["expiring", "valid", "expiring"]
    const { seen, source } = yield* using((_, count) => {
      const validity = validities[count - 1]
      return validity === undefined
        ? refusal
        : { status: 200, body: JSON.stringify(RESOLVED), validity: () => validity }
    })
    const credential = yield* source.resolve(request)
    const known = () => source.known?.(request)
    assert.deepStrictEqual([known(), known(), known()], [credential, credential, credential])
    assert.lengthOf(seen, 2)
    assert.strictEqual(seen[1]?.body, seen[0]?.body)
    yield* source.resolve(request)
    // The response to the renewal is a refusal, so the next request asks the daemon itself.
    assert.strictEqual(known(), credential)
    assert.lengthOf(seen, 4)
    assert.isUndefined(known())
  })
})
