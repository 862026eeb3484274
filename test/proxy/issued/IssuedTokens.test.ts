/** Tokens that an API issues to the client. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { IssuedTokens } from "../../../src/domain/injection/IssuedTokens.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { CANARY, discloses, encodingsOf } from "../../support/Canary.ts"
import type * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { get, setUp } from "../../support/Http2Peers.ts"
import { EVIL, HOST, proxied } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, type HarnessOptions, MARKER, route, SECRET } from "../../support/ProxyHarness.ts"

const declared: IssuedTokens = {
  requests: [`POST,PUT ${HOST}/apps/*/token`, `GET ${HOST}/session`],
  tokens: ["/token", "/auth/client~1token"],
  tokenHeaders: ["X-Subject-Token"],
  uses: [`${HOST}/**`],
  useHeaders: ["Authorization", "X-Session"],
  placeholder: `ghs_${MARKER}`
}

const daemonWith = (issuedTokens: IssuedTokens = declared) =>
  fakeDaemon([route(HOST, "example"), route(EVIL, "other")], {
    resolve: (request) =>
      Effect.succeed({ ...bearer(request), ...(request.host === HOST ? { issuedTokens: [issuedTokens] } : {}) })
  })

/** Issues the canary for every request that ends with `token`, and repeats the header fields of all others. */
const issuer: FakeUpstream.Handler = (incoming, response) => {
  response.setHeader("Content-Type", "application/json")
  if (incoming.url?.endsWith("token") === true) {
    const body = JSON.stringify({ token: CANARY, expires_in: 60, key: SECRET, also: `${CANARY}!` })
    response.setHeader("Set-Cookie", `session=${CANARY}`)
    response.setHeader("Content-Length", Buffer.byteLength(body))
    return response.end(body)
  }
  response.setHeader("X-Repeated", incoming.headers.authorization ?? "")
  response.end(JSON.stringify(incoming.headers))
}

const api = (handler: FakeUpstream.Handler = issuer, options: Partial<HarnessOptions> = {}) =>
  proxied(handler, { daemon: daemonWith(), ...options })

const POST = "Content-Length: 0\r\n"
const PLACEHOLDER = RegExp(`^ghs_${MARKER}\\.issued\\.[\\w-]{8}$`)

const responds = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200) =>
  api((_, response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers })
    response.end(body)
  })

const requestToken = (parts: Effect.Success<ReturnType<typeof api>>) =>
  Effect.map(parts.exchange("POST /apps/1/token", POST), ({ body }) => (JSON.parse(body) as { token: string }).token)

const lastHeaders = ({ upstream }: Effect.Success<ReturnType<typeof api>>) => upstream.seen.at(-1)!.headers

