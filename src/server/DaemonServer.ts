/**
 * The daemon as layers and as a server, for a separate process (`Daemon.ts`) and for other programs (`EmbeddedDaemon.ts`).
 *
 * `start` takes a home directory and a port and serves until its scope closes. The order of its steps matters: it locks the home
 * before touching any file in it, and binds the port before opening the vault. Last, when it can respond, it writes the files by
 * which clients find the daemon. `layer` locks the home too, but leaves the port and these files to its caller.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
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
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type * as Net from "node:net"
import { daemonUrl } from "../config/daemon/DaemonUrl.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { parseBaseUrl, Settings } from "../config/Settings.ts"
import type { DaemonUnavailableError } from "../domain/Errors.ts"
import { PublicUrl } from "../flows/PublicUrl.ts"
import { version } from "../platform/process/Version.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { Notices } from "../runs/Notices.ts"
import { RunQuestions } from "../runs/RunQuestions.ts"
import { RunRegistry } from "../runs/RunRegistry.ts"
import { type HomeLockedError } from "../store/HomeLock.ts"
import { Store } from "../store/Store.ts"
import { DaemonLog, describeCause } from "../telemetry/DaemonLog.ts"
import { ExportState } from "../telemetry/ExportState.ts"
import { asUnavailable, awaitHome, cannotStart, lockHome, takeHome, unavailable, writeState } from "./DaemonHome.ts"
import { bind, bindFront, certificateOfSettings, instanceLayer, type SiteOptions } from "./DaemonSite.ts"
import { CallerAdmission } from "./http/CallerAdmission.ts"
import { servedPaths } from "./http/CallerRules.ts"
import { ChildRefusal } from "./http/ChildRefusal.ts"
import type { FrontSocket } from "./http/FrontSocket.ts"
import { maxJsonBytes } from "./http/Guard.ts"
import { guardedApp } from "./http/GuardedApp.ts"
import type { RequestHandler } from "./http/HttpListener.ts"
import { setConnection } from "./http/IncomingRequest.ts"
import { Instance } from "./http/Instance.ts"
import { PageSessions } from "./http/PageSessions.ts"
import { PeerAdmission } from "./http/PeerAdmission.ts"
import { requestIdOf } from "./http/RequestId.ts"
import { RequestListener, UpgradeListener, WebHandler } from "./RequestHandlers.ts"
import { ChangeMark } from "./resolve/ChangeMark.ts"
import * as ResolveChannel from "./resolve/ResolveChannel.ts"
import { ResolveOperation } from "./resolve/ResolveOperation.ts"
import * as ResolveReplies from "./resolve/ResolveReplies.ts"
import * as Routes from "./Routes.ts"
import * as Services from "./Services.ts"

export interface StartOptions extends LayerOptions {
  readonly onWaiting?: (locked: HomeLockedError) => void
  /** An additional socket, for a reverse proxy in front of the daemon. */
  readonly front?: FrontSocket | undefined
  /** The grace period of requests in progress when the scope closes. It is at least 1.5 seconds. */
  readonly drainSeconds?: number | undefined
}

export interface Running {
  readonly url: string
  readonly port: number
  readonly instance: string
  /** Makes `/ready` fail, so that load balancers stop sending requests. The daemon still serves. */
  readonly beginStopping: () => void
  /** Fails once a newer version has migrated the store. */
  readonly outdated: Effect.Effect<never, DaemonUnavailableError>
}

export interface LayerOptions extends Services.Parts {
  /** The address on which the server listens. Each request must name it, or the base URL from the settings, in `Host`. */
  readonly host: string
  readonly port: number
  /** Writes the log to stderr too. */
  readonly echo?: boolean
}

/** A `RequestListener` for the reverse proxy's socket, whose file permissions decide who can connect. */
class FrontListener extends Context.Service<FrontListener, RequestHandler>()("credsvc/server/FrontListener") {}

