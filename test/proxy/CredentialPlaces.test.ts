import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { placements } from "../../src/domain/Placement.ts"
import { parseDefinition } from "../../src/domain/ProviderDocument.ts"
import type { ProxyEvent } from "../../src/proxy/HttpEngine.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { connectSession, get } from "../support/Http2Peers.ts"
import {
  bearer,
  fakeDaemon,
  MARKER,
  route,
  secureTunnel,
  startProxy,
  temporaryFile,
  until
} from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const authority = makeAuthority()
const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

const bundled = (name: string) =>
  Result.getOrThrow(parseDefinition(fs.readFileSync(new URL(`../../providers/${name}.json`, import.meta.url), "utf8")))

/** A proxy for one bundled provider, with a connection that has these values. */
const connected = (
  name: string,
  host: string,
  values: Readonly<Record<string, string>>,
  handler?: FakeUpstream.Handler
) =>
  Effect.gen(function*() {
    const secrets = Object.fromEntries(Object.entries(values).map(([field, value]) => [field, Redacted.make(value)]))
    const placed = Result.getOrThrow(placements(bundled(name), secrets))
    const daemon = fakeDaemon([route(host, name)], {
      resolve: (asked) => Effect.succeed({ ...bearer(asked), ...placed })
    })
    const upstream = yield* FakeUpstream.make({ certificate: authority.issue([host]), handler })
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const events: Array<ProxyEvent> = []
    const proxy = yield* startProxy({
      daemon,
      onEvent: (event) => events.push(event),
      upstream: { extraCaCerts: [ca], resolve: { [`${host}:443`]: `127.0.0.1:${upstream.port}` } }
    })
    const { socket, wire } = yield* promise(() => secureTunnel(proxy, `${host}:443`))
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    const ask = (line: string, headers: Readonly<Record<string, string>> = {}) =>
      promise(() => {
        const lines = Object.entries({ Host: host, ...headers }).map(([header, value]) => `${header}: ${value}\r\n`)
        wire.send(`${line} HTTP/1.1\r\n${lines.join("")}\r\n`)
        return wire.answer()
      })
    return { ask, events, proxy, upstream, wire }
  })

const TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
const SID = "AC0123456789abcdef0123456789abcdef"
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

