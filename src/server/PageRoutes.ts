/** The routes of the pages of a login. They are no operations of the interface, and no client calls them. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { SessionId } from "../domain/AuthSession.ts"
import type { ProviderName } from "../domain/Provider.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import * as AuthPages from "./AuthPages.ts"
import { providerPath } from "./dashboard/Places.ts"
import { devicePage } from "./DevicePage.ts"
import type { ServedPath } from "./FrontDoor.ts"
import { inputPage, type Retry } from "./InputPage.ts"
import { failurePage, param, readForm, type Response } from "./PageRequests.ts"
import { seeOther } from "./Pages.ts"
import { refusalResponse } from "./Refusals.ts"

const decodeSessionId = Schema.decodeUnknownExit(SessionId)

const inputPath = (id: SessionId): string => `/auth/sessions/${id}/input`

const routes = Effect.gen(function*() {
  const flows = yield* FlowRunner
  const registry = yield* ProviderRegistry

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
          return AuthPages.completedPage(yield* nameOf(session.provider), session)
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

  const inputForm = (id: SessionId, retry?: Retry) =>
    Effect.map(flows.form(id), (form) => inputPage({ ...form, action: inputPath(id) }, retry))

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

  /** The step that the login is at, whatever that is: a form that was sent leads back here. */
  const showInput = ofSession((id) =>
    Effect.gen(function*() {
      const page = yield* standing(id)
      if (page !== undefined) return page
      const session = yield* flows.get(id)
      const name = yield* nameOf(session.provider)
      switch (session.nextAction.type) {
        case "enter_input":
          return yield* inputForm(id)
        case "open_url":
          return AuthPages.onwardPage(name, session, session.nextAction.url)
        case "show_user_code":
          return devicePage(name, session, session.nextAction)
        case "none":
          return AuthPages.waitingPage(session)
      }
    })
  )

  const showDevice = ofSession((id) =>
    Effect.gen(function*() {
      const page = yield* standing(id)
      if (page !== undefined) return page
      const session = yield* flows.get(id)
      return session.nextAction.type === "show_user_code"
        ? devicePage(yield* nameOf(session.provider), session, session.nextAction)
        : AuthPages.waitingPage(session)
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

  const receiveCallback = (query: string) =>
    Effect.gen(function*() {
      const { session, startedAt } = yield* flows.callback(query)
      // To a page without code and state in its address, which is what stays in the browser's history (B8).
      return seeOther(
        startedAt === "dashboard" && session.status === "completed" && session.warning === null
          ? providerPath(session.provider)
          : inputPath(session.sessionId)
      )
    }).pipe(
      Effect.catchTags({
        SessionNotFoundError: () => Effect.succeed(AuthPages.strayCallbackPage()),
        SessionExpiredError: () => Effect.succeed(AuthPages.expiredPage())
      }),
      Effect.catch(failurePage)
    )

  const callback = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
    method === "GET"
      ? receiveCallback(/\?(.*)$/s.exec(url)?.[1] ?? "")
      : Effect.succeed(
        refusalResponse({ status: 405, detail: "This route does not serve this method.", allow: "GET" })
      ))

  return [
    HttpRouter.route("GET", "/auth/callback/oauth", callback),
    HttpRouter.route("GET", "/auth/sessions/:session_id/input", showInput),
    HttpRouter.route("POST", "/auth/sessions/:session_id/input", submitInput),
    HttpRouter.route("GET", "/auth/sessions/:session_id/device", showDevice)
  ] as const
})

export const servedPaths: ReadonlyArray<ServedPath> = [
  { method: "GET", path: "/auth/callback/oauth" },
  { method: "GET", path: "/auth/sessions/:session_id/input" },
  { method: "POST", path: "/auth/sessions/:session_id/input" },
  { method: "GET", path: "/auth/sessions/:session_id/device" }
]

export const layer = HttpRouter.addAll(routes)
