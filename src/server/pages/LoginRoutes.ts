/** The routes of the login pages. They are not part of the API, and API clients do not call them. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ProviderName } from "../../domain/definition/Provider.ts"
import { type AuthSession, isFinal, SessionId } from "../../domain/wire/AuthSession.ts"
import { FlowRunner } from "../../flows/FlowRunner.ts"
import { metadataDocument, ownClientId } from "../../flows/oauth/ClientMetadata.ts"
import { PublicUrl, redirectUriOf } from "../../flows/PublicUrl.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { Dashboard } from "../dashboard/Dashboard.ts"
import { loginPath, providerPath, withQuery } from "../dashboard/DashboardPaths.ts"
import { query } from "../dashboard/DashboardRequests.ts"
import { Instance } from "../http/Instance.ts"
import { pages } from "../http/PageTable.ts"
import { refusalResponse } from "../http/ProblemResponses.ts"
import * as AuthPages from "./AuthPages.ts"
import { devicePage } from "./DevicePage.ts"
import { etagResponse } from "./EtagResponse.ts"
import { linkable } from "./Html.ts"
import { inputPage, type Retry } from "./InputPage.ts"
import { failurePage, layerPages, param, readForm, type Response } from "./PageRequests.ts"
import { messagePage, seeOther } from "./Pages.ts"

const decodeSessionId = Schema.decodeUnknownExit(SessionId)

/** Creates the functions that respond with the form or the result of a login. */
const makeLoginPages = Effect.gen(function*() {
  const dashboard = yield* Dashboard
  const flows = yield* FlowRunner
  const registry = yield* ProviderRegistry

  const nameOf = (provider: ProviderName): Effect.Effect<string> =>
    Effect.match(registry.get(provider), {
      onFailure: () => provider,
      onSuccess: ({ definition }) => definition.displayName
    })

  /** Redirects to the dashboard after a login that was started there. Returns undefined for other logins. */
  const backToDashboard = Effect.fnUntraced(function*(session: AuthSession) {
    if (!isFinal(session.status) || (yield* flows.startedAt(session.sessionId)) !== "dashboard") return undefined
    const notice = dashboard.notices.put(AuthPages.endNotice(yield* nameOf(session.provider), session))
    return seeOther(withQuery(providerPath(session.provider), { notice }))
  })

  const ended = Effect.fnUntraced(function*(session: AuthSession) {
    return (yield* backToDashboard(session)) ?? AuthPages.endPage(yield* nameOf(session.provider), session)
  })

  const inputForm = (id: SessionId, retry?: Retry) =>
    Effect.map(flows.form(id), (form) => inputPage({ ...form, action: loginPath(id) }, retry))

  return { nameOf, backToDashboard, ended, inputForm }
})

type LoginPages = Effect.Success<typeof makeLoginPages>

/** Responds with 404 for an unknown session and 410 for an expired one, on every page of the session. */
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

