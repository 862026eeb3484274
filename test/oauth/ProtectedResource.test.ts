import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { discoverAtOrigin } from "../../src/oauth/Discovery.ts"
import { OAuthUnavailable } from "../../src/oauth/OAuthErrors.ts"
import { discoverResource } from "../../src/oauth/ProtectedResource.ts"
import { failsWith } from "../support/Failures.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { effect } from "../support/Fixture.ts"

const reach = { allowLoopback: false, publicOnly: false }
const url = "https://mcp.example/team/mcp"
const byPath = "https://mcp.example/.well-known/oauth-protected-resource/team/mcp"
const byRoot = "https://mcp.example/.well-known/oauth-protected-resource"

const document = (resource: unknown, more: object = {}): FakeOAuthHttp.Reply => ({
  body: { resource, authorization_servers: ["https://as.example"], ...more }
})

const challenge = (parameters: string): FakeOAuthHttp.Reply => ({
  status: 401,
  headers: { "www-authenticate": `Bearer ${parameters}` }
})

const at = FakeOAuthHttp.scripted

const found = (http: FakeOAuthHttp.FakeOAuthHttp, of = url) =>
  discoverResource(of, reach).pipe(Effect.provide(http.layer))

describe("discoverResource", () => {
  effect("uses the metadata URL and the scopes of the challenge", function*() {
    const http = at({
      [url]: challenge("resource_metadata=\"https://mcp.example/meta\", scope=\"read write\""),
      "https://mcp.example/meta": document(url, { scopes_supported: ["read", "write", "admin"] })
    })
    assert.deepStrictEqual(yield* found(http), {
      resource: url,
      authorizationServers: ["https://as.example"],
      scopesSupported: ["read", "write", "admin"],
      scopesChallenged: ["read", "write"],
      isLegacy: false,
      reach,
      tried: []
    })
    assert.deepStrictEqual(http.sent.map(({ method, url }) => `${method} ${url}`), [
      `POST ${url}`,
      "GET https://mcp.example/meta"
    ])
  })

  effect("tries the well-known URL of the path, then the well-known URL of the root", function*() {
    const http = at({ [byRoot]: document("https://mcp.example") })
    assert.strictEqual((yield* found(http)).resource, "https://mcp.example")
    assert.deepStrictEqual(http.sent.slice(1).map(({ url }) => url), [byPath, byRoot])
    const below = at({ [`${url}/.well-known/oauth-protected-resource`]: document(url) })
    assert.strictEqual((yield* found(below)).resource, url)
    const first = at({ [byPath]: document(url), [byRoot]: document("https://evil.example") })
    assert.strictEqual((yield* found(first)).resource, url)
  })

  const demands = [
    challenge("resource_metadata_uri=\"https://mcp.example/meta\""),
    challenge("resource_metadata=https://mcp.example/meta"),
    challenge("realm=\"mcp\", Bearer resource_metadata=\"https://mcp.example/meta\""),
    { ...challenge("resource_metadata=\"https://mcp.example/meta\""), status: 403 }
  ]
  for (const demand of demands) {
    effect(`uses the metadata URL of ${demand.status} ${demand.headers!["www-authenticate"]}`, function*() {
      const http = at({ [url]: demand, "https://mcp.example/meta": document(url) })
      assert.strictEqual((yield* found(http)).resource, url)
      assert.deepStrictEqual(http.sent.map((request) => request.url), [url, "https://mcp.example/meta"])
    })
  }

  effect("requests the next address after a response without metadata, with any 4xx status", function*() {
    for (const status of [401, 404, 405]) {
      const http = at({ [url]: challenge("realm=\"mcp\""), [byPath]: { status }, [byRoot]: document(url) })
      assert.strictEqual((yield* found(http)).resource, url)
    }
    const pointing = challenge("resource_metadata=\"https://mcp.example/none\"")
    assert.strictEqual((yield* found(at({ [url]: pointing, [byPath]: document(url) }))).resource, url)
  })

  const speaking = [
    "https://mcp.example/team/mcp",
    "https://mcp.example/team/mcp/",
    "https://mcp.example/team",
    "https://mcp.example/team/",
    "https://mcp.example/",
    "https://mcp.example",
    "https://MCP.example",
    "http://mcp.example/team/mcp"
  ]
  for (const resource of speaking) {
    it.effect(`accepts metadata of ${resource} and keeps its spelling`, () =>
      Effect.map(
        found(at({ [byPath]: document(resource) })),
        (result) => assert.strictEqual(result.resource, resource)
      ))
  }

  const foreign = [
    "https://evil.example/team/mcp",
    "https://api.mcp.example/team/mcp",
    "https://mcp.example.evil.example/team/mcp",
    "https://mcp.example:8443/team/mcp",
    "http://mcp.example:8080/team/mcp",
    "https://mcp.example/team/mcp/deeper",
    "https://mcp.example/tea",
    "https://mcp.example/team/mc",
    "https://mcp.example/other",
    "https://mcp.example/team/mcp?tenant=2",
    "https://mcp.example/team/mcp#x",
    "https://u@mcp.example/team/mcp",
    "https://mcp.example/team/../other/mcp",
    7
  ]
  for (const resource of foreign) {
    effect(`rejects metadata of ${JSON.stringify(resource)}, wherever it is found`, function*() {
      const pointing = at({
        [url]: challenge("resource_metadata=\"https://real.example/meta\""),
        "https://real.example/meta": document(resource)
      })
      yield* failsWith(found(pointing), "OAuthUnsafe")
      for (const place of [byPath, byRoot]) {
        yield* failsWith(found(at({ [place]: document(resource) })), "OAuthUnsafe")
      }
    })
  }

  for (const resource of ["", undefined]) {
    effect(`rejects metadata of ${JSON.stringify(resource)}, but only on another host`, function*() {
      const pointing = at({
        [url]: challenge("resource_metadata=\"https://real.example/meta\""),
        "https://real.example/meta": document(resource)
      })
      yield* failsWith(found(pointing), "OAuthUnsafe")
      for (const place of [byPath, byRoot]) {
        assert.strictEqual((yield* found(at({ [place]: document(resource) }))).resource, url)
      }
    })
  }

  effect("keeps the query of a resource", function*() {
    const of = `${url}?tenant=1`
    const http = at({ [`${byPath}?tenant=1`]: document(of) })
    assert.strictEqual((yield* found(http, of)).resource, of)
  })

  effect("rejects metadata without a usable authorization server", function*() {
    const lists = [["http://as.example:80"], ["https://127.0.0.1"], ["javascript:x"], [7], {}, "http://127.0.0.1"]
    for (const authorization_servers of lists) {
      yield* failsWith(
        found(at({ [byPath]: document(url, { authorization_servers }) })),
        "OAuthUnsafe"
      )
    }
    const some = yield* found(
      at({
        [byPath]: document(url, { authorization_servers: ["http://127.0.0.1", "http://b.example"] })
      })
    )
    assert.deepStrictEqual(some.authorizationServers, ["https://b.example"])
  })

  effect("reads a single server that is not in a list, and no server from an absent, empty or null list", function*() {
    const rows = [["https://as.example", 1], [undefined, 0], [null, 0], ["", 0], [[], 0]] as const
    for (const [authorization_servers, count] of rows) {
      const { authorizationServers, isLegacy } = yield* found(
        at({ [byPath]: document(url, { authorization_servers }) })
      )
      assert.lengthOf(authorizationServers, count)
      assert.isFalse(isLegacy)
    }
  })

  effect("names no server without metadata, whatever the resource responds", function*() {
    const responses = [{ status: 404 }, { status: 200, body: {} }, { status: 401 }, challenge("scope=a")]
    for (const [index, response] of responses.entries()) {
      const { authorizationServers, isLegacy, resource } = yield* found(at({ [url]: response }))
      assert.deepStrictEqual(authorizationServers, [])
      assert.strictEqual(resource, url)
      assert.strictEqual(isLegacy, index > 1, "only one that demands a token may have default endpoints")
    }
  })

  effect("does not wait for a resource whose response does not end", function*() {
    const endless = new OAuthUnavailable({ reason: "timeout", detail: "took too long", sent: true })
    const http = FakeOAuthHttp.make((request) => request.method === "POST" ? endless : document(url))
    assert.strictEqual((yield* found(http)).resource, url)
    const down = new OAuthUnavailable({ reason: "unreachable", detail: "down", sent: false })
    yield* failsWith(found(FakeOAuthHttp.always(down)), "OAuthUnavailable")
  })

  const pointers = [
    "\"http://mcp.example:80/meta\"",
    "\"http://127.0.0.1:7998/\"",
    "\"file:///etc/passwd\"",
    "\"/meta\"",
    "'https://mcp.example/meta'"
  ]
  for (const pointer of pointers) {
    effect(`requests the well-known addresses if the challenge names ${pointer}`, function*() {
      const http = at({ [url]: challenge(`resource_metadata=${pointer}`), [byPath]: document(url) })
      assert.strictEqual((yield* found(http)).resource, url)
      assert.deepStrictEqual(http.sent.map((request) => request.url), [url, byPath])
    })
  }

  effect("does not allow a public resource to name addresses that are not public", function*() {
    const http = at({
      [url]: { ...challenge("resource_metadata=\"https://mcp.example/meta\""), publicPeer: true },
      "https://mcp.example/meta": document(url)
    })
    assert.deepStrictEqual((yield* found(http)).reach, { allowLoopback: false, publicOnly: true })
    assert.isTrue(http.sent[1]!.reach.publicOnly)
  })

  effect("sends no credential, and only requests that change nothing", function*() {
    const http = at({})
    yield* found(http)
    for (const sent of http.sent) assert.isUndefined(sent.authorization)
    assert.strictEqual(http.sent[0]!.fields["method"], "tools/list")
  })

  for (const publicPeer of [true, false]) {
    for (const reason of ["timeout", "malformed"] as const) {
      effect(
        `reaches ${publicPeer ? "only public" : "all"} addresses if the challenge fails (${reason}) and the server is ${
          publicPeer ? "public" : "private"
        }`,
        function*() {
          const failure = new OAuthUnavailable({ reason, detail: "no challenge", sent: true })
          const http = FakeOAuthHttp.make(({ method }) =>
            method === "POST" ? Effect.fail(failure) : { status: 404, publicPeer }
          )
          const resource = yield* found(http)
          assert.strictEqual(resource.reach.publicOnly, publicPeer)
          const server = yield* discoverAtOrigin("https://mcp.example", reach, { hasDefaults: true }).pipe(
            Effect.provide(http.layer)
          )
          assert.strictEqual(server.reach.publicOnly, publicPeer)
        }
      )
    }
  }

  effect("limits the length of the error, however many servers the metadata names", function*() {
    const servers = Array.from({ length: 3000 }, (_, index) => `ftp://as${index}.example/${"a".repeat(300)}`)
    const error = yield* failsWith(
      found(at({ [byPath]: document(url, { authorization_servers: servers }) })),
      "OAuthUnsafe"
    )
    assert.include(error.detail, "ftp://as0.example")
    assert.isBelow(error.detail.length, 1000)
  })
})
