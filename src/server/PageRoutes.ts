/** The routes that a person sees. They are no operations of the interface, and no client calls them. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Connections } from "../connections/Connections.ts"
import { SessionId } from "../domain/AuthSession.ts"
import { ConnectionName, defaultConnectionName } from "../domain/Connection.ts"
import { ProviderName } from "../domain/Provider.ts"
import { hostsOf } from "../domain/Route.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import * as AuthPages from "./AuthPages.ts"
import * as Dashboard from "./Dashboard.ts"
import { makeFormTokens } from "./FormTokens.ts"
import type { ServedPath } from "./FrontDoor.ts"
import { maxFormBytes } from "./Guard.ts"
import { linkable } from "./Html.ts"
import { Instance } from "./Instance.ts"
import { icon, iconPath, messagePage, seeOther } from "./Pages.ts"
import { refusalResponse } from "./Refusals.ts"
import { stylesheet, stylesheetPath } from "./Stylesheet.ts"

type Response = HttpServerResponse.HttpServerResponse

/** A form as it was sent: its fields by name, each once. */
type Form = ReadonlyMap<string, string>

class FormRefused extends Schema.TaggedError<FormRefused>()("FormRefused", {
  status: Schema.Literals([400, 415]),
  detail: Schema.String
}) {}

/** The guard has seen the type already, unless the path was written in a way that it does not know. */
const readForm: Effect.Effect<Form, FormRefused, HttpServerRequest.HttpServerRequest> = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") {
    return yield* new FormRefused({ status: 415, detail: "The body must be a form." })
  }
  const text = yield* Effect.orDie(request.text)
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) return yield* new FormRefused({ status: 400, detail: "A field of the form occurs twice." })
    form.set(name, value)
  }
  return form
}).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxFormBytes)))

interface Published {
  readonly status: number
  readonly message: string
  readonly title: string
}

const isPublished = (error: unknown): error is Published =>
  typeof error === "object" && error !== null && "status" in error && "title" in error && "message" in error

/** A page for a failure: what an operation would answer with, in words for a person. */
const failurePage = (error: unknown): Effect.Effect<Response> => {
  if (error instanceof FormRefused) return Effect.succeed(refusalResponse(error))
  return isPublished(error) ? Effect.succeed(messagePage(error.status, error.title, error.message)) : Effect.die(error)
}

const param = (name: string): Effect.Effect<string, never, HttpRouter.RouteContext> =>
  Effect.map(HttpRouter.params, (params) => params[name] ?? "")

