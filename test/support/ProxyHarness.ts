/** A forward proxy with a daemon and a network that tests control, and a client that can misbehave. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as path from "node:path"
import type * as Tls from "node:tls"
import { defaults, type Upstream } from "../../src/config/file/ConfigDocument.ts"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import { defaultConnectionName } from "../../src/domain/wire/Names.ts"
import type { ProxyPlaceholder, Route } from "../../src/domain/wire/ProxyRoutes.ts"
import type { RequestReport } from "../../src/domain/wire/RequestReport.ts"
import type { Resolved } from "../../src/domain/wire/Resolve.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { type Ownership, PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { ForwardProxy, type ForwardProxyOptions } from "../../src/proxy/ForwardProxy.ts"
import {
  CredentialRefusedError,
  type CredentialRequest,
  CredentialSource
} from "../../src/proxy/routing/CredentialSource.ts"
import { RunEnvironment } from "../../src/run/RunEnvironment.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"

export const SECRET = "sk-canary-4f9d1c7e0b"
export const MARKER = "credsvc-proxy-managed"

export const route = (host: string, provider: string, more: Partial<Route> = {}): Route => ({
  host,
  pathPrefix: null,
  provider: provider as ProviderName,
  connection: defaultConnectionName,
  connected: true,
  ...more
})

export const bearer = (request: CredentialRequest, secret = SECRET): Resolved => ({
  provider: request.provider,
  connection: request.connection ?? defaultConnectionName,
  headers: { Authorization: Redacted.make(`Bearer ${secret}`) },
  query: {},
  defaults: {},
  secrets: [Redacted.make(secret)],
  strip: { headers: [], query: [] },
  expiresAt: null,
  issuedAt: DateTime.makeUnsafe(0),
  refreshable: false
})

/** The daemon's refusal of a credential request. */
export const noCredential = (
  error = "CredentialMissingError",
  detail = "No connection for example. Create it with: credsvc login example"
) =>
() => Effect.fail(new CredentialRefusedError({ error, detail, status: 404 }))

/** The daemon's side of the proxy, which the test can change at any time. */
export interface FakeDaemon {
  routes: ReadonlyArray<Route>
  version: number
  placeholders: ReadonlyArray<ProxyPlaceholder>
  baseUrls: ReadonlyArray<ProxyPlaceholder>
  cloudIdentities: ReadonlyArray<ProxyPlaceholder>
  resolve: (request: CredentialRequest) => Effect.Effect<Resolved, CredentialRefusedError>
  login: CredentialSource["Service"]["login"]
  down: boolean
  /** The delay of a response with routes. */
  pause: Effect.Effect<void>
  readonly resolved: Array<CredentialRequest>
  routeCalls: number
  /** Who is notified of changes. */
  readonly listeners: Set<() => void>
  readonly reports: Array<RequestReport>
  report: CredentialSource["Service"]["report"]
}

export const fakeDaemon = (routes: ReadonlyArray<Route>, more: Partial<FakeDaemon> = {}): FakeDaemon => {
  const reports: Array<RequestReport> = []
  return {
    routes,
    version: 1,
    placeholders: [],
    baseUrls: [],
    cloudIdentities: [],
    resolve: (request) => Effect.succeed(bearer(request)),
    login: () => Effect.succeed({}),
    down: false,
    pause: Effect.void,
    resolved: [],
    routeCalls: 0,
    listeners: new Set(),
    reports,
    report: (text) => Effect.as(Effect.sync(() => reports.push(JSON.parse(text))), true),
    ...more
  }
}

const unavailable = new CredentialRefusedError({
  error: "DaemonUnavailableError",
  detail: "Nothing listens at http://127.0.0.1:1",
  status: 503
})

export const sourceOf = (daemon: FakeDaemon) =>
  Layer.succeed(
    CredentialSource,
    CredentialSource.of({
      routes: (version) =>
        Effect.suspend(() => {
          daemon.routeCalls++
          if (daemon.down) return Effect.fail(unavailable)
          const current = String(daemon.version)
          return Effect.as(daemon.pause, version === current ? undefined : { ...daemon, version: current })
        }),
      resolve: (request) =>
        Effect.suspend(() => {
          daemon.resolved.push(request)
          return daemon.down ? Effect.fail(unavailable) : daemon.resolve(request)
        }),
      login: (query) => daemon.login(query),
      onChange: (listener) => {
        daemon.listeners.add(listener)
        return () => void daemon.listeners.delete(listener)
      },
      report: (text) => Effect.suspend(() => daemon.report(text))
    })
  )

