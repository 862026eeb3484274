/**
 * A real daemon of this source tree, in this process, on a free port, with a temporary home.
 *
 * Its fibers run on the live clock: use it from `it.live`, or from a `layer` with `excludeTestServices`.
 */
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { type HomePaths, Paths, pathsOf } from "../../src/config/Paths.ts"
import { Settings, type SettingsShape } from "../../src/config/Settings.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { isLoopback } from "../../src/platform/sockets/IpAddress.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import * as Daemon from "../../src/server/Daemon.ts"
import { undocumented } from "./DocumentedResponses.ts"
import { provedAgent } from "./ProvedConnections.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { databaseUrlOf, onPostgres } from "./TestStore.ts"

export interface TestDaemonOptions {
  /** A home that the caller manages. By default a temporary one is created and removed. */
  readonly home?: string
  readonly host?: string
  readonly port?: number
  readonly front?: Daemon.StartOptions["front"]
  readonly providers?: Daemon.StartOptions["providers"]
  readonly flows?: Daemon.StartOptions["flows"]
  /** Settings that are merged with `masterKeyMode: "local_key"`, so that no test uses the machine's keyring. */
  readonly settings?: Partial<SettingsShape>
}

export interface Answer {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
  readonly json: any
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Objects are sent as JSON. */
  readonly body?: unknown
  readonly agent?: Http.Agent
}

const send = (
  port: number,
  agentFor: (options: RequestOptions) => Http.Agent,
  target: string,
  options: RequestOptions = {}
): Effect.Effect<Answer, Error> =>
  Effect.callback((resume) => {
    const body = options.body === undefined || typeof options.body === "string"
      ? options.body
      : JSON.stringify(options.body)
    const isJson = options.body !== undefined && typeof options.body !== "string"
    const request = builtins.http.request({
      host: "127.0.0.1",
      port,
      path: target,
      method: options.method ?? "GET",
      agent: options.agent ?? agentFor(options),
      headers: {
        host: `127.0.0.1:${port}`,
        ...(isJson ? { "content-type": "application/json" } : {}),
        ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        ...options.headers as Http.OutgoingHttpHeaders
      }
    }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", (error) => resume(Effect.fail(error)))
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        const type = response.headers["content-type"] ?? ""
        const status = response.statusCode ?? 0
        const json = type.includes("json") && text !== "" ? JSON.parse(text) : undefined
        const problem = json === undefined ? null : undocumented(options.method ?? "GET", target, status, type, json)
        if (problem !== null) resume(Effect.die(new Error(`${target}: not as docs/openapi.json says: ${problem}`)))
        else resume(Effect.succeed({ status, headers: response.headers, body: text, json }))
      })
    })
    request.on("error", (error) => resume(Effect.fail(error)))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

const isWhole = (answer: string): boolean => {
  const end = answer.indexOf("\r\n\r\n")
  if (end === -1) return false
  if (answer.startsWith("HTTP/1.1 100 ")) return true
  const length = /^content-length: *(\d+)/im.exec(answer.slice(0, end))?.[1]
  return length !== undefined && answer.length >= end + 4 + Number(length)
}

/**
 * Sends raw bytes on a new connection. Returns the response, or what arrived until the daemon closed the connection or
 * sent nothing for a while.
 */
const raw = (port: number, text: string, quietMillis = 60_000): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const socket: Net.Socket = builtins.net.connect({ host: "127.0.0.1", port })
    let received = ""
    const done = () => {
      socket.destroy()
      resume(Effect.succeed(received))
    }
    socket.setTimeout(quietMillis, done)
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1")
      if (isWhole(received)) done()
    })
    socket.on("error", done)
    socket.on("close", done)
    socket.write(text, "latin1")
    return Effect.sync(() => socket.destroy())
  })

export interface TestDaemonShape {
  readonly url: string
  readonly port: number
  readonly instance: string
  readonly home: string
  readonly paths: HomePaths
  readonly request: (target: string, options?: RequestOptions) => Effect.Effect<Answer, Error>
  /** Sends JSON: the text itself, or the object as JSON. */
  readonly post: (target: string, body: unknown, headers?: RequestOptions["headers"]) => Effect.Effect<Answer, Error>
  readonly raw: (text: string, quietMillis?: number) => Effect.Effect<string>
}

/** Starts a daemon that stops with the scope. */
export const startTestDaemon = (
  options: TestDaemonOptions = {}
): Effect.Effect<TestDaemonShape, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const home = options.home ?? (yield* temporaryDirectory)
    const settings = Settings.layerOf({
      masterKeyMode: Option.some("local_key"),
      ...onPostgres ? { databaseUrl: Option.some(Redacted.make(databaseUrlOf(home))) } : {},
      ...options.settings,
      home
    })
    const running = yield* Daemon.start({
      host: options.host ?? "127.0.0.1",
      port: options.port ?? 0,
      front: options.front,
      ...(options.providers === undefined ? {} : { providers: options.providers }),
      ...(options.flows === undefined ? {} : { flows: options.flows }),
      echo: false
    }).pipe(Effect.provide(Layer.mergeAll(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(settings))))
    const paths = pathsOf(home)
    // The daemon checks the peer of each connection, which takes longer than most requests, so connections are
    // reused. Idle ones close before the daemon would close them.
    const reused = { keepAlive: true, timeout: 2000 }
    const owned = (agent: Http.Agent) =>
      Effect.acquireRelease(Effect.succeed(agent), (agent) => Effect.sync(() => agent.destroy()))
    const plain = yield* owned(new builtins.http.Agent(reused))
    const proved = yield* owned(provedAgent(running.port, () => fs.readFileSync(paths.accessKey), reused))
    const isExposed = options.front !== undefined || options.settings?.serverBaseUrl !== undefined ||
      !isLoopback(options.host ?? "127.0.0.1")
    /** Requests to a daemon that others can reach are local, unless they name its public host. */
    const agentFor = ({ headers }: RequestOptions) =>
      isExposed && isLoopback(String(headers?.["host"] ?? "127.0.0.1").replace(/:\d+$/, "")) ? proved : plain
    return {
      ...running,
      home,
      paths,
      request: (target, options) => send(running.port, agentFor, target, options),
      post: (target, body, headers) =>
        send(running.port, agentFor, target, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body
        }),
      raw: (text, quietMillis) => raw(running.port, text, quietMillis)
    }
  })

/** Stores an API key by a login, and returns its session. */
export const logIn = Effect.fnUntraced(
  function*({ request }: Pick<TestDaemonShape, "request">, apiKey: string, login: object = {}) {
    const { json } = yield* request("/auth/sessions", { method: "POST", body: { provider: "openai", ...login } })
    const data = { api_key: apiKey }
    const done = yield* request(`/auth/sessions/${json.session_id}/resume`, { method: "POST", body: { data } })
    assert.strictEqual(done.json.status, "completed", done.body)
    return json.session_id as string
  }
)

/** Submits a form as a browser does. */
export const postForm = (daemon: TestDaemonShape, target: string, fields: Readonly<Record<string, string>>) =>
  daemon.request(target, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: daemon.url },
    body: new URLSearchParams(fields).toString()
  })

export class TestDaemon extends Context.Service<TestDaemon, TestDaemonShape>()("credsvc/test/TestDaemon") {
  static readonly layer = (options: TestDaemonOptions = {}) => Layer.effect(TestDaemon, startTestDaemon(options))
}
