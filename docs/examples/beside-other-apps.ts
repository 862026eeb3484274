/**
 * A daemon on the server of a program that also has an HttpApi and a Hono app.
 *
 * The daemon accepts requests of this user on this machine only, and its pages are at the root of the server.
 *
 * Prints: hello from HttpApi, hello from Hono, ok
 */
import { getRequestListener } from "@hono/node-server"
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
import type { AddressInfo } from "node:net"
import { home } from "./home.ts"

const Greetings = HttpApiGroup.make("greetings").add(
  HttpApiEndpoint.get("hello", "/api/hello", { success: Schema.String })
)
const Api = HttpApi.make("ours").add(Greetings)
const handlers = HttpApiBuilder.group(
  Api,
  "greetings",
  (group) => Effect.succeed(group.handle("hello", () => Effect.succeed("hello from HttpApi")))
)
const effectApp = HttpRouter.toWebHandler(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers), Layer.provide(HttpServer.layerServices)),
  { disableLogger: true }
)
const honoApp = new Hono().get("/hono/hello", (context) => context.json("hello from Hono"))

const onApi = getRequestListener((request) => effectApp.handler(request))
const onHono = getRequestListener(honoApp.fetch)

const program = Effect.gen(function*() {
  const server = http.createServer()
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const { port } = server.address() as AddressInfo
  const context = yield* Layer.build(Daemon.layer({ host: "127.0.0.1", port }))
  const onDaemon = Context.get(context, Daemon.RequestListener)
  server.on("upgrade", Context.get(context, Daemon.UpgradeListener))
  server.on("request", (request, response) => {
    const { url = "" } = request
    const listener = url.startsWith("/api/") ? onApi : url.startsWith("/hono/") ? onHono : onDaemon
    listener(request, response)
  })

  const get = (path: string) =>
    Effect.promise(() => fetch(`http://127.0.0.1:${port}${path}`).then((response) => response.json() as Promise<any>))
  console.log([yield* get("/api/hello"), yield* get("/hono/hello"), (yield* get("/health")).status].join(", "))
}).pipe(
  Effect.scoped,
  Effect.provide(Layer.merge(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(Settings.layerOf({ home }))))
)

await Effect.runPromise(program)
await effectApp.dispose()
