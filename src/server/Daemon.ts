/**
 * The daemon, as a process of its own and as a part of other programs (`EmbeddedDaemon.ts`).
 *
 * `start` takes a home directory and a port and serves until its scope closes. The order of its steps matters: it
 * locks the home before touching any file in it, binds the port before opening the vault, and writes the files by
 * which clients find the daemon last, when it can respond. `layer` locks the home too, but leaves the port and these
 * files to its caller. Only `serve`, which owns its process, changes the umask and rejects a debugger.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import type * as Net from "node:net"
import { ensureAccessKey } from "../config/AccessKey.ts"
import { baseUrlText, daemonUrl, mountPathOf } from "../config/BaseUrl.ts"
import { ConfigFile } from "../config/ConfigFile.ts"
import { DaemonState, type StartMessage } from "../config/DaemonState.ts"
import { Paths } from "../config/Paths.ts"
import { withPipedMasterKey } from "../config/PipedMasterKey.ts"
import { isInsideRun } from "../config/RunMark.ts"
import { type LogFormat, parseBaseUrl, Settings } from "../config/Settings.ts"
import { DaemonUnavailableError, OperationNotAllowedError } from "../domain/Errors.ts"
import { PublicUrl } from "../flows/PublicUrl.ts"
import { builtins } from "../platform/builtins.ts"
import { disableCoreFiles } from "../platform/CoreFilter.ts"
import { returnMemoryWhenIdle } from "../platform/IdleMemory.ts"
import { isLoopback } from "../platform/Loopback.ts"
import { compileWhenBusy } from "../platform/OptimizingCompilers.ts"
import { PeerOwner } from "../platform/PeerOwner.ts"
import { PeerProcess } from "../platform/PeerProcess.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"
import { version } from "../platform/Version.ts"
import { RunQuestions } from "../runs/RunQuestions.ts"
import { RunRegistry } from "../runs/RunRegistry.ts"
import { HomeLock, type HomeLockedError } from "../store/HomeLock.ts"
import type { StoreError } from "../store/Store.ts"
import { DaemonLog, describeCause, formatLine } from "../telemetry/DaemonLog.ts"
import { ExportState } from "../telemetry/ExportState.ts"
import { sharedRegistry } from "../telemetry/Metrics.ts"
import { CallerAdmission } from "./http/CallerAdmission.ts"
import { servedPaths } from "./http/CallerRules.ts"
import { ChildRefusal } from "./http/ChildRefusal.ts"
import { type FrontSocket, openToGroup, prepareFrontSocket } from "./http/FrontSocket.ts"
import { authoritiesOf, maxJsonBytes } from "./http/Guard.ts"
import { guarded } from "./http/GuardedApp.ts"
import { setConnection } from "./http/Incoming.ts"
import { Instance } from "./http/Instance.ts"
import { listen, type ListenOptions, type RequestHandler } from "./http/Listener.ts"
import { PageSessions } from "./http/PageSessions.ts"
import { PeerAdmission } from "./http/PeerAdmission.ts"
import { type NamedFile, ServerCertificate } from "./http/ServerCertificate.ts"
import { RequestListener, UpgradeListener, WebHandler } from "./RequestHandlers.ts"
import * as ResolveChannel from "./resolve/ResolveChannel.ts"
import { ResolveOperation } from "./resolve/ResolveOperation.ts"
import * as ResolveReplies from "./resolve/ResolveReplies.ts"
import * as Routes from "./Routes.ts"
import * as Services from "./Services.ts"
import { Stopping } from "./Stopping.ts"
import { moveStore } from "./StoreMigration.ts"

export interface StartOptions extends LayerOptions {
  readonly onWaiting?: (locked: HomeLockedError) => void
  /** A further socket, for a server in front of the daemon. */
  readonly front?: FrontSocket | undefined
  /** Files that the daemon serves TLS with, instead of those of the settings. */
  readonly tls?: TlsFlags | undefined
  /** How long requests in progress have when the scope closes, if that is longer than 1.5 seconds. */
  readonly drainSeconds?: number | undefined
}

interface TlsFlags {
  readonly cert: string | undefined
  readonly key: string | undefined
}

export interface Running {
  readonly url: string
  readonly port: number
  readonly instance: string
  /** Makes `/ready` fail, so that load balancers stop sending requests. The daemon still serves. */
  readonly beginStopping: () => void
}