describe("credential injection", () => {
  it.live("fills path segments for Telegram, for methods and for files", () =>
    Effect.gen(function*() {
      const { ask, upstream } = yield* connected("telegram", "api.telegram.org", { api_key: TOKEN })
      const placeholder = bundled("telegram").placeholder
      yield* ask(`GET /bot${placeholder}/getUpdates?offset=7`)
      yield* ask(`GET /file/bot${placeholder}/photos/file_0.jpg`)
      assert.deepStrictEqual(upstream.seen.map(({ url }) => url), [
        `/bot${TOKEN}/getUpdates?offset=7`,
        `/file/bot${TOKEN}/photos/file_0.jpg`
      ])
      assert.isUndefined(upstream.seen[0]?.headers.authorization)
      assert.notInclude(JSON.stringify(upstream.seen), MARKER)
    }).pipe(Effect.scoped))

  it.live("fills the same places for an HTTP/2 client", () =>
    Effect.gen(function*() {
      const { events, proxy, upstream } = yield* connected("telegram", "api.telegram.org", { api_key: TOKEN })
      const session = yield* connectSession(proxy, "api.telegram.org:443")
      const { status } = yield* promise(() => get(session, `/bot${MARKER}/getMe?a=${MARKER}&b=1`))
      assert.strictEqual(status, 200)
      assert.strictEqual(upstream.seen[0]?.url, `/bot${TOKEN}/getMe?b=1`)
      session.close()
      yield* promise(() => until(() => events.length === 1))
      assert.strictEqual(events[0]?.path, `/bot${MARKER}/getMe`)
    }).pipe(Effect.scoped))

  it.live("restores the placeholder where response headers repeat the path, so that clients can follow them", () =>
    Effect.gen(function*() {
      const { ask, upstream } = yield* connected(
        "telegram",
        "api.telegram.org",
        { api_key: TOKEN },
        (incoming, response) => {
          response.writeHead(302, {
            Location: `https://api.telegram.org${incoming.url?.replace("/old", "/new")}`,
            Link: `<${incoming.url?.replace(":", "%3A")}>; rel="canonical"`,
            "X-Request-Path": incoming.url ?? ""
          })
          response.end()
        }
      )
      const answer = yield* ask(`GET /bot${MARKER}/old`)
      assert.notInclude(answer.head, TOKEN.slice(10))
      const again = new URL(answer.headers.get("location") ?? "").pathname
      assert.strictEqual(again, `/bot${MARKER}/new`)
      yield* ask(`GET ${again}`)
      assert.strictEqual(upstream.seen[1]?.url, `/bot${TOKEN}/new`)
    }).pipe(Effect.scoped))

  it.live("restores the placeholder in early hints, reason phrases, trailers and WebSocket handshakes", () =>
    Effect.gen(function*() {
      const { ask, upstream, wire } = yield* connected(
        "telegram",
        "api.telegram.org",
        { api_key: TOKEN },
        (incoming, response) => {
          response.writeEarlyHints({ link: `<${incoming.url}>; rel=preload` })
          response.writeHead(404, `No ${incoming.url}`, { Trailer: "X-Url" })
          response.addTrailers({ "X-Url": incoming.url ?? "" })
          response.end("body")
        }
      )
      upstream.server.on("upgrade", (incoming, socket) => {
        socket.end(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
            `X-Url: ${incoming.url}\r\n\r\n`
        )
      })
      const path = `/bot${MARKER}/getMe`
      assert.strictEqual((yield* ask(`GET ${path}`)).headers.get("link"), `<${path}>; rel=preload`)
      const rest = yield* promise(() => wire.text(`X-Url: ${path}\r\n\r\n`))
      assert.match(rest, RegExp(`^HTTP/1.1 404 No ${path}\r\n`))
      const handshake = yield* ask(`GET ${path}`, {
        Upgrade: "websocket",
        Connection: "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="
      })
      assert.strictEqual(handshake.headers.get("x-url"), path)
      assert.deepStrictEqual(new Set(upstream.seen.map(({ url }) => url)), new Set([`/bot${TOKEN}/getMe`]))
    }).pipe(Effect.scoped))

  it.live("hides every secret in the path from events, including the client's own", () =>
    Effect.gen(function*() {
      const { ask, events } = yield* connected("telegram", "api.telegram.org", { api_key: TOKEN })
      yield* ask(`GET /bot${MARKER}/getMe`)
      yield* ask("GET /bot42:the-childs-own/getMe")
      yield* ask("GET /")
      assert.deepStrictEqual(events.slice(0, 2).map(({ path }) => path), [`/bot${MARKER}/getMe`, `/bot${MARKER}/getMe`])
      assert.notMatch(JSON.stringify(events), /the-childs-own|AAHdq/)
    }).pipe(Effect.scoped))

  it.live("fills HTTP Basic and an identifier in the path for Twilio", () =>
    Effect.gen(function*() {
      const { ask, upstream } = yield* connected("twilio", "api.twilio.com", { account_sid: SID, auth_token: "t0ken" })
      const headers = { Authorization: basic(`AC${MARKER}`, MARKER) }
      yield* ask(`GET /2010-04-01/Accounts/AC${MARKER}/Messages.json`, headers)
      yield* ask(`GET /2010-04-01/Accounts/AC${MARKER}.json`, headers)
      yield* ask(`GET /2010-04-01/Accounts/ACsubaccount/Calls.json`, headers)
      assert.deepStrictEqual(upstream.seen.map(({ url }) => url), [
        `/2010-04-01/Accounts/${SID}/Messages.json`,
        `/2010-04-01/Accounts/${SID}.json`,
        "/2010-04-01/Accounts/ACsubaccount/Calls.json"
      ])
      for (const { headers: { authorization } } of upstream.seen) {
        assert.strictEqual(authorization, basic(SID, "t0ken"))
      }
    }).pipe(Effect.scoped))

  it.live("sets two headers for Supabase and keeps the token of a signed-in user", () =>
    Effect.gen(function*() {
      const { ask, upstream } = yield* connected("supabase", "acme.supabase.co", { api_key: "sb_secret_1" })
      yield* ask("GET /rest/v1/", { apikey: MARKER, Authorization: `Bearer ${MARKER}` })
      yield* ask("GET /rest/v1/", { apikey: MARKER, Authorization: "Bearer a-users-own" })
      assert.deepStrictEqual(
        upstream.seen.map(({ headers: { apikey, authorization } }) => [apikey, authorization]),
        [["sb_secret_1", "Bearer sb_secret_1"], ["sb_secret_1", "Bearer a-users-own"]]
      )
    }).pipe(Effect.scoped))

  it.live("sets one header for Anthropic, whichever of the two an SDK uses", () =>
    Effect.gen(function*() {
      const { ask, upstream } = yield* connected("anthropic", "api.anthropic.com", { api_key: "sk-ant-1" })
      yield* ask("GET /v1/models", { Authorization: `Bearer ${MARKER}` })
      yield* ask("GET /v1/models", { "X-Api-Key": `sk-ant-${MARKER}` })
      for (const { headers } of upstream.seen) {
        assert.strictEqual(headers["x-api-key"], "sk-ant-1")
        assert.isUndefined(headers.authorization)
      }
    }).pipe(Effect.scoped))

  it.live("sets one header for Gemini although an SDK sends its placeholder in the query", () =>
    Effect.gen(function*() {
      const { ask, upstream } = yield* connected("gemini", "generativelanguage.googleapis.com", { api_key: "AIza1" })
      yield* ask(`GET /v1beta/models?key=${MARKER}&pageSize=1`)
      assert.strictEqual(upstream.seen[0]?.url, "/v1beta/models?pageSize=1")
      assert.strictEqual(upstream.seen[0]?.headers["x-goog-api-key"], "AIza1")
    }).pipe(Effect.scoped))
})
