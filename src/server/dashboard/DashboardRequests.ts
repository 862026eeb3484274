/** Reads the parameters and forms of requests to the dashboard. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import { ProviderName } from "../../domain/definition/Provider.ts"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { asOneOperation } from "../../vault/manifest/StoreManifest.ts"
import { headerFieldsOf } from "../http/Guard.ts"
import { headOf } from "../http/IncomingRequest.ts"
import { failurePage, type Form, param, readForm, type Response } from "../pages/PageRequests.ts"
import { noConnectionPage, noProviderPage, strangeFormPage } from "./StepPages.ts"

type RequestContext = HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext

export type Page<E> = Effect.Effect<Response, E, RequestContext>

const decodeProvider = Schema.decodeUnknownExit(ProviderName)
const decodeConnection = Schema.decodeUnknownExit(ConnectionName)

export const query: Effect.Effect<URLSearchParams, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ url }) => new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "")
)

export const withFailurePage = <E>(page: Page<E>): Page<never> => Effect.catch(asOneOperation(page), failurePage)

export const ofProvider = <E>(page: (provider: ProviderName) => Page<E>): Page<never> =>
  withFailurePage(Effect.flatMap(param("provider"), (text) => {
    const name = decodeProvider(text)
    return Exit.isSuccess(name) ? page(name.value) : Effect.succeed(noProviderPage())
  }))

export const ofConnection = <E>(page: (provider: ProviderName, connection: ConnectionName) => Page<E>): Page<never> =>
  ofProvider((provider) =>
    Effect.flatMap(param("connection"), (text) => {
      const name = decodeConnection(text)
      return Exit.isSuccess(name) ? page(provider, name.value) : Effect.succeed(noConnectionPage(provider))
    })
  )

/**
 * Runs an action only if one of our own pages has sent the form. The guard rejects forms with the origin of another
 * site; this function rejects forms from browsers that send no origin. A login form has a single-use token instead.
 */
export const withForm = <E>(page: (form: Form) => Page<E>): Page<E | Effect.Error<typeof readForm>> =>
  Effect.gen(function*() {
    const fields = headerFieldsOf(headOf(yield* HttpServerRequest.HttpServerRequest).rawHeaders)
    const isOwn = fields.get("sec-fetch-site") === "same-origin" || (fields.get("origin") ?? "null") !== "null"
    return isOwn ? yield* page(yield* readForm) : strangeFormPage()
  })
