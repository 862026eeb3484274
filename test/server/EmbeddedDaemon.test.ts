/** The daemon on the server of another program, below a path. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { Readable } from "node:stream"
import { Paths, pathsOf } from "../../src/config/Paths.ts"
import { Settings, type SettingsShape } from "../../src/config/Settings.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import * as Daemon from "../../src/server/EmbeddedDaemon.ts"
import { oauthDocument } from "../support/Acme.ts"
import { testsWith } from "../support/Fixture.ts"
import { canBeOthers, curl, runAsOther } from "../support/OtherUser.ts"
import { register } from "../support/RegisteredRun.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { listen } from "../support/TestServer.ts"

const environmentOf = (home: string, settings: Partial<SettingsShape> = {}) =>
  Layer.mergeAll(Paths.layerNoDeps, PeerOwner.layer).pipe(
    Layer.provideMerge(Settings.layerOf({ home, masterKeyMode: Option.some("local_key"), ...settings }))
  )

/** As adapters of frameworks do it. */
const toRequest = (url: string, request: Http.IncomingMessage, response: Http.ServerResponse): Request => {
  const headers = new Headers()
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    headers.append(request.rawHeaders[at] ?? "", request.rawHeaders[at + 1] ?? "")
  }
  const abort = new AbortController()
  response.once("close", () => abort.abort())
  const hasBody = request.method !== "GET" && request.method !== "HEAD"
  return new Request(`${url}${request.url ?? ""}`, {
    method: request.method ?? "GET",
    headers,
    signal: abort.signal,
    ...(hasBody ? { body: Readable.toWeb(request) as ReadableStream, duplex: "half" } : {})
  })
}

const sendResponse = async (from: Response, to: Http.ServerResponse): Promise<void> => {
  to.writeHead(from.status, Object.fromEntries(from.headers))
  if (from.body === null) return void to.end()
  Readable.fromWeb(from.body as Parameters<typeof Readable.fromWeb>[0]).on("error", () => to.destroy()).pipe(to)
}

interface Host {
  readonly home: string
  readonly url: string
  readonly port: number
}

type Mount = (host: Host, server: Http.Server) => Effect.Effect<void, unknown, Scope.Scope>

const hosted = (mount: Mount) =>
  Effect.gen(function*() {
    const home = yield* temporaryDirectory
    const server = builtins.http.createServer()
    const { port } = yield* listen(server)
    const host = { home, port, url: `http://127.0.0.1:${port}` }
    yield* mount(host, server)
    return host
  })

const inWebServer = (socketOf: (request: Http.IncomingMessage) => Net.Socket | undefined): Mount => (host, server) =>
  Effect.gen(function*() {
    const layer = Daemon.layerWeb({ baseUrl: `${host.url}/team` }).pipe(Layer.provide(environmentOf(host.home)))
    const handler = Context.get(yield* Layer.build(layer), Daemon.WebHandler)
    server.on("request", (request, response) => {
      if (request.url === "/hello") return void response.end("hello")
      void handler(toRequest(host.url, request, response), socketOf(request)).then((from) =>
        sendResponse(from, response)
      )
    })
  })

const inRouter =
  (socketOf: (request: HttpServerRequest.HttpServerRequest) => Net.Socket | undefined): Mount => (host, server) =>
    Effect.gen(function*() {
      const routes = Layer.mergeAll(
        HttpRouter.add("GET", "/hello", HttpServerResponse.text("hello")),
        Daemon.layerRoutes({ baseUrl: `${host.url}/team`, socketOf })
      )
      const app = yield* HttpRouter.toHttpEffect(routes.pipe(Layer.provide(environmentOf(host.home))))
      server.on("request", yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope }))
    })

const nodeSocket = ({ source }: HttpServerRequest.HttpServerRequest) => (source as Http.IncomingMessage).socket

const get = (host: Host, path: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`${host.url}${path}`, { redirect: "manual", ...init })
    return { status: response.status, headers: response.headers, body: await response.text() }
  })

const posted = (body: string | ReadableStream): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body
})

const logIn = (host: Host) =>
  Effect.gen(function*() {
    const post = (path: string, body: unknown) =>
      Effect.map(get(host, path, posted(JSON.stringify(body))), (response) => JSON.parse(response.body))
    const session = yield* post("/team/auth/sessions", { provider: "openai" })
    assert.strictEqual(session.next_action.url, `${host.url}/team/auth/sessions/${session.session_id}/input`)
    const done = yield* post(`/team/auth/sessions/${session.session_id}/resume`, {
      data: { api_key: "sk-1234567890abcdef" }
    })
    assert.strictEqual(done.status, "completed", JSON.stringify(done))
  })

const ways = {
  "The routes in a web handler": { own: inWebServer(({ socket }) => socket), none: inWebServer(() => undefined) },
  "The routes in another router": { own: inRouter(nodeSocket), none: inRouter(() => undefined) }
}

