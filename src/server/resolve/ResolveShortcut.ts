/**
 * A fast path for `POST /credentials/resolve`: the same guard and responses as the API operation, without the HTTP
 * API layers.
 *
 * It serves only the common case: an admitted connection that may resolve, and a short body with a `Content-Length`.
 * All other requests take the regular route.
 */
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import { maxQuestionBytes, resolvePath } from "../../domain/ResolveChannel.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { decide, mayReveal } from "../http/Guard.ts"
import { securityHeaders } from "../http/GuardedApp.ts"
import { Instance } from "../http/Instance.ts"
import type { RequestHandler } from "../http/Listener.ts"
import { PeerAdmission } from "../http/PeerAdmission.ts"
import { problemType } from "../http/Refusals.ts"
import { isRunId } from "./ResolveChannel.ts"
import type { Resolve } from "./ResolveRoute.ts"

const fixedHeaders = Object.entries(securityHeaders).flat()

const isPlain = ({ headers, method, url }: Http.IncomingMessage): boolean =>
  method === "POST" && url === resolvePath && Number(headers["content-length"]) <= maxQuestionBytes &&
  headers.expect === undefined && headers["transfer-encoding"] === undefined &&
  (headers["credsvc-run"] === undefined || isRunId(headers["credsvc-run"]))

const send = (response: Http.ServerResponse, status: number, body: string): void => {
  if (response.destroyed) return
  response.sendDate = false
  response.writeHead(status, [
    ...fixedHeaders,
    "content-type",
    status === 200 ? "application/json" : problemType,
    "content-length",
    String(Buffer.byteLength(body))
  ])
  response.end(body)
}

/** Wraps `handler` so that eligible resolve requests take the fast path. */
export const before = (
  resolve: Resolve,
  handler: RequestHandler
): Effect.Effect<RequestHandler, never, Instance | PeerAdmission | ChildRefusal> =>
  Effect.gen(function*() {
    const { authorities } = yield* Instance
    const admission = yield* PeerAdmission
    const children = yield* ChildRefusal

    const isShort = (request: Http.IncomingMessage): boolean => {
      const { httpVersion, rawHeaders, socket } = request
      return isPlain(request) && admission.isAdmitted(socket) && children.mayResolve(socket) && mayReveal(rawHeaders) &&
        decide({ httpVersion, method: "POST", rawHeaders, target: resolvePath }, authorities) === undefined
    }

    return (request, response) => {
      if (!isShort(request)) return handler(request, response)
      const { headers } = request
      const asker = {
        run: headers["credsvc-run"] as string | undefined,
        profile: headers["credsvc-profile"] as string | undefined
      }
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        const abandon = resolve(asker, text, (status, body) => send(response, status, body))
        response.on("close", () => {
          if (!response.writableFinished) abandon()
        })
      })
    }
  })