const exposureWarning = (host: string, servesTls: boolean): string | undefined =>
  servesTls || isLoopback(host)
    ? undefined
    : `The daemon listens on ${host}: other machines and users can connect to it. It accepts only requests that an ` +
      "enrolled identity has signed, but does not encrypt connections. Use --tls-cert and --tls-key, put a TLS proxy in " +
      "front of it, or use 127.0.0.1."

const anyPeerWarning = "CREDSVC_ALLOW_ANY_PEER is set: the daemon does not check which user connects to it."

const noTablesWarning =
  "The daemon cannot identify the user of a local connection on this platform: other users of this machine can reach the daemon."

const warningsOf = (
  { exposed, host, servesTls }: { readonly exposed: boolean; readonly host: string; readonly servesTls: boolean },
  allowAnyPeer: boolean
): ReadonlyArray<string> => {
  if (exposed) return [exposureWarning(host, servesTls)].filter((warning) => warning !== undefined)
  if (allowAnyPeer) return [anyPeerWarning]
  return process.platform === "linux" ? [] : [noTablesWarning]
}

const unavailable = (url: string, detail: string) => new DaemonUnavailableError({ url, detail })

/**
 * Rejects a debugger, which can read every secret in memory and has an unauthenticated port. Only for the program: the
 * developers of a program that embeds the daemon debug their own process.
 */
const refuseInspector = Effect.suspend(() =>
  builtins.inspector.url() === undefined
    ? Effect.void
    : Effect.fail(OperationNotAllowedError.of(
      "The daemon does not run under a debugger: anyone who can connect to the debugger's port could read every secret."
    ))
)

/** Refuses settings by which a command inside a run could open the daemon to others, or learn about them. */
const refuseExposureInRun = (host: string, inBackground: boolean) =>
  Effect.gen(function*() {
    if (!isInsideRun()) return
    const { allowAnyPeer, databaseUrl, databaseUrlFile, serverBaseUrl, telemetry } = yield* Settings
    const refused = allowAnyPeer
      ? "CREDSVC_ALLOW_ANY_PEER"
      : Option.isSome(serverBaseUrl)
      ? "CREDSVC_SERVER_BASE_URL"
      : Option.isSome(databaseUrl) || Option.isSome(databaseUrlFile)
      ? "CREDSVC_DATABASE_URL"
      : !isLoopback(host)
      ? `--host ${host}`
      // The variables are usually meant for other programs of the run. In the background they have no effect.
      : Option.isSome(telemetry) && !inBackground
      ? "OTEL_EXPORTER_OTLP_ENDPOINT"
      : undefined
    if (refused !== undefined) {
      return yield* OperationNotAllowedError.of(
        `A daemon that is started inside a run must not use ${refused}. Start it outside of the run.`
      )
    }
  })

const portTaken = (host: string, port: number, message: string) =>
  Effect.gen(function*() {
    const owner = yield* (yield* PeerOwner).listener({ address: host, port })
    const whose = owner === "own" ? " by another program of yours" : owner === "other" ? " by another user" : ""
    return yield* unavailable(
      daemonUrl(host, port).origin,
      `The daemon cannot start: ${message}${whose}. Choose another port with --port, or 0 for any free one.`
    )
  })

const bind = (
  host: string,
  port: number,
  options: Pick<ListenOptions, "certificate" | "graceMilliseconds">
) =>
  Effect.catchTag(listen(host, port, options), "ListenError", (error) =>
    error.code === "EADDRINUSE"
      ? portTaken(host, port, error.message)
      : Effect.fail(unavailable(daemonUrl(host, port).origin, `The daemon cannot start: ${error.message}.`)))

/** The certificate of the flags or the settings, if the daemon serves TLS itself. */
const openCertificate = (flags: TlsFlags = { cert: undefined, key: undefined }) =>
  Effect.gen(function*() {
    const { serverBaseUrl, tlsCertFile, tlsKeyFile } = yield* Settings
    const named = (flag: string, path: string | undefined, setting: string, other: Option.Option<string>) =>
      path !== undefined
        ? { path, setting: flag }
        : Option.getOrUndefined(Option.map(other, (path): NamedFile => ({ path, setting })))
    const cert = named("--tls-cert", flags.cert, "CREDSVC_TLS_CERT_FILE", tlsCertFile)
    const key = named("--tls-key", flags.key, "CREDSVC_TLS_KEY_FILE", tlsKeyFile)
    if (cert === undefined && key === undefined) return undefined
    const lacks = (what: string) => cannotStart({ message: `${(cert ?? key)?.setting} is given, but ${what}` })
    if (cert === undefined) return yield* lacks("neither --tls-cert nor CREDSVC_TLS_CERT_FILE names the certificate")
    if (key === undefined) return yield* lacks("neither --tls-key nor CREDSVC_TLS_KEY_FILE names the private key")
    if (Option.isNone(serverBaseUrl) || serverBaseUrl.value.protocol !== "https:") {
      return yield* lacks("CREDSVC_SERVER_BASE_URL is not set to the https URL that clients use")
    }
    return yield* Effect.catch(ServerCertificate.open({ cert, key }, serverBaseUrl.value.hostname), cannotStart)
  })

