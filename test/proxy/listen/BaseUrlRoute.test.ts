/** The loopback base URLs of `run --base-url`. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import type { Duplex } from "node:stream"
import { hasChromium } from "../../support/Browser.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { HOST, proxyTo, WEBSOCKET } from "../../support/ProxiedHost.ts"
import { fakeDaemon, type HarnessOptions, MARKER, route, SECRET } from "../../support/ProxyHarness.ts"
import { sharedBrowser } from "../../support/SharedBrowser.ts"
import { authority } from "../../support/TestCertificates.ts"
import { listen } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

const openPage = sharedBrowser()
/** A host of another provider. */
const SIBLING = "api.sibling.test"
const STRANGER = "other.example.net"

const setUp = (handler?: FakeUpstream.Handler, more: Partial<HarnessOptions> = {}) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate: authority.issue([HOST, SIBLING]), handler })
    const daemon = fakeDaemon([route(HOST, "example"), route(SIBLING, "sibling")], {
      placeholders: [
        { provider: "example" as never, variable: "EXAMPLE_API_KEY", value: MARKER },
        { provider: "example" as never, variable: "EXAMPLE_TENANT", value: `https://${HOST}/tenant` }
      ],
      baseUrls: [{ provider: "example" as never, variable: "EXAMPLE_BASE_URL", value: `https://${HOST}/v1` }]
    })
    const parts = yield* proxyTo({ [HOST]: upstream.port, [SIBLING]: upstream.port }, {
      daemon,
      baseUrl: true,
      peer: "own",
      ...more
    })
    const { connect, proxy } = parts
    const { notices, variables } = yield* proxy.environment({ PATH: "/bin" })
    const base = variables["CREDSVC_BASE_URL"] ?? ""
    const own = `Host: 127.0.0.1:${proxy.port}`
    /** The head of a request to a URL or a target. */
    const head = (url: string, headers: ReadonlyArray<string> = [own], method = "GET") =>
      `${method} ${url.replace(/^http:\/\/[^/]*/, "")} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`
    const exchange = (...request: Parameters<typeof head>) =>
      Effect.scoped(Effect.flatMap(connect, (wire) => wire.exchange(head(...request))))
    const credential = base.split("/").at(-1) ?? ""
    return { ...parts, upstream, notices, variables, base, own, head, exchange, credential }
  })

