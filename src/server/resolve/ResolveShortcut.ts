/**
 * `POST /credentials/resolve` by the shortest way: the same guard and the same answers as the operation of the interface,
 * without the layers between them.
 *
 * Only the plain case goes this way: a connection that has been admitted and may resolve, and a short body of known
 * length. Every other request takes the ordinary route.
 */
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import { maxQuestionBytes, resolvePath } from "../../domain/ResolveChannel.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { decide, mayReveal } from "../http/Guard.ts"
import { everyAnswer } from "../http/GuardedApp.ts"
import { Instance } from "../http/Instance.ts"
import type { RequestHandler } from "../http/Listener.ts"
import { PeerAdmission } from "../http/PeerAdmission.ts"
import { problemType } from "../http/Refusals.ts"
import { isRunId } from "./ResolveChannel.ts"
import type { Resolve } from "./ResolveRoute.ts"

const fixedHeaders = Object.entries(everyAnswer).flat()

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

/** The handler with the short way in front of it. */
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