/** Listens on the socket for a server in front of the daemon, which has to be the one of the base URL. */
const bindFront = (front: FrontSocket, graceMilliseconds: number | undefined) =>
  Effect.gen(function*() {
    if (Option.isNone((yield* Settings).serverBaseUrl)) {
      return yield* cannotStart({
        message:
          "--front-socket is given, but CREDSVC_SERVER_BASE_URL, the address of the server in front of it, is not set"
      })
    }
    yield* Effect.catch(prepareFrontSocket(front), cannotStart)
    const listener = yield* Effect.catch(
      listen(front.path, 0, { socketPath: front.path, graceMilliseconds }),
      cannotStart
    )
    yield* Effect.catch(openToGroup(front), cannotStart)
    return listener
  })

/** A `RequestListener` for connections that the permissions of a socket have admitted. */
class FrontListener extends Context.Service<FrontListener, RequestHandler>()("credsvc/server/FrontListener") {}

/** All routes with the guard in front, for requests whose connection is known. */
class App extends Context.Service<
  App,
  Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest | Scope.Scope>
>()("credsvc/server/App") {}

/** Writes framework messages to the daemon log, without their causes. */
const loggerLayer = Layer.unwrap(Effect.map(DaemonLog, (log) =>
  Logger.layer([
    Logger.make(({ cause, logLevel, message }) => {
      const level = logLevel === "Error" || logLevel === "Fatal" ? "error" : logLevel === "Warn" ? "warning" : "info"
      const texts = (Array.isArray(message) ? message : [message]).filter((part) => typeof part === "string")
      log.write(level, "log", {
        message: texts.join(" "),
        ...(cause.reasons.length === 0 ? {} : { cause: describeCause(cause) })
      })
    })
  ])))

export interface LayerOptions extends Services.Parts {
  /** The address that the server listens on. Requests must name it in `Host`, or the base URL from the settings. */
  readonly host: string
  readonly port: number
  /** Writes the log to stderr too. */
  readonly echo?: boolean
  /** Overrides the log format from the settings. */
  readonly logFormat?: LogFormat | undefined
}

/** The log format: as chosen for this start, from the environment, from `config.json`, or text. */
const logFormat = (chosen: LogFormat | undefined) =>
  Effect.gen(function*() {
    const { logFormat } = yield* Settings
    if (chosen !== undefined || Option.isSome(logFormat)) return chosen ?? Option.getOrThrow(logFormat)
    // The services report an invalid file.
    const config = yield* Effect.option((yield* ConfigFile).read)
    return Option.getOrUndefined(config)?.logFormat ?? "text"
  }).pipe(Effect.provide(ConfigFile.layerNoDeps))

const publicUrl = Layer.unwrap(Effect.map(Instance, ({ baseUrl }) => PublicUrl.layerOf(baseUrl)))

/** A front server may keep the path or remove it, so the first segment must tell whether it is there. */
const refuseOwnPath = (baseUrl: URL) => {
  const [, first = ""] = baseUrl.pathname.split("/")
  return first !== "" && servedPaths.some(({ path }) => path.split("/")[1] === first)
    ? Effect.fail(unavailable(
      "",
      `The daemon cannot start: the path in CREDSVC_SERVER_BASE_URL begins with /${first}, which is a path of the daemon ` +
        "itself. Use another one, such as /credsvc."
    ))
    : Effect.void
}

/** Where the daemon is. With a `baseUrl` it is a part of another program's server. */
interface SiteOptions extends LayerOptions {
  readonly baseUrl?: URL
  readonly certificate?: ServerCertificate | undefined
  readonly front?: FrontSocket | undefined
}