describe.each(Object.entries(ways))("%s", (_, { none, own }) => {
  const mounted = testsWith(hosted(own))

  mounted.live("serve the interface and the pages below the path, beside routes of the program", function*(host) {
    assert.strictEqual((yield* get(host, "/hello")).body, "hello")
    yield* logIn(host)
    const page = yield* get(host, "/team/ui/connections")
    assert.strictEqual(page.status, 200)
    assert.include(page.body, ` href="/team/ui/apps/openai"`)
    assert.notMatch(page.body, / (?:href|src|action)="\/(?!team\/)/)
    assert.strictEqual((yield* get(host, "/team")).headers.get("location"), "/team/ui/")
    const { servers } = JSON.parse((yield* get(host, "/team/openapi.json")).body)
    assert.deepStrictEqual(servers, [{ url: `${host.url}/team` }])
  })

  mounted.live("show the pages of a login below the path", function*(host) {
    yield* get(host, "/team/providers", posted(JSON.stringify(oauthDocument({ oauth: { client_id: "app" } }))))
    const { body } = yield* get(host, "/team/auth/sessions", posted(JSON.stringify({ provider: "acme" })))
    const address = `/team/auth/sessions/${JSON.parse(body).session_id}/input?onward=1`
    assert.match((yield* get(host, address)).headers.get("location") ?? "", /^https:\/\/[^?]*\?.*state=/)
  })

  mounted.live("serve live pages", function*(host) {
    assert.strictEqual((yield* get(host, "/team/ui/events?since=x")).status, 200)
  })

  mounted.live("reject requests of other sites, rebound host names and other media types", function*(host) {
    const raw = (headers: Readonly<Record<string, string>>) =>
      Effect.callback<number>((resume) => {
        builtins.http.get(`${host.url}/team/connections`, { headers }, (response) => {
          response.resume()
          resume(Effect.succeed(response.statusCode ?? 0))
        })
      })
    assert.strictEqual(yield* raw({}), 200)
    assert.strictEqual(yield* raw({ host: "rebound.test" }), 403)
    assert.strictEqual(yield* raw({ origin: "https://evil.test" }), 403)
    assert.strictEqual(yield* raw({ "sec-fetch-site": "cross-site" }), 403)
    // The origin belongs to the other program.
    const page = yield* get(host, "/team/ui/", { headers: { "sec-fetch-site": "same-origin" } })
    assert.deepStrictEqual([page.status, page.headers.get("clear-site-data")], [200, null])
    const text = yield* get(host, "/team/auth/sessions", { method: "POST", body: "{}" })
    assert.strictEqual(text.status, 415)
    const large = yield* get(host, "/team/auth/sessions", posted(`{"provider":"${"x".repeat(1024 * 1024)}"}`))
    assert.strictEqual(large.status, 413)
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32))
    })
    const endless = yield* Effect.exit(
      Effect.tryPromise(() =>
        fetch(`${host.url}/team/auth/sessions`, { ...posted(stream), duplex: "half" } as RequestInit)
      )
    )
    if (endless._tag === "Success") assert.oneOf(endless.value.status, [411, 413])
  })

  mounted.live("admit clients of this home by its access key, and keep a run registered", function*(host) {
    yield* logIn(host)
    const run = yield* register({ url: `${host.url}/team`, paths: pathsOf(host.home) }, "r".repeat(43)).pipe(
      Effect.provide(PeerOwner.layer)
    )
    assert.strictEqual(run.status, 200)
    const { runs } = JSON.parse((yield* get(host, "/team/runs")).body)
    assert.strictEqual(runs.length, 1)
  })

  testsWith(hosted(none)).live("refuse every request if the program does not pass its connection", function*(host) {
    for (const path of ["/team", "/team/", "/team/health", "/team/ui/", "/team/connections", "/team/nothing"]) {
      const { body, status } = yield* get(host, path)
      assert.strictEqual(status, 403, path)
      assert.strictEqual(body, "")
    }
    assert.strictEqual((yield* get(host, "/hello")).status, 200)
  })

  mounted.live.skipIf(!canBeOthers)("refuse other users of this machine", function*(host) {
    const asOther = (path: string) => runAsOther(curl("-i", `${host.url}${path}`))
    const refused = yield* asOther("/team/health")
    assert.match(refused.stdout, /^HTTP\/1\.1 403/)
    assert.notInclude(refused.stdout, "{")
    assert.include((yield* asOther("/hello")).stdout, "hello")
  })
})

describe("A mounted daemon", () => {
  const failure = (baseUrl: string, settings: Partial<SettingsShape> = {}) =>
    Effect.gen(function*() {
      const layer = Daemon.layerWeb({ baseUrl }).pipe(Layer.provide(environmentOf(yield* temporaryDirectory, settings)))
      return (yield* Effect.flip(Layer.build(layer))).message
    })

  testsWith(Effect.void).live("needs one valid base URL", function*() {
    assert.include(yield* failure("nonsense"), "invalid value for baseUrl: expected an http or https URL")
    assert.include(yield* failure("http://127.0.0.1:1/ui"), "begins with /ui")
    const serverBaseUrl = Option.some(new URL("https://creds.example"))
    assert.include(yield* failure("http://127.0.0.1:1/team", { serverBaseUrl }), "CREDSVC_SERVER_BASE_URL is set")
  })
})
