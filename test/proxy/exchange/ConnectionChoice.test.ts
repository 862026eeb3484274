/** A request chooses its connection by a placeholder, by a header field or by its base URL. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connectionPlaceholder, variableFor } from "../../../src/domain/injection/Placeholder.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { runProgram } from "../../support/Programs.ts"
import { certificate, HOST, proxied, proxyTo } from "../../support/ProxiedHost.ts"
import {
  bearer,
  type FakeDaemon,
  fakeDaemon,
  type HarnessOptions,
  MARKER,
  noCredential,
  route
} from "../../support/ProxyHarness.ts"

const work = connectionPlaceholder(`sk-${MARKER}`, "work")!

const daemon = (more: Partial<FakeDaemon> = {}) =>
  fakeDaemon([route(HOST, "example")], {
    resolve: (request) => Effect.succeed(bearer(request, `key of ${request.connection ?? "none"}`)),
    placeholders: [
      { provider: "example" as never, variable: "EXAMPLE_API_KEY", value: `sk-${MARKER}` },
      {
        provider: "example" as never,
        connection: "work" as never,
        own: true,
        variable: "WORK_EXAMPLE_API_KEY",
        value: work
      }
    ],
    ...more
  })

const setUp = (options: Partial<HarnessOptions> = {}) => proxied(undefined, { daemon: daemon(), ...options })

/** The key that the API has received last. */
const lastKey = ({ seen }: FakeUpstream.FakeUpstream) => seen.at(-1)?.headers.authorization

describe("the connection for a request", () => {
  live("is the one that the placeholder names, wherever the placeholder is", function*() {
    const { exchange, upstream } = yield* setUp()
    const basic = Buffer.from(`user:${work}`).toString("base64")
    const heads = [
      ["GET /", `Authorization: Bearer ${work}\r\n`],
      ["GET /", `X-Api-Key: ${work}\r\n`],
      ["GET /", `Authorization: Basic ${basic}\r\n`],
      ["GET /", `Cookie: a=b; key=${work}; c=d\r\n`],
      [`GET /?key=${work}&a=b`, ""]
    ] as const
    for (const [line, headers] of heads) {
      yield* exchange(line, headers)
      assert.strictEqual(lastKey(upstream), "Bearer key of work", line + headers)
    }
    yield* exchange("GET /", `Authorization: Bearer sk-${MARKER}\r\n`)
    assert.strictEqual(lastKey(upstream), "Bearer key of default")
    assert.notInclude(JSON.stringify(upstream.seen), MARKER)
  })

  live("is the one that the header field names, and the API does not receive this field", function*() {
    const { exchange, upstream } = yield* setUp()
    yield* exchange("GET /", "Credsvc-Connection: home\r\n")
    assert.strictEqual(lastKey(upstream), "Bearer key of home")
    const both = `Credsvc-Connection: home\r\nAuthorization: Bearer ${work}\r\n`
    yield* exchange("GET /", both)
    assert.strictEqual(lastKey(upstream), "Bearer key of work")
    assert.notInclude(JSON.stringify(upstream.seen).toLowerCase(), "credsvc-connection")
  })

  live("is the one that the base URL names", function*() {
    const upstream = yield* FakeUpstream.make({
      certificate,
      handler: (_request, response) => {
        response.setHeader("Location", `https://${HOST}/next`)
        response.end()
      }
    })
    const { proxy } = yield* proxyTo(upstream.port, { daemon: daemon(), baseUrl: true, peer: "own" })
    const send = (place: string) =>
      Effect.promise(async () => {
        const response = await fetch(`${proxy.baseUrl}/${place}/x`, { redirect: "manual" })
        return { status: response.status, body: await response.text(), location: response.headers.get("location") }
      })
    const chosen = yield* send(`work@${HOST}`)
    assert.strictEqual(upstream.seen[0]?.headers.authorization, "Bearer key of work")
    assert.strictEqual(chosen.location, `${proxy.baseUrl}/work@${HOST}/next`)
    const usual = yield* send(HOST)
    assert.strictEqual(lastKey(upstream), "Bearer key of default")
    assert.strictEqual(usual.location, `${proxy.baseUrl}/${HOST}/next`)
    assert.strictEqual((yield* send(`-work@${HOST}`)).status, 404)
  })

  live("is the only one that the run may use", function*() {
    const { exchange, proxy, upstream } = yield* setUp({ connections: { example: "home" } })
    const both = `Credsvc-Connection: other\r\nAuthorization: Bearer ${work}\r\n`
    yield* exchange("GET /", both)
    assert.strictEqual(lastKey(upstream), "Bearer key of home")
    assert.deepStrictEqual(proxy.placeholders.map(({ variable }) => variable), ["EXAMPLE_API_KEY"])
  })

  live("is refused with 409 and a list if the request names several connections or an unknown connection", function*() {
    const detail = "Connection \"nope\" not found for example. Existing connections: home, work. Create it with: …"
    const { exchange, upstream } = yield* setUp({
      daemon: daemon({ resolve: noCredential("CredentialMissingError", detail) })
    })
    const other = connectionPlaceholder(MARKER, "home")!
    const several = yield* exchange("GET /", `Authorization: Bearer ${work}\r\nX-Api-Key: ${other}\r\n`)
    assert.strictEqual(several.status, 409)
    assert.include(several.body, "placeholders of several connections (work, home)")
    assert.strictEqual((yield* exchange("GET /", "Credsvc-Connection: -a\r\n")).status, 409)
    const unknown = yield* exchange("GET /", "Credsvc-Connection: nope\r\n")
    assert.strictEqual(unknown.status, 409)
    assert.include(unknown.body, "Existing connections: home, work.")
    assert.lengthOf(upstream.seen, 0)
  })

  live("can differ between requests of one run that use different variables of the run", function*() {
    const { proxy, upstream } = yield* setUp({ peer: "own" })
    const { variables } = yield* proxy.environment({ PATH: process.env["PATH"], HOME: process.env["HOME"] })
    const program = `(async () => { for (const name of ["WORK_EXAMPLE_API_KEY", "EXAMPLE_API_KEY"]) {
        const headers = { authorization: "Bearer " + process.env[name] }
        console.log((await fetch("https://${HOST}/", { headers })).status)
      } })()`
    const ran = yield* runProgram(process.execPath, ["-e", program], variables)
    assert.strictEqual(ran.stdout, "200\n200\n", ran.output)
    assert.deepStrictEqual(upstream.seen.map(({ headers }) => headers.authorization), [
      "Bearer key of work",
      "Bearer key of default"
    ])
  })

  it("has a variable that begins with the connection's name and ends with the provider's variable", () => {
    assert.strictEqual(variableFor("OPENAI_API_KEY", "work"), "WORK_OPENAI_API_KEY")
    assert.strictEqual(variableFor("OPENAI_API_KEY", "2nd.team@acme"), "_2ND_TEAM_ACME_OPENAI_API_KEY")
    assert.strictEqual(variableFor("OPENAI_API_KEY", "@me"), "ME_OPENAI_API_KEY")
    assert.isUndefined(connectionPlaceholder(`${MARKER}-0000`, "work"))
  })
})