/** Whether a base URL is where the daemon listens. Any other one is that of a server in front, which serves others as well. */
const isOwnAddress = (baseUrl: URL, host: string, port: number): boolean =>
  baseUrl.pathname === "/" && authoritiesOf(host, port, undefined).get(baseUrl.host) === baseUrl.origin

/** Whether others than the processes of the daemon's user can reach it. */
const isExposed = ({ baseUrl: mountedAt, certificate, front, host, port }: SiteOptions, baseUrl: URL | undefined) =>
  mountedAt !== undefined
    // The server of another program, whose connections the daemon checks like its own.
    ? !isLoopback(mountedAt.hostname)
    : certificate !== undefined || front !== undefined || !isLoopback(host) ||
      (baseUrl !== undefined && !isOwnAddress(baseUrl, host, port))

const instanceLayer = (site: SiteOptions) =>
  Layer.unwrap(Effect.gen(function*() {
    const { baseUrl: mountedAt, certificate, host, port } = site
    const settings = yield* Settings
    const accessKey = yield* ensureAccessKey(yield* Paths)
    const baseUrl = mountedAt ?? Option.getOrUndefined(settings.serverBaseUrl)
    const publicBaseUrl = baseUrl ?? daemonUrl(host, port)
    yield* refuseOwnPath(publicBaseUrl)
    const exposed = isExposed(site, baseUrl)
    const startedAt = Date.now()
    const warnings = warningsOf({ exposed, host, servesTls: certificate !== undefined }, settings.allowAnyPeer)
    const instance = Layer.succeed(Instance, {
      id: builtins.crypto.randomBytes(16).toString("hex"),
      startedAt,
      host,
      port,
      baseUrl: baseUrlText(publicBaseUrl),
      mountPath: mountPathOf(publicBaseUrl),
      authorities: authoritiesOf(host, port, baseUrl),
      exposed,
      accessKey,
      warnings: () => [...warnings, ...certificate?.warnings ?? []]
    })
    const checksOwner = !exposed && process.platform === "linux" && !settings.allowAnyPeer
    return Layer.merge(instance, PeerAdmission.layerNoDeps({ accessKey, startedAt, checksOwner }))
  }))

/**
 * Request spans contain the URL, with the code and state of a callback or the ID of a session. A tracer, ours or one of an
 * embedding program, could send them elsewhere.
 */
const isUntraced = () => true

/** All routes over all services of a locked home directory. Requests end with the layer's scope. */
const routes = (options: SiteOptions) => {
  const services = ResolveOperation.layerNoDeps.pipe(
    Layer.provideMerge(Layer.mergeAll(ChildRefusal.layerNoDeps, CallerAdmission.layerNoDeps, RunQuestions.layerNoDeps)),
    Layer.provideMerge(PageSessions.layerNoDeps),
    Layer.provideMerge(RunRegistry.layerNoDeps),
    Layer.provide(PeerProcess.layerNoDeps),
    Layer.provideMerge(Services.layerParts(options, new Set([options.port]))),
    Layer.provideMerge(publicUrl),
    Layer.provideMerge(Stopping.layer)
  )
  return Layer.effectContext(
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const built = yield* Layer.buildWithScope(services, scope)
      const app = yield* HttpRouter.toHttpEffect(Layer.provide(Routes.layer, Layer.succeedContext(built)))
      const door = Effect.provideService(
        yield* Effect.provideContext(guarded(app, servedPaths), built),
        HttpIncomingMessage.MaxBodySize,
        ByteSize.bytes(maxJsonBytes)
      )
      const handler = yield* NodeHttpServer.makeHandler(door, { scope: yield* Scope.fork(scope, "parallel") }).pipe(
        Effect.provideService(HttpMiddleware.TracerDisabledWhen, isUntraced)
      )
      const listenerOf = (isFront: boolean): RequestHandler => (incoming, response) => {
        setConnection(incoming, { socket: incoming.socket, isOwn: true, isFront })
        handler(incoming, response)
      }
      const upgrade = yield* Effect.provideContext(
        Effect.flatMap(ResolveReplies.make, ResolveChannel.make),
        built
      )
      return Context.make(RequestListener, listenerOf(false)).pipe(
        Context.add(FrontListener, listenerOf(true)),
        Context.add(UpgradeListener, upgrade),
        Context.add(App, door),
        Context.add(RunRegistry, Context.get(built, RunRegistry)),
        Context.add(Stopping, Context.get(built, Stopping))
      )
    })
  ).pipe(
    Layer.provideMerge(loggerLayer),
    Layer.provideMerge(instanceLayer(options)),
    Layer.provideMerge(Layer.unwrap(
      Effect.map(
        logFormat(options.logFormat),
        (format) => DaemonLog.layerNoDeps({ echo: options.echo === true, format })
      )
    ))
  )
}