describe("BaseUrlRoute", () => {
  live("injects the credential into a request to a provider's host, over verified TLS", function*() {
    const { exchange, base, upstream } = yield* setUp()
    const response = yield* exchange(`${base}/${HOST}/v1/models?limit=2`)
    assert.strictEqual(response.status, 200)
    const [seen] = upstream.seen
    assert.strictEqual(seen?.url, "/v1/models?limit=2")
    assert.strictEqual(seen?.headers.host, HOST)
    assert.strictEqual(seen?.headers.authorization, `Bearer ${SECRET}`)
  })

  live("responds with an empty 404 without the credential of the run", function*() {
    const { exchange, base, credential, upstream } = yield* setUp()
    const flipped = base.replace(credential, (credential.startsWith("A") ? "B" : "A") + credential.slice(1))
    const wrong = [
      `/r/${HOST}/v1`,
      `/r//${HOST}/v1`,
      `/r/${credential.slice(0, -1)}/${HOST}/`,
      `/r/${credential}x/${HOST}/`,
      `${flipped}/${HOST}/`,
      `/R/${credential}/${HOST}/`,
      `/r/${encodeURIComponent("%")}${credential}/${HOST}/`,
      `/${HOST}/`,
      "/",
      "/r",
      `/r/${credential}`
    ]
    for (const address of wrong) {
      const response = yield* exchange(address)
      assert.deepStrictEqual([response.status, response.body], [404, ""], address)
    }
    assert.lengthOf(upstream.seen, 0)
  })

  live("requires a process of the run's user besides the credential, if the kernel reports the user", function*() {
    for (const [peer, status] of [["other", 403], ["unknown", 403], ["own", 200], ["unsupported", 200]] as const) {
      const { exchange, base, credential, upstream } = yield* setUp(undefined, { peer })
      const response = yield* exchange(`${base}/${HOST}/`)
      assert.strictEqual(response.status, status, peer)
      assert.lengthOf(upstream.seen, status === 200 ? 1 : 0)
      assert.notInclude(response.body, credential)
    }
  })

  live("asks the kernel once per connection", function*() {
    let lookups = 0
    const { base, connect, head } = yield* setUp(undefined, {
      peer: () => {
        lookups++
        return "own"
      }
    })
    const wire = yield* connect
    wire.send(head(`${base}/${HOST}/`).repeat(2))
    for (let i = 0; i < 2; i++) assert.strictEqual((yield* promise(() => wire.response())).status, 200)
    assert.strictEqual(lookups, 1)
  })

  live("requires a separate credential, which the forward proxy does not accept", function*() {
    const { exchange, credential, proxy } = yield* setUp(undefined, { peer: "other" })
    const stolen = Buffer.from(`credsvc:${credential}`).toString("base64")
    const headers = [`Host: ${HOST}`, `Proxy-Authorization: Basic ${stolen}`]
    assert.strictEqual((yield* exchange(`${HOST}:443`, headers, "CONNECT")).status, 407)
    assert.notInclude(proxy.proxyUrl, credential)
  })

  live(
    "refuses requests of browsers for documents, scripts and other subresources, even from its own origin",
    function*() {
      const { base, exchange, own, upstream } = yield* setUp()
      for (
        const destination of ["document", "iframe", "frame", "embed", "object", "script", "serviceworker", "image"]
      ) {
        for (const site of ["none", "same-origin"]) {
          const headers = [own, `Sec-Fetch-Dest: ${destination}`, `Sec-Fetch-Site: ${site}`]
          assert.strictEqual((yield* exchange(`${base}/${HOST}/`, headers)).status, 404, headers.join())
        }
      }
      assert.lengthOf(upstream.seen, 0)
      assert.strictEqual((yield* exchange(`${base}/${HOST}/`, [own, "Sec-Fetch-Dest: empty"])).status, 200)
    }
  )

  live(
    "adds a content security policy to every response, and removes the upstream's policies and reports",
    function*() {
      const { exchange, base } = yield* setUp((request, response) => {
        response.writeHead(request.url === "/missing" ? 404 : 200, {
          "Content-Security-Policy": ["sandbox allow-scripts allow-same-origin", "default-src *; report-uri /report"],
          "Content-Security-Policy-Report-Only": "default-src 'none'; report-uri https://evil.test/",
          "Reporting-Endpoints": `default="https://evil.test/"`,
          "Report-To": `{"group":"x","max_age":1,"endpoints":[{"url":"https://evil.test/"}]}`,
          "NEL": `{"report_to":"x","max_age":1}`
        })
        response.end("<script></script>")
      })
      const addresses = [
        [`${base}/${HOST}/`, 200],
        [`${base}/${HOST}/missing`, 404],
        [`${base}/${HOST}/`, 405, "TRACE"],
        [`${base}/${STRANGER}/`, 403],
        [`${base}x/${HOST}/`, 404],
        ["/", 404]
      ] as const
      for (const [address, status, method] of addresses) {
        const { head, status: got } = yield* exchange(address, undefined, method)
        assert.strictEqual(got, status, address)
        const policies = head.split("\r\n").filter((line) => /^(content-security-policy|report|nel)/i.test(line))
        assert.deepStrictEqual(policies, ["Content-Security-Policy: sandbox; default-src 'none'"], address)
      }
    }
  )

  it.live.runIf(hasChromium)(
    "prevents a page of one provider from reading another provider's response in a browser",
    () =>
      Effect.gen(function*() {
        const { base, proxy, upstream } = yield* setUp((request, response) => {
          response.setHeader("Content-Security-Policy", "sandbox allow-scripts allow-same-origin")
          response.setHeader("Content-Type", "text/html")
          const other = request.url === "/page" ? new URL(base).pathname + `/${SIBLING}/secret` : ""
          const read = `fetch("${other}").then((r) => r.text()).then((text) => document.title = text).catch(() => 0)`
          response.end(
            other === "" ? "the other API" : `<p>page</p><script>document.title = "script"; ${read}</script>`
          )
        })
        const modern = yield* openPage()
        const refused = yield* Effect.promise(() => modern.goto(`${base}/${HOST}/page`).then(() => "", String))
        assert.include(refused, "ERR_HTTP_RESPONSE_CODE_FAILURE")
        assert.lengthOf(upstream.seen, 0)

        // A browser that does not send Sec-Fetch-Dest, so that only the policy protects.
        const { port } = yield* listen(Http.createServer((request, response) => {
          const headers = Object.fromEntries(
            Object.entries(request.headers).filter(([name]) => !name.startsWith("sec-fetch-"))
          )
          const own = { ...headers, host: `127.0.0.1:${proxy.port}` }
          Http.get({ host: "127.0.0.1", port: proxy.port, path: request.url, headers: own }, (received) => {
            response.writeHead(received.statusCode ?? 0, received.headers)
            received.pipe(response)
          })
        }))
        const address = `http://127.0.0.1:${port}${new URL(base).pathname}`
        const page = yield* openPage()
        const shown = yield* Effect.promise(async () => {
          await page.goto(`${address}/${HOST}/page`, { waitUntil: "networkidle" })
          return { text: await page.innerText("body"), title: await page.title() }
        })
        assert.deepStrictEqual(shown, { text: "page", title: "" })
      })
  )

  live("refuses pages of other origins and other host names, even with the credential", function*() {
    const { exchange, base, proxy, upstream } = yield* setUp()
    const own = `127.0.0.1:${proxy.port}`
    const refused = [
      [`Host: ${own}`, "Origin: https://evil.test"],
      [`Host: ${own}`, "Origin: null"],
      [`Host: ${own}`, "Origin: http://localhost:3000"],
      [`Host: ${own}`, "Sec-Fetch-Site: cross-site"],
      [`Host: ${own}`, "Sec-Fetch-Site: same-site"],
      ["Host: rebound.test"],
      [`Host: rebound.test:${proxy.port}`],
      ["Host: 127.0.0.1"]
    ]
    for (const headers of refused) {
      assert.strictEqual((yield* exchange(`${base}/${HOST}/`, headers)).status, 404, headers.join())
    }
    assert.lengthOf(upstream.seen, 0)
    assert.strictEqual((yield* exchange(`${base}/${HOST}/`, [`Host: localhost:${proxy.port}`])).status, 200)
    assert.strictEqual(
      (yield* exchange(`${base}/${HOST}/`, [`Host: ${own}`, "Sec-Fetch-Site: same-origin"])).status,
      200
    )
  })

  live("reaches no other host, for any URL", function*() {
    const { exchange, base, credential, upstream } = yield* setUp()
    const hosts = [
      [STRANGER, 403],
      [`${HOST}:8443`, 403],
      ["127.0.0.1", 403],
      [`${HOST}%2f.evil.test`, 404],
      [`x@y@${HOST}:8443`, 403],
      [`-x@${HOST}`, 404],
      [`x:y@${HOST}`, 404],
      ["", 404]
    ] as const
    for (const [host, status] of hosts) {
      const response = yield* exchange(`${base}/${host}/`)
      assert.strictEqual(response.status, status, host)
      assert.notInclude(response.body, credential)
    }
    assert.strictEqual((yield* exchange(`${base}/${HOST}/#/../x`)).status, 404)
    assert.lengthOf(upstream.seen, 0)
  })

  live("does not disclose the base URL to the provider", function*() {
    const { exchange, base, credential, proxy, upstream } = yield* setUp()
    const own = `127.0.0.1:${proxy.port}`
    yield* exchange(`${base}/${HOST}/a`, [
      `Host: ${own}`,
      `Origin: http://${own}`,
      `Referer: ${base}/${HOST}/b`,
      `X-Callback: ${base}/${HOST}/c`,
      "X-Kept: yes"
    ])
    const text = JSON.stringify(upstream.seen)
    assert.include(text, "X-Kept")
    assert.notInclude(text, credential)
    assert.notInclude(text, "127.0.0.1")
    assert.strictEqual((yield* exchange(`${base}/${HOST}/?next=${base}/${HOST}/`)).status, 404)
    assert.lengthOf(upstream.seen, 1)
  })

  live("rewrites redirects and links to the same host, and does not change others", function*() {
    const targets: Readonly<Record<string, string>> = {
      "/whole": `https://${HOST}/next?page=2#top`,
      "/path": "/next",
      "/relative": "./next",
      "/other": `https://${STRANGER}/next`,
      "/port": `https://${HOST}:8443/next`,
      "/clear": `http://${HOST}/next`,
      "/scheme-relative": `//${STRANGER}/next`,
      "/backslashes": `\\\\${STRANGER}/next`,
      "/scheme-relative-own": `//${HOST}/next`,
      "/other-scheme": "app:done"
    }
    const { exchange, base } = yield* setUp((request, response) => {
      response.setHeader("Location", targets[request.url ?? ""] ?? "")
      const links = [
        `<https://${HOST}/p2>; rel="next"`,
        `<https://${STRANGER}/>; rel="help"`,
        `<//${STRANGER}/a>; rel="icon"`
      ]
      response.setHeader("Link", links.join(", "))
      response.writeHead(302).end()
    })
    const located = (path: string) =>
      Effect.map(exchange(`${base}/${HOST}${path}`), ({ headers }) => headers.get("location"))
    assert.strictEqual(yield* located("/whole"), `${base}/${HOST}/next?page=2#top`)
    assert.strictEqual(yield* located("/path"), `${base}/${HOST}/next`)
    assert.strictEqual(yield* located("/relative"), `${base}/${HOST}/next`)
    assert.strictEqual(yield* located("/scheme-relative-own"), `${base}/${HOST}/next`)
    for (const path of ["/other", "/port", "/clear", "/other-scheme"]) {
      assert.strictEqual(yield* located(path), targets[path])
    }
    // Relative to the base URL, it would be `http://`.
    for (const path of ["/scheme-relative", "/backslashes"]) {
      assert.strictEqual(yield* located(path), `https://${STRANGER}/next`)
    }
    assert.strictEqual(
      (yield* exchange(`${base}/${HOST}/whole`)).headers.get("link"),
      `<${base}/${HOST}/p2>; rel="next", <https://${STRANGER}/>; rel="help", <https://${STRANGER}/a>; rel="icon"`
    )
  })

  live("removes cookies, which a client would send to other providers and other ports", function*() {
    const { base, connect, exchange, head, own, upstream } = yield* setUp((_request, response) => {
      response.writeHead(200, {
        "Set-Cookie": ["sid=1; Path=/", "b=2"],
        "Clear-Site-Data": `"cookies"`,
        "X-Kept": "yes"
      }).end()
    })
    upstream.server.on("upgrade", (_request, socket: Duplex) =>
      socket.end(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSet-Cookie: sid=1\r\nX-Kept: yes\r\n\r\n"
      ))
    const response = yield* exchange(`${base}/${HOST}/`, [own, "Cookie: local=1", "X-Sent: yes"])
    assert.deepInclude(upstream.seen[0]?.headers, { "x-sent": "yes" })
    assert.notProperty(upstream.seen[0]?.headers, "cookie")
    assert.strictEqual(response.headers.get("x-kept"), "yes")
    assert.notMatch(response.head, /cookie/i)
    const wire = yield* connect
    const handshake = yield* wire.exchange(
      head(`${base}/${HOST}/socket`, [own, ...WEBSOCKET.trimEnd().split("\r\n")])
    )
    assert.strictEqual(handshake.status, 101)
    assert.strictEqual(handshake.headers.get("x-kept"), "yes")
    assert.notMatch(handshake.head, /cookie/i)
  })

  live("rewrites Content-Location and early hints to the same host, and drops Refresh", function*() {
    const { base, connect, head, own } = yield* setUp((_request, response) => {
      response.writeEarlyHints({ link: [`</style.css>; rel=preload`, `<https://${HOST}/a.js>; rel=preload`] })
      response.setHeader("Content-Location", "/v1/self")
      response.setHeader("Refresh", "0; url=/next")
      response.end()
    })
    const wire = yield* connect
    const hint = yield* wire.exchange(head(`${base}/${HOST}/v1/a`, [own]))
    const response = yield* promise(() => wire.response())
    assert.strictEqual(
      hint.headers.get("link"),
      `<${base}/${HOST}/style.css>; rel=preload, <${base}/${HOST}/a.js>; rel=preload`
    )
    assert.strictEqual(response.headers.get("content-location"), `${base}/${HOST}/v1/self`)
    assert.isFalse(response.headers.has("refresh"))
  })

  live("prevents a client that follows a redirect from disclosing the base URL", function*() {
    const stranger = yield* FakeUpstream.make()
    const { base, credential, exchange, forward, open, proxy, upstream } = yield* setUp((_request, response) => {
      response.writeHead(302, {
        Location: `http://127.0.0.1:${stranger.port}/`,
        "Referrer-Policy": ["unsafe-url", "origin"]
      })
      response.end()
    })
    const response = yield* exchange(`${base}/${HOST}/v1`)
    const policies = response.head.split("\r\n").filter((line) => /^referrer-policy:/i.test(line))
    assert.deepStrictEqual(policies, ["Referrer-Policy: no-referrer"])
    const told = `Referer: ${base}/${HOST}/v1\r\nOrigin: http://127.0.0.1:${proxy.port}\r\nX-From: ${credential}\r\n`
    yield* (yield* open()).exchange("GET /", `${told}Via: kept\r\n`)
    const target = `127.0.0.1:${stranger.port}`
    yield* forward(`GET http://${target}/`, `Host: ${target}\r\n${told}Via: kept\r\n`)
    assert.lengthOf(stranger.seen, 1)
    assert.lengthOf(upstream.seen, 2)
    for (const { headers, rawHeaders } of [...upstream.seen.slice(1), ...stranger.seen]) {
      assert.strictEqual(headers["via"], "kept")
      assert.notInclude(rawHeaders.join(), credential)
      assert.notInclude(rawHeaders.join(), String(proxy.port))
    }
  })

  live("relays WebSockets under the same rules, and ignores other upgrades", function*() {
    const { base, connect, exchange, head, own, upstream } = yield* setUp()
    upstream.server.on("upgrade", (request, socket) => {
      upstream.seen.push({
        method: "",
        url: request.url ?? "",
        rawHeaders: request.rawHeaders,
        headers: request.headers
      })
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello")
    })
    const websocket = WEBSOCKET.trimEnd().split("\r\n")
    const wire = yield* connect
    wire.send(head(`${base}/${HOST}/socket`, [own, ...websocket]))
    const heard = yield* promise(() => wire.text("hello"))
    assert.match(heard, /^HTTP\/1\.1 101 [\s\S]*hello$/)
    assert.strictEqual(upstream.seen[0]?.headers.authorization, `Bearer ${SECRET}`)
    for (const headers of [[own, ...websocket, "Origin: https://evil.test"], ["Host: x.test", ...websocket]]) {
      assert.strictEqual((yield* exchange(`${base}/${HOST}/socket`, headers)).status, 404)
    }
    assert.strictEqual((yield* exchange(`${base}/${STRANGER}/`, [own, ...websocket])).status, 403)
    const ignored = yield* exchange(`${base}/${HOST}/plain`, [
      own,
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c"
    ])
    assert.strictEqual(ignored.status, 200)
    assert.notProperty(upstream.seen.at(-1)?.headers ?? {}, "upgrade")
  })

  live("ignores a WebSocket handshake that is pipelined behind another request", function*() {
    const { base, connect, daemon, exchange, head, own, upstream } = yield* setUp((request, response) => {
      if (request.url !== "/slow") response.end()
    })
    const wire = yield* connect
    const handshake = head(`${base}/${HOST}/socket`, [own, "Connection: Upgrade", "Upgrade: websocket"])
    wire.send(head(`${base}/${HOST}/slow`) + handshake)
    yield* promise(() => until(() => upstream.seen.length === 1))
    wire.socket.destroy()
    assert.strictEqual((yield* exchange(`${base}/${HOST}/`)).status, 200)
    // Two requests, without the WebSocket handshake.
    assert.lengthOf(daemon.resolved, 2)
  })

  live("is not started in a run with a proxy", function*() {
    const { exchange, proxy } = yield* setUp(undefined, { baseUrl: false })
    const { password } = new URL(proxy.proxyUrl)
    assert.strictEqual((yield* exchange(`/r/${password}/${HOST}/`)).status, 400)
  })
})