/** The routes of a login's current step, including device logins. */
const makeStepRoutes = Effect.fnUntraced(function*({ ended, inputForm, nameOf }: LoginPages) {
  const flows = yield* FlowRunner

  /** Shows the current step of a login, including device logins. Submitted forms redirect here. */
  const showInput = ofSession(Effect.fnUntraced(function*(id) {
    const session = yield* flows.get(id)
    const page = yield* ended(session)
    if (page !== undefined) return page
    const name = yield* nameOf(session.provider)
    switch (session.nextAction.type) {
      case "enter_input":
        return yield* inputForm(id)
      case "open_url": {
        const url = (yield* query).has("onward") ? linkable(session.nextAction.url) : undefined
        return url === undefined
          ? AuthPages.onwardPage(name, session, session.nextAction.url, [])
          : seeOther(url.href)
      }
      case "show_user_code":
        return devicePage(name, session, session.nextAction)
      case "none":
        return AuthPages.waitingPage(name, session)
    }
  }))

  /** Finishes a login with the address or the code of a callback that the browser could not open. */
  const finishWith = (id: SessionId, callback: string) =>
    flows.resume(id, { callback: Redacted.make(callback) }).pipe(
      Effect.as(seeOther(loginPath(id))),
      // The form was submitted twice: the page shows the result.
      Effect.catchTag("SessionExpiredError", () => Effect.succeed(seeOther(loginPath(id)))),
      Effect.catchTag(
        "InvalidRequestError",
        Effect.fnUntraced(function*({ problems }) {
          const session = yield* flows.get(id)
          return session.nextAction.type === "open_url"
            ? AuthPages.onwardPage(yield* nameOf(session.provider), session, session.nextAction.url, problems)
            : seeOther(loginPath(id))
        })
      )
    )

  const submitInput = ofSession(Effect.fnUntraced(function*(id) {
    const form = yield* readForm
    if (form.get("action") === "cancel") {
      yield* flows.cancel(id)
      return seeOther(loginPath(id))
    }
    if (form.get("action") === "paste") return yield* finishWith(id, form.get("callback") ?? "")
    // The page for a form that was already submitted. If the login has expired, it reports that instead.
    const stale = Effect.gen(function*() {
      const session = yield* flows.get(id)
      return AuthPages.stalePage(yield* nameOf(session.provider), session)
    })
    const values = [...form].filter(([name]) => name !== "form_token" && name !== "action")
    const data = Object.fromEntries(values.map(([name, value]) => [name, Redacted.make(value)]))
    return yield* flows.submitForm(id, form.get("form_token") ?? "", data).pipe(
      Effect.as(seeOther(loginPath(id))),
      Effect.catchTag(
        "InvalidRequestError",
        ({ problems }) => inputForm(id, { problems, values: Object.fromEntries(values) })
      ),
      Effect.catchTag(["FormTokenError", "SessionExpiredError"], () => stale)
    )
  }))

  return { showInput, submitInput, showDevice: showInput }
})

/** The routes to which an authorization server redirects the browser. */
const makeCallbackRoutes = Effect.fnUntraced(function*({ backToDashboard, nameOf }: LoginPages) {
  const flows = yield* FlowRunner
  const { exposed } = yield* Instance

  const receiveCallback = Effect.fnUntraced(
    function*(query: string) {
      // On an exposed daemon, a login link could be sent to another person, and the daemon would store that person's
      // access.
      if (exposed && !new URLSearchParams(query).has("error")) {
        const login = yield* flows.returning(query)
        if (login.session.nextAction.type === "open_url") {
          return AuthPages.confirmPage(yield* nameOf(login.session.provider), login, query)
        }
      }
      const { session } = yield* flows.callback(query)
      // Redirects to a URL without code and state, so that these do not remain in the browser's history.
      return (yield* backToDashboard(session)) ?? seeOther(loginPath(session.sessionId))
    },
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
        refusalResponse({ status: 405, detail: "This route does not support this method.", allow: "GET" })
      ))

  /** Repeats a POST callback as a GET request, without the form, which was meant for the authorization server. */
  const postedCallback = Effect.map(
    HttpServerRequest.HttpServerRequest,
    ({ url }) => seeOther(pages.callback.path + (/\?.*$/s.exec(url)?.[0] ?? ""))
  )

  return { callback, postedCallback }
})

/** Serves the client ID metadata document of a daemon with an https URL. */
const clientMetadataOf = (publicUrl: string) => {
  const clientId = ownClientId(publicUrl)
  return clientId !== undefined
    ? etagResponse(JSON.stringify(metadataDocument(clientId, [redirectUriOf(publicUrl, "127.0.0.1")])), {
      contentType: "application/json",
      headers: { "cache-control": "public, max-age=3600" }
    })
    : Effect.succeed(
      messagePage(
        404,
        "No client document",
        "Only a daemon with an https URL has a client ID metadata document: set CREDSVC_SERVER_BASE_URL."
      )
    )
}

export const layer = layerPages(Effect.gen(function*() {
  const { baseUrl: publicUrl } = yield* PublicUrl
  const logins = yield* makeLoginPages
  return {
    ...yield* makeCallbackRoutes(logins),
    ...yield* makeStepRoutes(logins),
    clientMetadata: clientMetadataOf(publicUrl)
  }
}))