/** Stands in for a first request on a connection that sent malformed bytes. */
const noIntroduction = { target: "", rawHeaders: [] }

/** Writes the files by which clients find the daemon, and removes them on exit while the home is still locked. */
const writeState = (running: Running, { host, logFormat }: StartOptions, startedAt: number) =>
  Effect.gen(function*() {
    const paths = yield* Paths
    const state = Schema.encodeSync(DaemonState)({
      pid: process.pid,
      port: running.port,
      host,
      startedAt: DateTime.makeUnsafe(startedAt),
      version,
      instance: running.instance,
      ...(logFormat === undefined ? {} : { logFormat })
    })
    yield* Effect.addFinalizer(() =>
      Effect.forEach([paths.daemonState, paths.daemonPid], SecureFiles.removeFile).pipe(Effect.ignore)
    )
    yield* SecureFiles.replaceProcessFile(paths.daemonPid, `${process.pid}\n`)
    yield* SecureFiles.replaceProcessFile(paths.daemonState, `${JSON.stringify(state, null, 2)}\n`)
  })

/** How long to wait for a daemon that is stopping. `daemon stop` kills one that takes longer than ten seconds. */
const longestDrain = 12_000
const lockInterval = 50

const lockHome = Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(Layer.fresh(HomeLock.layerNoDeps), scope))

/** Waits for a daemon that is stopping or starting. Fails at once if the state file describes a serving one. */
const awaitHome = (onWaiting: StartOptions["onWaiting"]) =>
  Effect.gen(function*() {
    const { daemonState } = yield* Paths
    let attempts = 0
    yield* lockHome.pipe(
      Effect.tapErrorTag("HomeLockedError", (locked) =>
        Effect.suspend(() => {
          attempts++
          if (attempts === 1 && !fs.existsSync(daemonState)) onWaiting?.(locked)
          return Effect.sleep(lockInterval)
        })),
      Effect.retry({
        while: (error) =>
          error._tag === "HomeLockedError" && attempts < longestDrain / lockInterval && !fs.existsSync(daemonState)
      })
    )
  })

const cannotStart = (error: { readonly message: string }) =>
  Effect.fail(unavailable("", `The daemon cannot start: ${error.message}.`))

const asUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E | HomeLockedError | SecureFiles.SecureFileError | StoreError, R>
) =>
  Effect.catchTags(effect as Effect.Effect<A, HomeLockedError | SecureFiles.SecureFileError | StoreError, R>, {
    HomeLockedError: cannotStart,
    SecureFileError: cannotStart,
    StoreError: cannotStart
  })

/** Locks the home until the scope closes. Returns the number of temporary files that a crash had left and that it removed. */
const takeHome = <R>(lock: Effect.Effect<unknown, HomeLockedError | SecureFiles.SecureFileError, R>) =>
  Effect.gen(function*() {
    const paths = yield* Paths
    yield* Effect.forEach([paths.home, paths.server], SecureFiles.ensurePrivateDirectory)
    yield* lock
    const abandoned = yield* Effect.forEach(
      [paths.home, paths.server, paths.providers, paths.identities],
      // The service that needs an unusable directory reports it.
      (directory) => Effect.orElseSucceed(SecureFiles.removeAbandonedFiles(directory), () => 0)
    )
    return abandoned.reduce((sum, count) => sum + count, 0)
  })

export const layer = (options: LayerOptions) =>
  Layer.effectContext(
    Effect.gen(function*() {
      yield* takeHome(lockHome)
      const context = yield* Layer.buildWithScope(routes(options), yield* Effect.scope)
      return Context.pick(RequestListener, UpgradeListener)(context)
    }).pipe(asUnavailable)
  )

/** Where a daemon is on the server of another program. */
export interface MountOptions extends Omit<LayerOptions, "host" | "port"> {
  /**
   * The address of the server and the path of the daemon on it, such as `http://127.0.0.1:8000/credsvc`. Requests must name
   * its host, links and redirect URIs begin with it, and targets may have its path.
   */
  readonly baseUrl: string
}

