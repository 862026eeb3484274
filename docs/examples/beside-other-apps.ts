/**
 * A daemon below a path of an HttpApi app, and another one below a path of a Hono app, on one server.
 *
 * A daemon looks up which user's program sent a request by its TCP connection, so each app passes that connection on.
 * Both accept requests of this user on this machine only.
 *
 * Needs: npm install hono @hono/node-server
 *
 * Prints: hello from HttpApi, ok, hello from Hono, ok
 */
import { getRequestListener, type HttpBindings } from "@hono/node-server"
import { Daemon, Paths, PeerOwner, Settings } from "credsvc"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Hono } from "hono"
import * as http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { home } from "./home.ts"

const settingsIn = (directory: string) =>
  Layer.merge(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(Settings.layerOf({ home: directory })))

const Greetings = HttpApiGroup.make("greetings").add(
  HttpApiEndpoint.get("hello", "/api/hello", { success: Schema.String })
)
const Api = HttpApi.make("ours").add(Greetings)
const handlers = HttpApiBuilder.group(
  Api,
  "greetings",
  (group) => Effect.succeed(group.handle("hello", () => Effect.succeed("hello from HttpApi")))
)

const sockets = new WeakMap<object, Socket>()

const effectApp = (origin: string) =>
  HttpRouter.toWebHandler(
    Layer.mergeAll(
      HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers), Layer.provide(HttpServer.layerServices)),
      Daemon.layerRoutes({
        baseUrl: `${origin}/api/credsvc`,
        socketOf: ({ source }) => sockets.get(source)
      }).pipe(Layer.provide(settingsIn(home)))
    ),
    { disableLogger: true }
  )

const honoApp = (onDaemon: Daemon.WebHandler["Service"]) =>
  new Hono<{ Bindings: HttpBindings }>()
    .get("/hono/hello", (context) => context.json("hello from Hono"))
    .all("/hono/credsvc/*", (context) => onDaemon(context.req.raw, context.env.incoming.socket))

const program = Effect.gen(function*() {
  const server = http.createServer()
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const { handler } = yield* Effect.acquireRelease(
    Effect.sync(() => effectApp(origin)),
    (app) => Effect.promise(app.dispose)
  )
  const onApi = getRequestListener((request, { incoming }) => {
    sockets.set(request, (incoming as http.IncomingMessage).socket)
    return handler(request)
  })

  const daemon = Daemon.layerWeb({ baseUrl: `${origin}/hono/credsvc` }).pipe(Layer.provide(settingsIn(`${home}-hono`)))
  const hono = honoApp(Context.get(yield* Layer.build(daemon), Daemon.WebHandler))
  const onHono = getRequestListener((request, bindings) => hono.fetch(request, bindings as HttpBindings))

  server.on("request", (request, response) => (request.url?.startsWith("/hono/") ? onHono : onApi)(request, response))

  const get = (path: string) =>
    Effect.promise(() => fetch(`${origin}${path}`).then((response) => response.json() as Promise<any>))
  console.log([
    yield* get("/api/hello"),
    (yield* get("/api/credsvc/health")).status,
    yield* get("/hono/hello"),
    (yield* get("/hono/credsvc/health")).status
  ].join(", "))
}).pipe(Effect.scoped)

await Effect.runPromise(program)
