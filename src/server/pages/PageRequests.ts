/** Shared functions of the page routes: read forms and path parameters, and show errors. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ConnectionNotFoundError, ProviderNotFoundError } from "../../domain/Errors.ts"
import { mediaTypeOf } from "../../platform/MediaType.ts"
import { overviewPath, providerPath, providersPath } from "../dashboard/DashboardPaths.ts"
import { maxFormBytes } from "../http/Guard.ts"
import { type PageRoute, pages } from "../http/PageTable.ts"
import { refusalResponse } from "../http/ProblemResponses.ts"
import type { HtmlValue } from "./Html.ts"
import { messagePage, pageLink } from "./Pages.ts"

export type Response = HttpServerResponse.HttpServerResponse

type Pages = { readonly [Name in keyof typeof pages]?: Effect.Effect<Response, unknown, unknown> }

/** Serves routes of the page table with their handlers. */
export const layerPages = <Handlers extends Pages, EX, RX>(
  handlers: Effect.Effect<Handlers & Record<Exclude<keyof Handlers, keyof typeof pages>, never>, EX, RX>
) => {
  type Page = NonNullable<Handlers[keyof Handlers]>
  const routes = (all: Handlers) =>
    Object.entries(all as Readonly<Record<string, Effect.Effect<Response, Effect.Error<Page>, Effect.Services<Page>>>>)
      .map(([name, page]) => {
        const { method, path }: PageRoute = pages[name as keyof typeof pages]
        return HttpRouter.route(method, path, page)
      })
  return HttpRouter.addAll(Effect.map(handlers, routes))
}

export type Form = ReadonlyMap<string, string>

class FormRefused extends Schema.TaggedError<FormRefused>()("FormRefused", {
  status: Schema.Literals([400, 415]),
  detail: Schema.String
}) {}

/** Reads a form. The guard has already checked the content type, except for path spellings that it does not recognize. */
export const readForm: Effect.Effect<Form, FormRefused, HttpServerRequest.HttpServerRequest> = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (mediaTypeOf(request.headers["content-type"]) !== "application/x-www-form-urlencoded") {
    return yield* new FormRefused({ status: 415, detail: "The request body must be a form." })
  }
  const text = yield* Effect.orDie(request.text)
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) return yield* new FormRefused({ status: 400, detail: "A form field occurs twice." })
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
  isObject(error) && "status" in error && "title" in error && "message" in error

const waysOn = (error: unknown): HtmlValue => {
  if (error instanceof ProviderNotFoundError) {
    return [
      ...error.suggestions.map((name) => pageLink(providerPath(name), `Open ${name}`)),
      pageLink(providersPath, "All providers")
    ]
  }
  return error instanceof ConnectionNotFoundError
    ? pageLink(providerPath(error.provider), `Open ${error.provider}`)
    : pageLink(overviewPath, "Open the dashboard")
}

export const failurePage = (error: unknown): Effect.Effect<Response> => {
  if (error instanceof FormRefused) return Effect.succeed(refusalResponse(error))
  return isPublished(error)
    ? Effect.succeed(messagePage(error.status, error.title, error.message, waysOn(error)))
    : Effect.die(error)
}

export const param = (name: string): Effect.Effect<string, never, HttpRouter.RouteContext> =>
  Effect.map(HttpRouter.params, (params) => params[name] ?? "")