export interface HarnessOptions extends ForwardProxyOptions {
  readonly daemon: FakeDaemon
  readonly upstream?: Partial<Upstream> | undefined
  /** The result of the kernel's lookup of the peer; `real` asks the kernel. */
  readonly peer?: Ownership | (() => Ownership) | "real" | undefined
}

/** A proxy, and the environment of a command behind it. */
export type TestProxy = ForwardProxy["Service"] & { readonly environment: RunEnvironment["Service"]["from"] }

export const configOf = (upstream: Partial<Upstream> = {}): Layer.Layer<ConfigFile> =>
  Layer.succeed(
    ConfigFile,
    ConfigFile.of({
      read: Effect.succeed({ ...defaults, upstream: { ...defaults.upstream, ...upstream } }),
      setActiveProfile: () => Effect.die("not written here")
    })
  )

export const ownerOf = (peer: NonNullable<HarnessOptions["peer"]>): Layer.Layer<PeerOwner> =>
  peer === "real"
    ? PeerOwner.layer
    : Layer.succeed(
      PeerOwner,
      PeerOwner.of({
        peer: () => Effect.sync(() => typeof peer === "string" ? peer : peer()),
        process: () => Effect.succeed(undefined),
        listener: () => Effect.succeed("own")
      })
    )

/** The paths of a home that is deleted with the scope. */
export const temporaryHome = Layer.unwrap(Effect.map(temporaryDirectory, Paths.layerHome))

export const startProxy = (
  options: HarnessOptions
): Effect.Effect<TestProxy, never, Scope.Scope> => {
  const config = configOf(options.upstream)
  const owner = ownerOf(options.peer ?? "other")
  return Layer.build(
    Layer.provideMerge(RunEnvironment.layerNoDeps, ForwardProxy.layerNoDeps(options)).pipe(
      Layer.provide([sourceOf(options.daemon), config, owner, temporaryHome])
    )
  ).pipe(
    Effect.map((context) => ({
      ...Context.get(context, ForwardProxy),
      environment: Context.get(context, RunEnvironment).from
    })),
    Effect.orDie
  )
}

/** A file in a directory that is deleted with the scope. */
export const temporaryFile = (name: string, content: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(temporaryDirectory, (directory) => {
    const file = path.join(directory, name)
    fs.writeFileSync(file, content)
    return file
  })

export const authorization = (proxy: { readonly proxyUrl: string }): string => {
  const url = new URL(proxy.proxyUrl)
  return `Proxy-Authorization: Basic ${Buffer.from(`${url.username}:${url.password}`).toString("base64")}\r\n`
}

export interface WireResponse {
  readonly status: number
  readonly reason: string
  readonly head: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** Whether the body ended as its framing says. */
  readonly complete: boolean
}

/** Reads a connection one response at a time. */
export class Wire {
  readonly socket: Net.Socket
  #chunks: Array<Buffer> = []
  #ended = false
  #failed = false
  #wake: () => void = () => {}

  constructor(socket: Net.Socket) {
    this.socket = socket
    socket.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#wake()
    })
    const over = () => {
      this.#ended = true
      this.#wake()
    }
    socket.on("end", over)
    socket.on("close", over)
    socket.on("error", () => {
      this.#failed = true
      over()
    })
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Whether the connection ended by a reset. */
  get failed(): boolean {
    return this.#failed
  }

  send(text: string | Uint8Array): void {
    this.socket.write(typeof text === "string" ? Buffer.from(text, "latin1") : text)
  }

  async #more(): Promise<boolean> {
    if (this.#ended) return false
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    return true
  }

  /** Resolves once the peer has closed the connection. */
  async closed(): Promise<void> {
    while (await this.#more());
  }

  async text(until: string): Promise<string> {
    while (!this.#received().includes(until)) if (!await this.#more()) break
    const at = this.#received().indexOf(until)
    return this.#cut(at === -1 ? Infinity : at + until.length)
  }

  #received(): Buffer {
    const [first = Buffer.alloc(0), ...rest] = this.#chunks
    const all = rest.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }

  #cut(length: number): string {
    const received = this.#received()
    this.#chunks = [received.subarray(Math.min(length, received.length))]
    return received.toString("latin1", 0, Math.min(length, received.length))
  }

  /** Sends a request and reads the next response. */
  exchange(request: string): Effect.Effect<WireResponse> {
    return Effect.promise(() => {
      this.send(request)
      return this.response(request.slice(0, request.indexOf(" ")))
    })
  }

  async response(method = "GET"): Promise<WireResponse> {
    const head = await this.text("\r\n\r\n")
    const [line = "", ...rest] = head.trimEnd().split("\r\n")
    const status = Number(line.split(" ")[1] ?? 0)
    const headers = new Map(rest.map((header) => {
      const colon = header.indexOf(":")
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()] as const
    }))
    let body = ""
    let complete = head.endsWith("\r\n\r\n")
    const empty = method === "HEAD" || method === "CONNECT" && status === 200 || status < 200 || status === 204 ||
      status === 304
    if (!empty && headers.get("transfer-encoding") === "chunked") {
      complete = false
      while (true) {
        const size = await this.text("\r\n")
        if (!size.endsWith("\r\n")) break
        const length = parseInt(size, 16)
        if (length === 0) {
          let line = await this.text("\r\n")
          while (line !== "\r\n" && line !== "") line = await this.text("\r\n")
          complete = line === "\r\n"
          break
        }
        const chunk = await this.take(length + 2)
        body += chunk.slice(0, length)
        if (chunk.length < length + 2) break
      }
    } else if (!empty && headers.has("content-length")) {
      const length = Number(headers.get("content-length"))
      body = await this.take(length)
      complete = body.length === length
    } else if (!empty) {
      await this.closed()
      body = this.#received().toString("latin1")
      complete = !this.#failed
    }
    return { status, reason: line.split(" ").slice(2).join(" "), head, headers, body, complete }
  }

  async take(length: number): Promise<string> {
    const size = () => this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    while (size() < length) if (!await this.#more()) break
    return this.#cut(length)
  }
}