/** All routes with the guard in front. The connection of each request must be registered with `setConnection`. */
class App extends Context.Service<
  App,
  Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest | Scope.Scope>
>()("credsvc/server/App") {}

/** Writes framework messages to the daemon log, without their causes. */
const loggerLayer = Layer.unwrap(Effect.map(DaemonLog, (log) =>
  Logger.layer([
    Logger.make(({ cause, fiber, logLevel, message }) => {
      const level = logLevel === "Error" || logLevel === "Fatal" ? "error" : logLevel === "Warn" ? "warning" : "info"
      const texts = (Array.isArray(message) ? message : [message]).filter((part) => typeof part === "string")
      const request = Context.getOption(fiber.context, HttpServerRequest.HttpServerRequest)
      log.write(level, "log", {
        message: texts.join(" "),
        ...(Option.isNone(request) ? {} : { request: requestIdOf(request.value) }),
        ...(cause.reasons.length === 0 ? {} : { cause: describeCause(cause) })
      })
    })
  ])))

/** The log format: from the environment, from `config.json`, or text. */
export const logFormat = Effect.gen(function*() {
  const { logFormat } = yield* Settings
  if (Option.isSome(logFormat)) return logFormat.value
  // Ignored, because the services report an invalid file.
  const config = yield* Effect.option((yield* ConfigFile).read)
  return Option.getOrUndefined(config)?.logFormat ?? "text"
}).pipe(Effect.provide(ConfigFile.layerNoDeps))

const notices = Layer.unwrap(Effect.map(Instance, ({ baseUrl }) => Notices.layerNoDeps(baseUrl)))

const publicUrl = Layer.unwrap(Effect.map(Instance, ({ baseUrl }) => PublicUrl.layerOf(baseUrl)))

/**
 * Requests get no span of the framework. That span contains the URL, with the code and state of a callback or the ID of a
 * session, and a tracer could send it elsewhere.
 */
const isUntraced = () => true

/** Builds all routes and the services that they call. The caller locks the home. Closing the scope interrupts requests. */
const routes = (options: LayerOptions & SiteOptions) => {
  const services = Layer.mergeAll(ResolveOperation.layerNoDeps, ChangeMark.layerNoDeps).pipe(
    Layer.provideMerge(Layer.mergeAll(ChildRefusal.layerNoDeps, CallerAdmission.layerNoDeps, RunQuestions.layerNoDeps)),
    Layer.provideMerge(Layer.mergeAll(PageSessions.layerNoDeps, notices)),
    Layer.provideMerge(RunRegistry.layerNoDeps),
    Layer.provideMerge(Services.layerParts(options, new Set([options.port]))),
    Layer.provideMerge(publicUrl)
  )
  return Layer.effectContext(
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const built = yield* Layer.buildWithScope(services, scope)
      const app = yield* HttpRouter.toHttpEffect(Layer.provide(Routes.layer, Layer.succeedContext(built)))
      const mark = Context.get(built, ChangeMark)
      const admitted = Effect.provideService(
        // A request may have changed something, so the mark is replaced before the client can see the response.
        Effect.tap(yield* Effect.provideContext(guardedApp(app, servedPaths), built), () => Effect.sync(mark.replace)),
        HttpIncomingMessage.MaxBodySize,
        ByteSize.bytes(maxJsonBytes)
      )
      const handler = yield* NodeHttpServer.makeHandler(admitted, { scope: yield* Scope.fork(scope, "parallel") }).pipe(
        Effect.provideService(HttpMiddleware.TracerDisabledWhen, isUntraced)
      )
      const listenerOf = (isFront: boolean): RequestHandler => (incoming, response) => {
        setConnection(incoming, { socket: incoming.socket, isOwn: true, isFront })
        handler(incoming, response)
      }
      const upgrade = yield* Effect.provideContext(Effect.flatMap(ResolveReplies.make, ResolveChannel.make), built)
      return Context.make(RequestListener, listenerOf(false)).pipe(
        Context.add(FrontListener, listenerOf(true)),
        Context.add(UpgradeListener, upgrade),
        Context.add(App, admitted),
        Context.add(RunRegistry, Context.get(built, RunRegistry)),
        Context.merge(Context.pick(Store, StoreChanges)(built))
      )
    })
  ).pipe(
    Layer.provideMerge(loggerLayer),
    Layer.provideMerge(instanceLayer(options)),
    Layer.provideMerge(Layer.unwrap(
      Effect.map(logFormat, (format) => DaemonLog.layerNoDeps({ echo: options.echo === true, format }))
    ))
  )
}

