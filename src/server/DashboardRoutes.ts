/** The routes of the dashboard. They are no operations of the interface, and no client calls them. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import { Connections } from "../connections/Connections.ts"
import type { SessionId } from "../domain/AuthSession.ts"
import { ConnectionName, defaultConnectionName } from "../domain/Connection.ts"
import { ProviderName } from "../domain/Provider.ts"
import { hostsOf } from "../domain/Route.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import * as Dashboard from "./Dashboard.ts"
import { makeFormTokens } from "./FormTokens.ts"
import type { ServedPath } from "./FrontDoor.ts"
import { linkable } from "./Html.ts"
import { Instance } from "./Instance.ts"
import { failurePage, param, readForm, type Response } from "./PageRequests.ts"
import { messagePage, seeOther } from "./Pages.ts"

const decodeProvider = Schema.decodeUnknownExit(ProviderName)
const decodeConnection = Schema.decodeUnknownExit(ConnectionName)

const inputPath = (id: SessionId): string => `/auth/sessions/${id}/input`

const routes = Effect.gen(function*() {
  const { baseUrl } = yield* Instance
  const flows = yield* FlowRunner
  const connections = yield* Connections
  const registry = yield* ProviderRegistry
  const profiles = yield* Profiles
  const tokens = makeFormTokens()

  const nameOf = (provider: ProviderName): Effect.Effect<string> =>
    Effect.match(registry.get(provider), {
      onFailure: () => provider,
      onSuccess: ({ definition }) => definition.displayName
    })

  const overview = (provider?: ProviderName) =>
    Effect.gen(function*() {
      const profile = yield* profiles.active
      return {
        profile,
        providers: yield* registry.list,
        connections: yield* connections.list(profile, provider),
        token: tokens.issue
      }
    })

  const showOverview = (offer: boolean) =>
    Effect.map(overview(), (data) => Dashboard.overviewPage(data, { offer })).pipe(Effect.catch(failurePage))

  const noSuchProvider = messagePage(404, "There is no such provider", "See the known ones on the dashboard.")

  const ofProvider = <E>(
    page: (
      provider: ProviderName
    ) => Effect.Effect<Response, E, HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext>
  ) =>
    Effect.gen(function*() {
      const name = decodeProvider(yield* param("provider"))
      return Exit.isSuccess(name) ? yield* page(name.value) : noSuchProvider
    }).pipe(Effect.catch(failurePage))

  const showProvider = ofProvider((name) =>
    Effect.gen(function*() {
      const provider = yield* registry.get(name)
      const hosts = hostsOf(provider.definition).map(({ host, pathPrefix }) => `${host}${pathPrefix ?? ""}`)
      return Dashboard.providerPage(provider, hosts, yield* overview(name))
    })
  )

  /** A form of the dashboard, if a page of ours sent it. */
  const authentic = (action: string) =>
    Effect.map(readForm, (form) => tokens.accepts(action, form.get("form_token") ?? "") ? form : undefined)

  const connect = ofProvider((name) =>
    Effect.gen(function*() {
      const form = yield* authentic(Dashboard.connectPath(name))
      if (form === undefined) return Dashboard.staleFormPage()
      const connection = decodeConnection(form.get("connection") ?? defaultConnectionName)
      if (Exit.isFailure(connection)) {
        return messagePage(400, "That is not a name for a connection", "Go back and choose another one.")
      }
      const displayName = yield* nameOf(name)
      return yield* flows.start(yield* profiles.active, {
        provider: name,
        connection: connection.value,
        force: form.get("force") === "true"
      }).pipe(
        Effect.flatMap(({ nextAction, sessionId }) => {
          const target = nextAction.type === "none" ? undefined : linkable(nextAction.url)
          // Our own pages are linked by path: the browser may know this daemon by another of its names.
          const own = target === undefined || target.origin === baseUrl.origin
          return Effect.succeed(
            Dashboard.interstitialPage(displayName, target ?? new URL(inputPath(sessionId), baseUrl), own)
          )
        }),
        Effect.catchTag("ConnectionAlreadyExistsError", () =>
          Effect.succeed(Dashboard.alreadyConnectedPage(displayName, name, connection.value, tokens.issue)))
      )
    })
  )

  const disconnect = ofProvider((name) =>
    Effect.gen(function*() {
      const connection = decodeConnection(yield* param("connection"))
      if (Exit.isFailure(connection)) return noSuchProvider
      const form = yield* authentic(Dashboard.disconnectPath(name, connection.value))
      if (form === undefined) return Dashboard.staleFormPage()
      yield* connections.logout(yield* profiles.active, name, connection.value)
      return seeOther("/ui/")
    })
  )

  return [
    HttpRouter.route("GET", "/ui/", showOverview(true)),
    HttpRouter.route("GET", "/ui/connections", showOverview(false)),
    HttpRouter.route("GET", "/ui/apps/:provider", showProvider),
    HttpRouter.route("POST", "/ui/apps/:provider/connect", connect),
    HttpRouter.route("POST", "/ui/apps/:provider/:connection/disconnect", disconnect)
  ] as const
})

export const servedPaths: ReadonlyArray<ServedPath> = [
  { method: "GET", path: "/ui/" },
  { method: "GET", path: "/ui/connections" },
  { method: "GET", path: "/ui/apps/:provider" },
  { method: "POST", path: "/ui/apps/:provider/connect" },
  { method: "POST", path: "/ui/apps/:provider/:connection/disconnect" }
]

export const layer = HttpRouter.addAll(routes)