const mount = Effect.fnUntraced(function*({ baseUrl, ...options }: MountOptions) {
  const url = yield* Effect.catch(parseBaseUrl("baseUrl", baseUrl), cannotStart)
  if (Option.isSome((yield* Settings).serverBaseUrl)) {
    return yield* cannotStart({
      message: "CREDSVC_SERVER_BASE_URL is set, but the address of this daemon is the option baseUrl"
    })
  }
  yield* takeHome(lockHome)
  const site = {
    ...options,
    baseUrl: url,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (url.protocol === "https:" ? 443 : 80))
  }
  return yield* Layer.buildWithScope(routes(site), yield* Effect.scope)
}, asUnavailable)

export interface RoutesOptions extends MountOptions {
  readonly socketOf: (request: HttpServerRequest.HttpServerRequest) => Net.Socket | undefined
}

export const layerRoutes = (options: RoutesOptions) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const context = yield* mount(options)
    const { mountPath } = Context.get(context, Instance)
    const app = Context.get(context, App)
    const serve = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const socket = options.socketOf(request)
      if (socket !== undefined) setConnection(request.source, { socket, isOwn: false })
      return app
    })
    yield* router.add("*", `${mountPath}/*` as "/*", serve)
  }))

export const layerWeb = (options: MountOptions) =>
  Layer.effect(
    WebHandler,
    Effect.gen(function*() {
      const context = yield* mount(options)
      const handler = HttpEffect.toWebHandler(Context.get(context, App))
      const untraced = Context.make(HttpMiddleware.TracerDisabledWhen, isUntraced)
      return (request: Request, socket: Net.Socket | undefined) => {
        if (socket !== undefined) setConnection(request, { socket, isOwn: false })
        return handler(request, untraced)
      }
    })
  )

export const start = (options: StartOptions) =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const removed = yield* takeHome(awaitHome(options.onWaiting))
    const certificate = yield* openCertificate(options.tls)
    const graceMilliseconds = options.drainSeconds === undefined ? undefined : options.drainSeconds * 1000
    const listener = yield* bind(options.host, options.port, { certificate, graceMilliseconds })
    const front = options.front === undefined ? undefined : yield* bindFront(options.front, graceMilliseconds)

    const context = yield* Layer.buildWithScope(routes({ ...options, port: listener.port, certificate }), scope)
    const { id, startedAt } = Context.get(context, Instance)
    const log = Context.get(context, DaemonLog)
    if (removed > 0) log.write("warning", "removed-abandoned-files", { count: removed })
    // Runs before requests in progress are interrupted, so that they get the grace period.
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Context.get(context, RunRegistry).stop,
        Effect.all([listener.close, front?.close ?? Effect.void], { concurrency: "unbounded" })
      )
    )
    front?.serve({ request: Context.get(context, FrontListener) })
    const admission = Context.get(context, PeerAdmission)
    const runCallback = Effect.runCallbackWith(context)
    listener.serve({
      request: Context.get(context, RequestListener),
      upgrade: Context.get(context, UpgradeListener),
      admission: {
        isAdmitted: admission.isAdmitted,
        admit: (socket, decided) =>
          void runCallback(admission.admit(socket, noIntroduction), {
            onExit: (exit) => decided(Exit.isSuccess(exit) && exit.value)
          })
      }
    })

    const running: Running = {
      url: daemonUrl(options.host, listener.port).origin,
      port: listener.port,
      instance: id,
      beginStopping: Context.get(context, Stopping).begin
    }
    yield* writeState(running, options, startedAt)
    ;(yield* ExportState).listen((failure) =>
      failure === undefined
        ? log.write("info", "telemetry-accepted")
        : log.write("warning", "telemetry-not-accepted", { reason: failure })
    )
    log.write("info", "started", { version, pid: process.pid, port: listener.port, instance: id })
    yield* Effect.addFinalizer(() => Effect.sync(() => log.write("info", "stopping", { instance: id })))
    return running
  }).pipe(asUnavailable)

const signals: ReadonlyArray<NodeJS.Signals> = ["SIGTERM", "SIGINT", "SIGHUP"]

const untilSignalled = Effect.callback<NodeJS.Signals>((resume) => {
  const onSignal = (signal: NodeJS.Signals) => resume(Effect.succeed(signal))
  for (const signal of signals) process.on(signal, onSignal)
  return Effect.sync(() => {
    for (const signal of signals) process.off(signal, onSignal)
  })
})

