import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { discover, discoverAtOrigin } from "../../src/oauth/Discovery.ts"
import { OAuthUnavailable } from "../../src/oauth/OAuthErrors.ts"
import { failsWith } from "../support/Failures.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { effect } from "../support/Fixture.ts"

const reach = { allowLoopback: false, publicOnly: false }

const metadata = (issuer: string, more: object = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  ...more
})

const at = FakeOAuthHttp.scripted

const found = (issuer: string, http: FakeOAuthHttp.FakeOAuthHttp, within = reach) =>
  discover(issuer, within).pipe(Effect.provide(http.layer))

describe("discover", () => {
  effect("tries the URLs of an issuer with a path in the order of the MCP specification", function*() {
    const http = at({})
    yield* failsWith(found("https://as.example/tenant/1", http), "OAuthUnsafe")
    assert.deepStrictEqual(http.sent.map(({ url }) => url), [
      "https://as.example/.well-known/oauth-authorization-server/tenant/1",
      "https://as.example/.well-known/openid-configuration/tenant/1",
      "https://as.example/tenant/1/.well-known/openid-configuration",
      "https://as.example/tenant/1/.well-known/oauth-authorization-server",
      "https://as.example/.well-known/oauth-authorization-server"
    ])
  })

  effect("tries two URLs of an issuer without a path", function*() {
    const http = at({})
    yield* Effect.flip(found("https://as.example", http))
    assert.deepStrictEqual(http.sent.map(({ url }) => url), [
      "https://as.example/.well-known/oauth-authorization-server",
      "https://as.example/.well-known/openid-configuration"
    ])
  })

  effect("uses no document that names another issuer, neither at the root nor below the path", function*() {
    const other = { body: metadata("https://as.example/tenant/2") }
    const http = at({
      "https://as.example/tenant/1/.well-known/oauth-authorization-server": other,
      "https://as.example/.well-known/oauth-authorization-server": { body: metadata("https://as.example") }
    })
    const error = yield* failsWith(found("https://as.example/tenant/1", http), "OAuthUnsafe")
    assert.include(error.message, `"https://as.example/tenant/2" instead of "https://as.example/tenant/1"`)
  })

  effect("continues after a generic page, a redirect, a refusal and a failing URL", function*() {
    const replies: ReadonlyArray<FakeOAuthHttp.Reply> = [
      { body: "<html>", headers: { "content-type": "text/html" } },
      { status: 302, headers: { location: "https://evil.example/" } },
      { status: 403, body: {} },
      { status: 500 },
      { body: [] }
    ]
    for (const reply of replies) {
      const http = at({
        "https://as.example/.well-known/oauth-authorization-server": reply,
        "https://as.example/.well-known/openid-configuration": { body: metadata("https://as.example") }
      })
      assert.strictEqual((yield* found("https://as.example", http)).tokenEndpoint, "https://as.example/token")
    }
  })

  effect("fails as unavailable if a URL fails and none has a document", function*() {
    yield* failsWith(found("https://as.example", FakeOAuthHttp.always({ status: 503 })), "OAuthUnavailable")
    const down = new OAuthUnavailable({ reason: "unreachable", detail: "down", sent: false })
    const http = FakeOAuthHttp.always(down)
    assert.strictEqual(yield* Effect.flip(found("https://as.example", http)), down)
    assert.strictEqual(http.sent.length, 1)
  })

  const others = [
    "https://as.example//",
    "https://as.example/tenant",
    "HTTPS://as.example",
    "https://AS.example",
    "https://as.example:443",
    "https://as.example/.",
    "https://evil.example",
    " https://as.example",
    undefined,
    7
  ]
  for (const issuer of others) {
    effect(`rejects metadata of the issuer ${JSON.stringify(issuer)} for https://as.example`, function*() {
      const http = FakeOAuthHttp.always({ body: { ...metadata("https://as.example"), issuer } })
      const error = yield* failsWith(found("https://as.example", http), "OAuthUnsafe")
      assert.include(error.message, "an issuer other than the requested one")
    })
  }

  for (const plain of ["https://as.example", "https://as.example/tenant"]) {
    for (const [asked, named] of [[plain, `${plain}/`], [`${plain}/`, plain]] as const) {
      it.effect(`accepts metadata of ${named} for ${asked}, and keeps its spelling`, () =>
        Effect.map(
          found(asked, FakeOAuthHttp.always({ body: metadata(named) })),
          (server) => assert.strictEqual(server.issuer, named)
        ))
    }
  }

  effect(
    "accepts the origin as the name of an issuer with a path only at the well-known addresses of the origin",
    function*() {
      const issuer = "https://as.example/tenant"
      const reply = { body: metadata("https://as.example") }
      for (const name of ["oauth-authorization-server", "openid-configuration"]) {
        const http = at({ [`https://as.example/.well-known/${name}/tenant`]: reply })
        assert.strictEqual((yield* found(issuer, http)).issuer, issuer)
        yield* failsWith(found(issuer, at({ [`${issuer}/.well-known/${name}`]: reply })), "OAuthUnsafe")
      }
    }
  )

  effect("reads http addresses in metadata as https, except addresses of this machine", function*() {
    const body = metadata("http://as.example", { revocation_endpoint: "http://as.example" })
    const server = yield* found("https://as.example", FakeOAuthHttp.always({ body }))
    assert.strictEqual(server.issuer, "https://as.example")
    assert.strictEqual(server.tokenEndpoint, "https://as.example/token")
    assert.strictEqual(server.revocationEndpoint, "https://as.example/")
    const local = metadata("https://as.example", { token_endpoint: "http://127.0.0.1/token" })
    const allowed = found("https://as.example", FakeOAuthHttp.always({ body: local }), {
      allowLoopback: true,
      publicOnly: false
    })
    assert.strictEqual((yield* allowed).tokenEndpoint, "http://127.0.0.1/token")
  })

  effect("lists the addresses that it has tried", function*() {
    const openid = "https://as.example/.well-known/openid-configuration"
    const error = yield* Effect.flip(found("https://as.example", at({ [openid]: { body: "<html>" } })))
    const first = "https://as.example/.well-known/oauth-authorization-server (404)"
    assert.include(error.message, `tried ${first}, ${openid} (no JSON)`)
  })

  const json = JSON.stringify(metadata("https://as.example", { revocation_endpoint: null, registration_endpoint: "" }))
  const cases = [
    ["without a media type", { body: json }],
    ["as text", { body: json, headers: { "content-type": "text/plain" } }],
    ["after a byte order mark", { body: `\uFEFF${json}` }]
  ] as const
  for (const [what, reply] of cases) {
    effect(`reads metadata ${what}, whose absent endpoints are null or empty`, function*() {
      const server = yield* found("https://as.example", FakeOAuthHttp.always(reply))
      assert.strictEqual(server.tokenEndpoint, "https://as.example/token")
      assert.isUndefined(server.revocationEndpoint)
      assert.isUndefined(server.registrationEndpoint)
    })
  }

  const redirecting = (locations: ReadonlyArray<string>, status = 302): FakeOAuthHttp.FakeOAuthHttp =>
    FakeOAuthHttp.make((request) => {
      const location = locations[http(request.url)]
      return location === undefined
        ? { body: metadata("https://as.example"), publicPeer: true }
        : { status, headers: { location }, publicPeer: true }
    })
  const http = (url: string): number => Number(/hop-(\d)$/.exec(url)?.[1] ?? 0)
  const hops = (count: number) => Array.from({ length: count }, (_, index) => `/hop-${index + 1}`)

  for (const status of [301, 302, 303, 307, 308]) {
    effect(`follows three redirects of metadata with ${status}, but not four`, function*() {
      assert.strictEqual(
        (yield* found("https://as.example", redirecting(hops(3), status))).issuer,
        "https://as.example"
      )
      yield* failsWith(found("https://as.example", redirecting(hops(4), status)), "OAuthUnsafe")
    })
  }

  const rows = [
    "http://as.example:8080/x",
    "https://127.0.0.1/x",
    "http://[::1]:7998/x",
    "file:///etc/passwd",
    "https://u@b.example/"
  ]
  for (const location of rows) {
    effect(`does not follow a redirect of metadata to ${location}`, function*() {
      const http = redirecting([location])
      const loopback = { allowLoopback: true, publicOnly: false }
      yield* failsWith(found("https://as.example", http, loopback), "OAuthUnsafe")
      for (const { url } of http.sent) assert.match(url, /^https:\/\/as\.example\/\.well-known\//)
    })
  }

  const issuer = "https://as.example/go/other.example"
  const places: ReadonlyArray<readonly [what: string, from: string, to: string, followed: boolean]> = [
    ["a path of the issuer to its origin", `${issuer}/.well-known/openid-configuration`, "https://as.example/x", true],
    [
      "a path of the issuer to another origin",
      `${issuer}/.well-known/openid-configuration`,
      "https://other.example/x",
      false
    ],
    [
      "a well-known address of the origin to another origin",
      "https://as.example/.well-known/oauth-authorization-server/go/other.example",
      "https://other.example/x",
      true
    ]
  ]
  for (const [what, from, to, followed] of places) {
    effect(`${followed ? "follows" : "does not follow"} a redirect of metadata from ${what}`, function*() {
      const http = at({ [from]: { status: 302, headers: { location: to } }, [to]: { body: metadata(issuer) } })
      const result = yield* Effect.exit(found(issuer, http))
      assert.strictEqual(result._tag, followed ? "Success" : "Failure")
      assert.lengthOf(http.at(to), followed ? 1 : 0)
    })
  }

  effect("continues after a redirect to a server that cannot be reached", function*() {
    const down = new OAuthUnavailable({ reason: "unreachable", detail: "down", sent: false })
    const http = at({
      "https://as.example/.well-known/oauth-authorization-server": {
        status: 302,
        headers: { location: "https://down.example/" }
      },
      "https://down.example/": down,
      "https://as.example/.well-known/openid-configuration": { body: metadata("https://as.example") }
    })
    assert.strictEqual((yield* found("https://as.example", http)).tokenEndpoint, "https://as.example/token")
  })

  effect("accepts no metadata of another issuer after a redirect", function*() {
    const http = FakeOAuthHttp.make(({ url }) =>
      url.startsWith("https://as.example/")
        ? { status: 302, headers: { location: "https://evil.example/metadata" } }
        : { body: metadata("https://evil.example") }
    )
    yield* failsWith(found("https://as.example", http), "OAuthUnsafe")
  })

  for (
    const issuer of ["http://as.example", "https://as.example?x=1", "https://as.example#x", "https://u@as.example", "x"]
  ) {
    effect(`sends no request for the issuer ${issuer} (RFC 8414 section 2)`, function*() {
      const http = at({})
      yield* failsWith(found(issuer, http), "OAuthUnsafe")
      assert.strictEqual(http.sent.length, 0)
    })
  }

  const endpoints = [
    "authorization_endpoint",
    "token_endpoint",
    "device_authorization_endpoint",
    "revocation_endpoint",
    "registration_endpoint",
    "pushed_authorization_request_endpoint"
  ]
  for (const endpoint of endpoints) {
    effect(`rejects metadata whose ${endpoint} is not allowed`, function*() {
      const bad = [
        "http://as.example:8080/x",
        "https://127.0.0.1:7998/x",
        "http://[::1]/x",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://x@as.example/",
        "/relative",
        7,
        {}
      ]
      for (const value of bad) {
        const http = FakeOAuthHttp.always({ body: metadata("https://as.example", { [endpoint]: value }) })
        const error = yield* Effect.flip(found("https://as.example", http))
        assert.strictEqual(error._tag, "OAuthUnsafe", String(value))
        assert.include(error.message, endpoint.replaceAll("_", " "))
      }
    })
  }

  effect("reads the fields that the flows need", function*() {
    const server = yield* found(
      "https://as.example",
      FakeOAuthHttp.always({
        body: metadata("https://as.example", {
          code_challenge_methods_supported: ["S256", 7],
          token_endpoint_auth_methods_supported: ["none"],
          grant_types_supported: ["authorization_code"],
          scopes_supported: ["a", "b c", "d\u0007"],
          authorization_response_iss_parameter_supported: true,
          require_pushed_authorization_requests: true,
          client_id_metadata_document_supported: true,
          pushed_authorization_request_endpoint: "https://as.example/par"
        })
      })
    )
    assert.deepStrictEqual(JSON.parse(JSON.stringify(server)), {
      issuer: "https://as.example",
      issuerKnown: true,
      authorizationEndpoint: "https://as.example/authorize",
      tokenEndpoint: "https://as.example/token",
      pushedAuthorizationRequestEndpoint: "https://as.example/par",
      requirePushedAuthorizationRequests: true,
      issParameterSupported: true,
      codeChallengeMethods: ["S256"],
      tokenEndpointAuthMethods: ["none"],
      grantTypes: ["authorization_code"],
      scopesSupported: ["a"],
      clientIdMetadataDocumentSupported: true,
      reach
    })
  })

  effect("allows only public addresses in the metadata of a public server", function*() {
    const loopback = { allowLoopback: true, publicOnly: false }
    const reply = (endpoint: string, publicPeer: boolean) =>
      FakeOAuthHttp.always({ body: metadata("https://as.example", { revocation_endpoint: endpoint }), publicPeer })
    const strict = yield* found("https://as.example", reply("https://other.example/r", true), loopback)
    assert.deepStrictEqual(strict.reach, { allowLoopback: false, publicOnly: true })
    const local = "http://127.0.0.1:9/r"
    yield* failsWith(found("https://as.example", reply(local, true), loopback), "OAuthUnsafe")
    assert.strictEqual((yield* found("https://as.example", reply(local, false), loopback)).revocationEndpoint, local)
  })
})

describe("discoverAtOrigin", () => {
  const legacy = (http: FakeOAuthHttp.FakeOAuthHttp) =>
    discoverAtOrigin("https://mcp.example", reach, { hasDefaults: true }).pipe(Effect.provide(http.layer))

  effect("accepts metadata of any issuer at the origin", function*() {
    const mine = FakeOAuthHttp.always({ body: metadata("https://mcp.example/oauth") })
    assert.strictEqual((yield* legacy(mine)).issuer, "https://mcp.example/oauth")
  })

  effect("prefers metadata for the path of the resource, but only at addresses of the origin", function*() {
    const place = "https://mcp.example/.well-known/oauth-authorization-server"
    const own = { [`${place}/mcp`]: { body: metadata("https://mcp.example/mcp") } }
    const below = { [`https://mcp.example/mcp/.well-known/oauth-authorization-server`]: own[`${place}/mcp`]! }
    const found = (documents: Parameters<typeof at>[0]) =>
      discoverAtOrigin("https://mcp.example/mcp", reach).pipe(Effect.provide(at(documents).layer))
    const others = { [place]: { body: metadata("https://mcp.example") } }
    assert.strictEqual((yield* found({ ...own, ...others })).issuer, "https://mcp.example/mcp")
    assert.strictEqual((yield* found({ ...below, ...others })).issuer, "https://mcp.example")
  })

  effect("continues with the issuer that the metadata names, if the metadata of that issuer agrees", function*() {
    const own = "https://mcp.example/.well-known/oauth-authorization-server"
    const there = "https://login.example/.well-known/oauth-authorization-server"
    const pointing = { [own]: { body: metadata("https://login.example") } }
    const server = yield* legacy(at({ ...pointing, [there]: { body: metadata("https://login.example") } }))
    assert.strictEqual(server.tokenEndpoint, "https://login.example/token")
    yield* failsWith(legacy(at({ ...pointing, [there]: { body: metadata("https://mcp.example") } })), "OAuthUnsafe")
    yield* failsWith(legacy(at(pointing)), "OAuthUnsafe")
  })

  effect("uses no default endpoints if the server has unusable metadata", function*() {
    for (const issuer of [undefined, "http://mcp.example:8080", 7, "https://127.0.0.1"]) {
      const body = { ...metadata("https://mcp.example"), issuer }
      yield* failsWith(legacy(FakeOAuthHttp.always({ body })), "OAuthUnsafe")
    }
  })
})