/** Stands for the first request of a connection that did not begin with a valid request head. */
const noIntroduction = { target: "", rawHeaders: [] }

export const layer = (options: LayerOptions) =>
  Layer.effectContext(
    Effect.gen(function*() {
      yield* takeHome(lockHome)
      const context = yield* Layer.buildWithScope(routes(options), yield* Effect.scope)
      return Context.pick(RequestListener, UpgradeListener)(context)
    }).pipe(asUnavailable)
  )

/** How a daemon is mounted on the server of another program. */
export interface MountOptions extends Omit<LayerOptions, "host" | "port"> {
  /**
   * The address of the server and the path of the daemon on it, such as `http://127.0.0.1:8000/credsvc`. Links and
   * redirect URIs begin with this URL. Requests must name its host, and their targets may begin with its path.
   */
  readonly baseUrl: string
}

const mount = Effect.fnUntraced(function*({ baseUrl, ...options }: MountOptions) {
  const url = yield* Effect.catch(parseBaseUrl("baseUrl", baseUrl), cannotStart)
  if (Option.isSome((yield* Settings).serverBaseUrl)) {
    return yield* cannotStart({
      message: "CREDSVC_SERVER_BASE_URL is set, but the option baseUrl sets the address: unset the variable"
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

export const start = Effect.fnUntraced(function*(options: StartOptions) {
  const scope = yield* Effect.scope
  const removed = yield* takeHome(awaitHome(options.onWaiting))
  const certificate = yield* certificateOfSettings
  const graceMilliseconds = options.drainSeconds === undefined ? undefined : options.drainSeconds * 1000
  const listener = yield* bind(options.host, options.port, { certificate, graceMilliseconds })
  const front = options.front === undefined ? undefined : yield* bindFront(options.front, graceMilliseconds)

  const context = yield* Layer.buildWithScope(routes({ ...options, port: listener.port, certificate }), scope)
  const { id, startedAt, stopping } = Context.get(context, Instance)
  const log = Context.get(context, DaemonLog)
  const changes = Context.get(context, StoreChanges)
  // A daemon that is older than the tables must not serve, because not every load balancer checks `/ready`.
  if (changes.isShared) {
    yield* Effect.catchIf(
      Context.get(context, Store).check,
      ({ problem }) => problem !== "newer_schema",
      () => Effect.void
    )
  }
  if (removed > 0) log.write("warning", "removed-abandoned-files", { count: removed })
  // Runs first when the scope closes, so that requests in progress get the grace period before they are interrupted.
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
    beginStopping: () => MutableRef.set(stopping, true),
    outdated: Effect.flatMap(changes.outdated, (message) => {
      log.write("error", "store-outdated", { message })
      return Effect.fail(unavailable("", `The daemon has stopped: ${message}.`))
    })
  }
  yield* writeState(running, options.host, startedAt)
  ;(yield* ExportState).listen((failure) =>
    failure === undefined
      ? log.write("info", "telemetry-accepted")
      : log.write("warning", "telemetry-not-accepted", { reason: failure })
  )
  log.write("info", "started", { version, pid: process.pid, port: listener.port, instance: id })
  yield* Effect.addFinalizer(() => Effect.sync(() => log.write("info", "stopping", { instance: id })))
  return running
}, asUnavailable)