const tellParent = (message: StartMessage): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (process.send === undefined || !process.connected) return resume(Effect.void)
    process.send(message, () => {
      if (process.connected) process.disconnect()
      resume(Effect.void)
    })
  })

export interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly logFormat?: LogFormat | undefined
  readonly front?: FrontSocket | undefined
  readonly tls?: TlsFlags | undefined
  /** How long to serve after SIGTERM while `/ready` fails, unless another signal ends it, and then to finish requests. */
  readonly drainSeconds?: number | undefined
  /** Called once the daemon listens. In the background, the parent process is notified instead. */
  readonly onReady?: (running: Running) => void
}

/**
 * What a daemon process takes from its environment. Read by the daemon's own bundle: another copy of Effect cannot open
 * a secret that the command line's copy has read.
 */
const environment = Layer.merge(Paths.layerNoDeps, PeerOwner.layer).pipe(
  Layer.provideMerge(
    Layer.effect(Settings, Effect.map(Settings, (settings) => withPipedMasterKey(settings, process.env))).pipe(
      Layer.provide(Settings.layer)
    )
  )
)

/** How long the export of telemetry may delay the end of the daemon. */
const flushMillis = 2000

/**
 * Exports telemetry if a receiver is configured. Invalid settings do not stop a daemon in the background, because they are
 * usually meant for other programs.
 */
const telemetry = (inBackground: boolean) =>
  Layer.unwrap(Effect.gen(function*() {
    const { telemetry } = yield* Settings
    if (Option.isNone(telemetry) || isInsideRun()) return Layer.empty
    const { layerOtlp } = yield* Effect.promise(() => import("../telemetry/Otlp.ts"))
    const exported = layerOtlp(Redacted.value(telemetry.value), { program: "daemon", flushMillis }).pipe(
      Layer.provide(sharedRegistry)
    )
    return inBackground
      ? Layer.catch(exported, ({ message }) =>
        Layer.succeed(ExportState, {
          check: Effect.succeed(message),
          listen: (listener) => listener(message)
        }))
      : exported
  }))

/** Moves the store of the home in the environment. */
export const move = (to: "file" | "postgresql") => Effect.provide(moveStore(to), environment)

/** Runs the process of `credsvc daemon serve`. Exits cleanly on SIGTERM, SIGINT and SIGHUP. */
export const serve = (options: ServeOptions) =>
  Effect.gen(function*() {
    yield* SecureFiles.setPrivateUmask
    yield* refuseInspector
    disableCoreFiles()
    // Without a listener for this signal, Node opens a debugger port.
    process.on("SIGUSR1", () => {})
    const inBackground = process.send !== undefined
    const format = yield* logFormat(options.logFormat)
    const { tlsCertFile } = yield* Settings
    const servesTls = options.tls?.cert !== undefined || Option.isSome(tlsCertFile)
    const exposure = exposureWarning(options.host, servesTls)
    if (exposure !== undefined) {
      process.stderr.write(
        inBackground || format === "json"
          ? `${formatLine(format, "warning", "log", { message: exposure })}\n`
          : `warning: ${exposure}\n`
      )
    }
    const onWaiting = ({ pid }: HomeLockedError) =>
      void process.stderr.write(
        `${formatLine(format, "info", "waiting-for-stopping-daemon", pid === undefined ? {} : { pid })}\n`
      )
    const running = yield* refuseExposureInRun(options.host, inBackground).pipe(
      Effect.andThen(Layer.build(telemetry(inBackground))),
      Effect.flatMap((exported) =>
        Effect.provideContext(start({ ...options, echo: !inBackground, onWaiting }), exported)
      ),
      Effect.tapError((error) => tellParent({ ready: false, message: error.message }))
    )
    yield* tellParent({ ready: true, url: running.url })
    yield* returnMemoryWhenIdle
    yield* Effect.acquireRelease(Effect.sync(() => compileWhenBusy()), (stop) => Effect.sync(stop))
    if (!inBackground) options.onReady?.(running)
    const signal = yield* untilSignalled
    if (signal === "SIGTERM" && options.drainSeconds !== undefined) {
      running.beginStopping()
      yield* Effect.raceFirst(Effect.sleep(options.drainSeconds * 1000), untilSignalled)
    }
  }).pipe(Effect.scoped, Effect.provide(environment))