const decodeSessionId = Schema.decodeUnknownExit(SessionId)
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

  /** Where a login stands, for a page that has nothing to ask. */
  const standing = (id: SessionId) =>
    Effect.gen(function*() {
      const session = yield* flows.get(id)
      switch (session.status) {
        case "completed":
          return AuthPages.completedPage(yield* nameOf(session.provider), session.connection)
        case "cancelled":
          return AuthPages.cancelledPage(session.provider)
        case "failed":
          return AuthPages.failedPage(session.provider, session.error?.message ?? session.message)
        case "expired":
          return AuthPages.expiredPage()
        default:
          return undefined
      }
    })

  const inputForm = (id: SessionId, retry?: AuthPages.Retry) =>
    Effect.map(flows.form(id), (form) => AuthPages.inputPage({ ...form, action: inputPath(id) }, retry))

  /** Unknown is 404 and expired is 410, whatever page of the session is asked for. */
  const ofSession = <E>(page: (id: SessionId) => Effect.Effect<Response, E, HttpServerRequest.HttpServerRequest>) =>
    Effect.gen(function*() {
      const id = decodeSessionId(yield* param("session_id"))
      return Exit.isSuccess(id) ? yield* page(id.value) : AuthPages.unknownPage()
    }).pipe(
      Effect.catch((error) => {
        const tag = (error as { readonly _tag?: unknown })._tag
        if (tag === "SessionNotFoundError") return Effect.succeed(AuthPages.unknownPage())
        if (tag === "SessionExpiredError") return Effect.succeed(AuthPages.expiredPage())
        return failurePage(error)
      })
    )

  const showInput = ofSession((id) =>
    Effect.flatMap(standing(id), (page) => page === undefined ? inputForm(id) : Effect.succeed(page))
  )

  const showDevice = ofSession((id) =>
    Effect.gen(function*() {
      const page = yield* standing(id)
      if (page !== undefined) return page
      const { message, nextAction } = yield* flows.get(id)
      return nextAction.type === "show_user_code"
        ? AuthPages.devicePage(nextAction)
        : AuthPages.waitingPage(message)
    })
  )

  const submitInput = ofSession((id) =>
    Effect.gen(function*() {
      const form = yield* readForm
      if (form.get("action") === "cancel") {
        yield* flows.cancel(id)
        return seeOther(inputPath(id))
      }
      const values = [...form].filter(([name]) => name !== "form_token" && name !== "action")
      const data = Object.fromEntries(values.map(([name, value]) => [name, Redacted.make(value)]))
      return yield* flows.submitForm(id, form.get("form_token") ?? "", data).pipe(
        Effect.as(seeOther(inputPath(id))),
        Effect.catchTag("InvalidRequestError", ({ problems }) =>
          inputForm(id, { problems, values: Object.fromEntries(values) })),
        Effect.catchTag("FormTokenError", () =>
          Effect.succeed(AuthPages.stalePage(inputPath(id)))),
        // The login has ended: by this form, sent before, or by the clock.
        Effect.catchTag("SessionExpiredError", (error) =>
          Effect.flatMap(standing(id), (page) =>
            page === undefined ? Effect.fail(error) : Effect.succeed(AuthPages.stalePage(inputPath(id)))))
      )
    })
  )

  /** There is no flow yet that waits for an authorization server. */
  const callback = Effect.map(HttpServerRequest.HttpServerRequest, ({ method }) =>
    method === "GET"
      ? AuthPages.strayCallbackPage()
      : refusalResponse({ status: 405, detail: "This route does not serve this method.", allow: "GET" }))

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
    HttpRouter.route("GET", "/", seeOther("/ui/")),
    HttpRouter.route("GET", stylesheetPath, HttpServerResponse.text(stylesheet, { contentType: "text/css" })),
    HttpRouter.route("GET", iconPath, icon),
    // Asked for by browsers where a page names no icon, as the documentation does not.
    HttpRouter.route("GET", "/favicon.ico", icon),
    HttpRouter.route("GET", "/auth/callback/oauth", callback),
    HttpRouter.route("GET", "/auth/sessions/:session_id/input", showInput),
    HttpRouter.route("POST", "/auth/sessions/:session_id/input", submitInput),
    HttpRouter.route("GET", "/auth/sessions/:session_id/device", showDevice),
    HttpRouter.route("GET", "/ui/", showOverview(true)),
    HttpRouter.route("GET", "/ui/connections", showOverview(false)),
    HttpRouter.route("GET", "/ui/apps/:provider", showProvider),
    HttpRouter.route("POST", "/ui/apps/:provider/connect", connect),
    HttpRouter.route("POST", "/ui/apps/:provider/:connection/disconnect", disconnect)
  ] as const
})

export const servedPaths: ReadonlyArray<ServedPath> = [
  { method: "GET", path: "/" },
  { method: "GET", path: stylesheetPath },
  { method: "GET", path: iconPath },
  { method: "GET", path: "/favicon.ico" },
  { method: "GET", path: "/auth/callback/oauth" },
  { method: "GET", path: "/auth/sessions/:session_id/input" },
  { method: "POST", path: "/auth/sessions/:session_id/input" },
  { method: "GET", path: "/auth/sessions/:session_id/device" },
  { method: "GET", path: "/ui/" },
  { method: "GET", path: "/ui/connections" },
  { method: "GET", path: "/ui/apps/:provider" },
  { method: "POST", path: "/ui/apps/:provider/connect" },
  { method: "POST", path: "/ui/apps/:provider/:connection/disconnect" }
]

export const layer = HttpRouter.addAll(routes)