export const dial = (port: number): Promise<Net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = builtins.net.connect({ port, host: "127.0.0.1", noDelay: true })
    socket.once("error", reject)
    socket.once("connect", () => {
      socket.off("error", reject)
      resolve(socket)
    })
  })

/** Resolves when the proxy has read everything that was sent to it before, on any connection. */
export const caughtUp = async (proxy: { readonly port: number }): Promise<void> => {
  const wire = new Wire(await dial(proxy.port))
  wire.send("no request\r\n\r\n")
  await wire.closed()
}

/** The proxy's response to a CONNECT, and the socket. If the response is 200, nothing after it has been read. */
export const connectTo = async (
  proxy: { readonly port: number; readonly proxyUrl: string },
  target: string,
  options: { readonly headers?: string; readonly version?: string } = {}
): Promise<{ readonly response: WireResponse; readonly socket: Net.Socket; readonly wire: Wire }> => {
  const socket = await dial(proxy.port)
  const wire = new Wire(socket)
  const headers = options.headers ?? authorization(proxy)
  wire.send(`CONNECT ${target} HTTP/${options.version ?? "1.1"}\r\n${headers}\r\n`)
  const response = await wire.response("CONNECT")
  return { response, socket, wire }
}

type Proxy = { readonly port: number; readonly proxyUrl: string; readonly caPem: string }
type TunnelOptions = Tls.ConnectionOptions & { readonly headers?: string }

/** The client's end of TLS in a tunnel, by default for the host of the target. */
export const securedSocket = async (
  proxy: Proxy,
  target: string,
  options: TunnelOptions = {}
): Promise<Tls.TLSSocket> => {
  const { headers, ...tls } = options
  const { response, socket } = await connectTo(proxy, target, headers === undefined ? {} : { headers })
  if (response.status !== 200) throw new Error(`the response to CONNECT was ${response.status} ${response.reason}`)
  socket.removeAllListeners("data")
  socket.pause()
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error("closed during the handshake"))
    const secured = builtins.tls.connect({
      socket,
      servername: target.replace(/:\d+$/, ""),
      ca: proxy.caPem,
      ALPNProtocols: ["http/1.1"],
      ...tls
    })
    secured.once("error", reject)
    secured.once("close", closed)
    secured.once("secureConnect", () => {
      secured.off("error", reject).off("close", closed)
      resolve(secured)
    })
  })
}

/** A tunnel with TLS whose responses are read one by one. */
export const secureTunnel = async (
  proxy: Proxy,
  target: string,
  options: TunnelOptions = {}
): Promise<{ readonly socket: Tls.TLSSocket; readonly wire: Wire }> => {
  const socket = await securedSocket(proxy, target, options)
  return { socket, wire: new Wire(socket) }
}