describe("BaseUrlEnvironment", () => {
  live("sets base URLs and placeholders, but neither a proxy nor a certificate authority", function*() {
    const { base, notices, variables } = yield* setUp()
    assert.deepStrictEqual(variables, {
      PATH: "/bin",
      EXAMPLE_API_KEY: MARKER,
      EXAMPLE_TENANT: `${base}/${HOST}/tenant`,
      EXAMPLE_BASE_URL: `${base}/${HOST}/v1`,
      CREDSVC_BASE_URL: base,
      CREDSVC_RUN: "unregistered"
    })
    assert.deepStrictEqual(notices, [])
  })

  live("bypasses the parent's proxy, reports replaced URLs and removes the master key", function*() {
    const { proxy } = yield* setUp()
    const { notices, variables } = yield* proxy.environment({
      http_proxy: "http://corp.test:3128",
      no_proxy: "a.test localhost",
      EXAMPLE_BASE_URL: "https://mine.test",
      CREDSVC_MASTER_KEY: "a2V5"
    })
    assert.strictEqual(variables["http_proxy"], "http://corp.test:3128")
    assert.strictEqual(variables["NO_PROXY"], "localhost,127.0.0.1,::1,a.test")
    assert.notProperty(variables, "CREDSVC_MASTER_KEY")
    assert.strictEqual(
      notices.join(),
      `EXAMPLE_BASE_URL pointed to https://mine.test; in this run it points to https://${HOST}, with your credential`
    )
  })

  live("reports only the origin of a replaced URL, because the rest may be secret", function*() {
    const { proxy } = yield* setUp()
    const shownFor = (address: string) =>
      Effect.map(proxy.environment({ EXAMPLE_BASE_URL: address }), ({ notices }) => notices.join())
    assert.match(
      yield* shownFor("https://me:word@mine.test:8443/hooks/token?key=value#x"),
      / to https:\/\/mine\.test:8443; /
    )
    assert.match(yield* shownFor("me:word@mine.test/token"), / to another address; /)
  })

  live("replaces base URLs of an enclosing run, which uses other credentials", function*() {
    const outer = yield* setUp()
    const inner = yield* setUp(undefined, { providers: ["sibling"] })
    const plain = yield* setUp(undefined, { baseUrl: false })
    const around = outer.variables
    const { notices, variables } = yield* inner.proxy.environment(around)
    assert.deepStrictEqual([
      variables["EXAMPLE_BASE_URL"],
      variables["EXAMPLE_TENANT"],
      variables["CREDSVC_BASE_URL"]
    ], [
      `https://${HOST}/v1`,
      `https://${HOST}/tenant`,
      inner.base
    ])
    assert.deepStrictEqual(notices, [])
    const behindProxy = (yield* plain.proxy.environment(around)).variables
    assert.strictEqual(behindProxy["EXAMPLE_BASE_URL"], `https://${HOST}/v1`)
    assert.strictEqual(behindProxy["EXAMPLE_TENANT"], `https://${HOST}/tenant`)
    assert.notInclude(JSON.stringify([variables, behindProxy]), outer.credential)
  })
})