describe("a token that an API issues", () => {
  live("reaches the client as a placeholder, in the content and in header fields, over HTTP/1.1", function*() {
    const { body, complete, headers } = yield* (yield* api()).exchange("POST /apps/1/token", POST)
    const content = JSON.parse(body)
    assert.isTrue(complete)
    assert.match(content.token, PLACEHOLDER)
    assert.strictEqual(content.also, `${content.token}!`)
    assert.strictEqual(content.key, MARKER)
    assert.strictEqual(content.expires_in, 60)
    assert.strictEqual(headers.get("set-cookie"), `session=${content.token}`)
    assert.isFalse(discloses(body + JSON.stringify([...headers]), CANARY))
  })

  live("reaches the client as a placeholder over HTTP/2", function*() {
    const { session } = yield* setUp((stream) => {
      stream.respond({ "content-type": "application/json", "x-subject-token": CANARY })
      stream.write(`{"auth":{"client/token":"${CANARY.slice(0, 9)}`)
      setImmediate(() => stream.end(`${CANARY.slice(9)}"}}`))
    }, { daemon: daemonWith() })
    const { body, headers } = yield* Effect.promise(() => get(session, "/session"))
    const { auth } = JSON.parse(body)
    assert.match(auth["client/token"], PLACEHOLDER)
    assert.strictEqual(headers["x-subject-token"], auth["client/token"])
  })

  live("reaches the client as a placeholder from a response without content", function*() {
    const { exchange } = yield* responds("", { "X-Subject-Token": CANARY }, 204)
    assert.match((yield* exchange("POST /apps/1/token", POST)).headers.get("x-subject-token")!, PLACEHOLDER)
  })

  live("is replaced in every encoding, even where it is not declared", function*() {
    const also = Object.values(encodingsOf(CANARY)).flat()
    const { exchange } = yield* responds(`{"token":"${CANARY}","also":"${also.join(" ").replaceAll("\"", "")}"}`)
    assert.isFalse(discloses((yield* exchange("POST /apps/1/token", POST)).body, CANARY))
  })

  live("takes the place of the credential in a later request with its placeholder", function*() {
    const parts = yield* api()
    const token = yield* requestToken(parts)
    const basic = (text: string) => Buffer.from(`x-access-token:${text}`).toString("base64")
    const cases = [
      [`Bearer ${token}`, `Bearer ${CANARY}`],
      [`token ${token}`, `token ${CANARY}`],
      [`Basic ${basic(token)}`, `Basic ${basic(CANARY)}`],
      // As the search pads it in streamed content.
      [`Bearer ${token}----`, `Bearer ${CANARY}`]
    ]
    for (const [given, sent] of cases) {
      const { body, headers } = yield* parts.exchange("GET /me", `Authorization: ${given}\r\n`)
      assert.strictEqual(lastHeaders(parts).authorization, sent)
      assert.isFalse(discloses(body + JSON.stringify([...headers]), CANARY), given)
    }
    yield* parts.exchange("GET /me", `X-Session: ${token}\r\nAuthorization: Bearer ${MARKER}\r\n`)
    assert.strictEqual(lastHeaders(parts)["x-session"], CANARY)
    assert.isUndefined(lastHeaders(parts).authorization)
    yield* parts.exchange("GET /me", `Authorization: Bearer ${MARKER}\r\n`)
    assert.strictEqual(lastHeaders(parts).authorization, `Bearer ${SECRET}`)
  })

  live("is replaced by its own placeholder in later responses, even compressed ones to other requests", function*() {
    const list = builtins.zlib.gzipSync(`tokens: ${CANARY}`)
    const parts = yield* api((incoming, response) => {
      if (incoming.url === "/apps/1/token") return issuer(incoming, response)
      response.writeHead(200, { "Content-Type": "text/plain", "Content-Encoding": "gzip" })
      response.end(list)
    })
    const token = yield* requestToken(parts)
    const { body } = yield* parts.exchange("GET /tokens", "Accept-Encoding: gzip\r\n")
    assert.strictEqual(body, `tokens: ${token.slice(0, CANARY.length).padEnd(CANARY.length, "-")}`)
  })

  live("keeps its placeholder when the API issues it again", function*() {
    const parts = yield* api()
    assert.strictEqual(yield* requestToken(parts), yield* requestToken(parts))
  })

  live("is not sent to another host, to another path, or in another header", function*() {
    const parts = yield* api(issuer, { daemon: daemonWith({ ...declared, uses: [`${HOST}/v1/**`] }) })
    const token = yield* requestToken(parts)
    const sent = parts.upstream.seen.length
    const { exchange } = yield* parts.open({}, `${EVIL}:443`)
    const evil = yield* exchange("GET /v1/me", "").pipe(Effect.as(undefined), Effect.ignore)
    assert.isUndefined(evil)
    const refusals = [
      yield* parts.exchange("GET /v2", `Authorization: Bearer ${token}\r\n`),
      yield* parts.exchange("GET /v1/..%2fv2", `Authorization: Bearer ${token}\r\n`),
      yield* parts.exchange("GET /v1/me", `X-Api-Key: ${token}\r\n`)
    ]
    assert.deepStrictEqual(refusals.map(({ status }) => status), [403, 403, 403])
    assert.include(refusals[0]!.body, "a token that example has issued must not be sent to this path")
    assert.include(refusals[2]!.body, "only in the header authorization or x-session")
    assert.strictEqual(parts.upstream.seen.slice(sent).filter(({ headers }) => headers.host === HOST).length, 0)
    assert.isFalse(discloses(JSON.stringify(parts.upstream.seen), CANARY))
  })

  live("is not sent to the host of another provider", function*() {
    const parts = yield* api()
    const token = yield* requestToken(parts)
    const sent = parts.upstream.seen.length
    const response = yield* parts.forward(
      `GET https://${EVIL}/me`,
      `Host: ${EVIL}\r\nAuthorization: Bearer ${token}\r\n`
    )
    assert.strictEqual(response.status, 403)
    assert.strictEqual(parts.upstream.seen.length, sent)
  })

  live("is refused by its placeholder in another run, and after the API has issued many other tokens", function*() {
    const { exchange } = yield* api()
    const unknown = yield* exchange("GET /me", `Authorization: Bearer ${MARKER}.issued.AbCd1234\r\n`)
    assert.strictEqual(unknown.status, 403)
    assert.include(unknown.body, "can be used in the run that requested it only")
    let count = 0
    const parts = yield* api((incoming, response) =>
      incoming.url === "/apps/1/token"
        ? response.end(JSON.stringify({ token: `token-number-${++count}` }))
        : issuer(incoming, response)
    )
    const first = yield* requestToken(parts)
    const second = yield* requestToken(parts)
    for (let more = 0; more < 255; more++) yield* requestToken(parts)
    assert.strictEqual((yield* parts.exchange("GET /me", `Authorization: Bearer ${first}\r\n`)).status, 403)
    yield* parts.exchange("GET /me", `Authorization: Bearer ${second}\r\n`)
    assert.strictEqual(lastHeaders(parts).authorization, "Bearer token-number-2")
  })

  live("is refused for an ambiguous request", function*() {
    const parts = yield* api()
    const lines = ["/apps/../apps/1/token", "//apps/1/token", "/apps/1/x;/../token", "/apps/1/token%252f"]
    for (const path of lines) {
      const { body, status } = yield* parts.exchange(`POST ${path}`, POST)
      assert.strictEqual(status, 403, path)
      assert.include(body, "this host issues tokens")
    }
    assert.strictEqual((yield* parts.exchange("GET /x", "X-HTTP-Method-Override: POST\r\n")).status, 403)
    assert.strictEqual((yield* parts.exchange("GET /x?_method=POST", "")).status, 403)
    assert.strictEqual(parts.upstream.seen.length, 0)
    for (const path of ["/apps/1/token/", "/APPS/1/Token", "/apps%2f1/token", "/apps/1%2ftoken", "/apps/1/tok%65n"]) {
      const { body } = yield* parts.exchange(`POST ${path}`, POST)
      assert.isFalse(discloses(body, CANARY), path)
    }
  })

  live("is not passed on if the response cannot be read", function*() {
    const rows = [
      [builtins.zlib.gzipSync(`{"token":"${CANARY}"}`), { "Content-Encoding": "gzip" }, "a content coding"],
      [`{"token":"${CANARY}","more":"${"x".repeat(300_000)}"}`, {}, "more than 256 KiB"],
      [`token=${CANARY}`, {}, "not JSON"],
      [`{"token":"x","token":"${CANARY}"}`, {}, "not JSON"],
      [`{"token":["${CANARY}"]}`, {}, "not a text of at least 8 visible ASCII characters"],
      [`{"token":"${CANARY}\\r\\nX: y"}`, {}, "not a text of at least 8 visible ASCII characters"],
      ["{\"token\":\"short\"}", {}, "not a text of at least 8 visible ASCII characters"],
      [
        `{"token":"\\u${CANARY.charCodeAt(0).toString(16).padStart(4, "0")}${CANARY.slice(1)}"}`,
        {},
        "unusual spelling"
      ]
    ] as const
    for (const [content, headers, reason] of rows) {
      const { exchange } = yield* responds(content, headers)
      const { body, status } = yield* exchange("POST /apps/1/token", POST)
      assert.strictEqual(status, 502, reason)
      assert.include(body, reason)
      assert.isFalse(discloses(body, CANARY))
    }
  })

  live("is not expected in an error, and may be absent", function*() {
    const failing = yield* responds("no such app", {}, 404)
    assert.strictEqual((yield* failing.exchange("POST /apps/1/token", POST)).body, "no such app")
    const without = yield* responds("{\"ok\": false, \"token\": null}")
    assert.strictEqual((yield* without.exchange("POST /apps/1/token", POST)).body, "{\"ok\": false, \"token\": null}")
  })

  live("leaves the credential valid when the upstream rejects the token", function*() {
    const parts = yield* api((incoming, response) => {
      if (incoming.url === "/me") response.statusCode = 401
      issuer(incoming, response)
    })
    const token = yield* requestToken(parts)
    const { status } = yield* parts.exchange("GET /me", `Authorization: Bearer ${token}\r\n`)
    assert.strictEqual(status, 401)
    assert.isTrue(parts.daemon.resolved.every(({ rejected }) => rejected === undefined))
  })

  live(
    "is the only secret that a host with issued_tokens_only gets, and a 401 to it does not mark the credential",
    function*() {
      const daemon = fakeDaemon([route(HOST, "example")], {
        resolve: (request) => Effect.succeed({ ...bearer(request), headers: {}, secrets: [] })
      })
      const { exchange, upstream } = yield* api((_, response) => {
        response.statusCode = 401
        response.end()
      }, { daemon })
      assert.strictEqual((yield* exchange("GET /v2", `Authorization: Bearer ${MARKER}\r\n`)).status, 401)
      assert.isUndefined(upstream.seen[0]!.headers.authorization)
      assert.isTrue(daemon.resolved.every(({ rejected }) => rejected === undefined))
    }
  )

  live("is issued and sent only in requests that the rules of the run allow", function*() {
    const rules = [{ allow: [], deny: [`POST ${HOST}/apps/2/token`, `${HOST}/admin`], readonly: false }]
    const parts = yield* api(issuer, { rules })
    assert.strictEqual((yield* parts.exchange("POST /apps/2/token", POST)).status, 403)
    const token = yield* requestToken(parts)
    assert.strictEqual((yield* parts.exchange("GET /admin", `Authorization: Bearer ${token}\r\n`)).status, 403)
  })
})
