import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { parseDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import { placements } from "../../../src/domain/injection/Placement.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { connectSession, get } from "../../support/Http2Peers.ts"
import { HOST, proxied, proxyTo, WEBSOCKET } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, MARKER, route, SECRET } from "../../support/ProxyHarness.ts"
import { authority } from "../../support/TestCertificates.ts"
import { until } from "../../support/Until.ts"

const bundled = (name: string) =>
  Result.getOrThrow(
    parseDefinition(fs.readFileSync(new URL(`../../../providers/${name}.json`, import.meta.url), "utf8"))
  )

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
      resolve: (request) => Effect.succeed({ ...bearer(request), ...placed })
    })
    const upstream = yield* FakeUpstream.make({ certificate: authority.issue([host]), handler })
    const { events, open, proxy } = yield* proxyTo({ [host]: upstream.port }, { daemon })
    const { wire } = yield* open({}, `${host}:443`)
    const exchange = (line: string, headers: Readonly<Record<string, string>> = {}) => {
      const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
      return wire.exchange(`${line} HTTP/1.1\r\n${lines.join("")}\r\n`)
    }
    return { events, exchange, proxy, upstream, wire }
  })

const TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"

describe("credential injection", () => {
  live("fills the same places for an HTTP/2 client as for an HTTP/1.1 client", function*() {
    const { events, proxy, upstream } = yield* connected("telegram", "api.telegram.org", { api_key: TOKEN })
    const session = yield* connectSession(proxy, "api.telegram.org:443")
    const { status } = yield* promise(() => get(session, `/bot${MARKER}/getMe?a=${MARKER}&b=1`))
    assert.strictEqual(status, 200)
    assert.strictEqual(upstream.seen[0]?.url, `/bot${TOKEN}/getMe?b=1`)
    session.close()
    yield* promise(() => until(() => events.length === 1))
    assert.strictEqual(events[0]?.path, `/bot${MARKER}/getMe`)
  })

  live("restores the placeholder where response headers repeat the path, so that their links work", function*() {
    const { exchange, upstream } = yield* connected(
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
    const response = yield* exchange(`GET /bot${MARKER}/old`)
    assert.notInclude(response.head, TOKEN.slice(10))
    const again = new URL(response.headers.get("location") ?? "").pathname
    assert.strictEqual(again, `/bot${MARKER}/new`)
    yield* exchange(`GET ${again}`)
    assert.strictEqual(upstream.seen[1]?.url, `/bot${TOKEN}/new`)
  })

  live("hides every secret in the path from events, including the client's own", function*() {
    const { exchange, events } = yield* connected("telegram", "api.telegram.org", { api_key: TOKEN })
    yield* exchange(`GET /bot${MARKER}/getMe`)
    yield* exchange("GET /bot42:the-clients-own/getMe")
    yield* exchange("GET /")
    assert.deepStrictEqual(events.slice(0, 2).map(({ path }) => path), [`/bot${MARKER}/getMe`, `/bot${MARKER}/getMe`])
    assert.notMatch(JSON.stringify(events), /the-clients-own|AAHdq/)
  })

  live("sets two headers for Supabase and keeps the token of a signed-in user", function*() {
    const { exchange, upstream } = yield* connected("supabase", "acme.supabase.co", { api_key: "sb_secret_1" })
    yield* exchange("GET /rest/v1/", { apikey: MARKER, Authorization: `Bearer ${MARKER}` })
    yield* exchange("GET /rest/v1/", { apikey: MARKER, Authorization: "Bearer a-users-own" })
    assert.deepStrictEqual(
      upstream.seen.map(({ headers: { apikey, authorization } }) => [apikey, authorization]),
      [["sb_secret_1", "Bearer sb_secret_1"], ["sb_secret_1", "Bearer a-users-own"]]
    )
  })
})

const insufficientScope = (rest: string) => `Bearer error="insufficient_scope"${rest}`

describe("A refusal by the API", () => {
  const rows: ReadonlyArray<readonly [what: string, status: number, challenge: string, scopes: string | undefined]> = [
    ["that demands scopes", 403, insufficientScope(`, scope="files:read files:write"`), "files:read,files:write"],
    ["that demands one scope without quotes", 403, "bearer scope=write, error=insufficient_scope", "write"],
    ["with another challenge before it", 403, `Basic realm="x", ${insufficientScope(`, scope="write"`)}`, "write"],
    ["with text for a shell among the scopes", 403, insufficientScope(`, scope="$(id) write;id -x write"`), "write"],
    ["that names no scope", 403, insufficientScope(""), undefined],
    ["with another error", 403, `Bearer error="invalid_token", scope="write"`, undefined],
    ["without a challenge", 403, "", undefined],
    ["with another status than 403", 400, insufficientScope(`, scope="write"`), undefined]
  ]
  for (const [what, status, sent, scopes] of rows) {
    live(
      `${what} ${scopes === undefined ? "gets no hint" : "gets a hint with the login command, also in the log"}`,
      function*() {
        const { events, exchange } = yield* proxied((_, response) => {
          const imitated = { "X-Credsvc-Hint": "run: imitated", "x-credsvc-error": "RunFrozenError" }
          response.writeHead(status, sent === "" ? imitated : { ...imitated, "www-authenticate": sent })
          response.end("no")
        })
        const response = yield* exchange("GET /")
        assert.strictEqual(response.status, status)
        assert.strictEqual(response.body, "no")
        const hint = response.headers.get("x-credsvc-hint") ?? ""
        const command =
          /^the credential lacks scopes that this request needs; run: credsvc login example( --connection \w+)? --add-scopes (.*)$/
        assert.strictEqual(command.exec(hint)?.[2], scopes, hint)
        assert.strictEqual(hint === "", scopes === undefined)
        assert.notMatch(response.head, /imitated|RunFrozenError/, "fields of the proxy that the API imitates")
        assert.strictEqual(events.at(-1)?.missingScopes?.join(","), scopes)
      }
    )
  }
})

describe("A request of a web page in a browser of the run", () => {
  const rows: ReadonlyArray<readonly [what: string, lines: string, isSent: boolean]> = [
    ["that the user has opened", "Sec-Fetch-Site: none", true],
    ["of the API's own origin", `Sec-Fetch-Site: same-origin\r\nOrigin: https://${HOST}`, true],
    ["on this machine", "Sec-Fetch-Site: cross-site\r\nOrigin: http://localhost:3000", true],
    ["of an application", "Sec-Fetch-Site: cross-site\r\nOrigin: app://notes", true],
    ["of another site", "Sec-Fetch-Site: cross-site\r\nOrigin: https://evil.example", false],
    ["of another site, without an origin", "Sec-Fetch-Site: cross-site", false],
    ["of another host of the site", "Sec-Fetch-Site: same-site\r\nOrigin: https://www.example.com", false],
    ["in a sandboxed frame", "Sec-Fetch-Site: cross-site\r\nOrigin: null", false],
    [
      "whose name begins like this machine",
      "Sec-Fetch-Site: cross-site\r\nOrigin: http://localhost.evil.example",
      false
    ],
    ["of another site, for a WebSocket", `${WEBSOCKET}Origin: https://evil.example`, false],
    ["of the API's own origin, for a WebSocket", `${WEBSOCKET}Origin: https://${HOST}`, true],
    ["that is none, but a program with an origin", "Origin: https://evil.example", true],
    ["whose reports Chromium sends", "Origin: https://evil.example\r\nContent-Type: application/reports+json", false]
  ]
  for (const [what, lines, isSent] of rows) {
    live(`${isSent ? "gets" : "gets no"} credential: a page ${what}`, function*() {
      const { exchange, upstream } = yield* proxied()
      yield* exchange("GET /", `${lines}\r\nAuthorization: Bearer of-the-page\r\n`)
      assert.strictEqual(
        upstream.seen[0]?.headers.authorization,
        `Bearer ${isSent ? SECRET : "of-the-page"}`
      )
    })
  }

  live("does not count as a use of a credential that it does not get", function*() {
    const { daemon, exchange } = yield* proxied(undefined, { counted: true })
    for (const site of ["none", "cross-site"]) yield* exchange("GET /", `Sec-Fetch-Site: ${site}\r\n`)
    assert.deepStrictEqual(daemon.resolved.map(({ confirm }) => confirm), [undefined, true])
  })

  live("gets no credential: a page that anyone has published on the API's own host", function*() {
    const others = ["output.circle-artifacts.com", "dl.cloudsmith.io", "fal.run", "a.p.rapidapi.com", "api.scrape.do"]
    for (const host of ["api.apify.com", "gateway.ai.cloudflare.com", ...others]) {
      const { exchange, upstream } = yield* connected("apify", host, { api_key: SECRET })
      for (const [site, authorization] of [["none", `Bearer ${SECRET}`], ["same-origin", undefined]] as const) {
        yield* exchange("GET /v2/key-value-stores/1/records/2", { "Sec-Fetch-Site": site, Origin: `https://${host}` })
        assert.strictEqual(upstream.seen.at(-1)?.headers.authorization, authorization, host)
      }
    }
  })
})
