/** Responses of the daemon that stay open after their first line, such as the registration of a run. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type { DaemonAddress } from "./DaemonAddress.ts"
import type { DaemonRequest, DaemonResponse, OpenRequest } from "./DaemonMessages.ts"
import { type ConnectionError, toConnectionError } from "./Handshake.ts"

/** A response whose `body` is its first line, and that stays open until `ended` completes. */
export interface HeldResponse extends DaemonResponse {
  /** Calls the listener with each further line, including lines that have already arrived. */
  readonly lines: (listener: (line: string) => void) => void
  readonly ended: Effect.Effect<void>
}

const maxLineLength = 64 * 1024 * 1024

/** Divides a stream into lines. Calls `tooLong` for a line without an end. Returns the text after the last line. */
const readLines = (incoming: Http.IncomingMessage, onLine: (line: string) => void, tooLong: () => void) => {
  let received = ""
  incoming.setEncoding("utf8").on("error", () => {}).on("data", (text: string) => {
    received += text
    for (let end = received.indexOf("\n"); end !== -1; end = received.indexOf("\n")) {
      const line = received.slice(0, end)
      received = received.slice(end + 1)
      onLine(line)
    }
    if (received.length > maxLineLength) tooLong()
  })
  return () => received
}

/** Passes lines to a listener that may be added after the first of them. */
const makeLineQueue = () => {
  const waiting: Array<string> = []
  let listener = (line: string): void => void waiting.push(line)
  return {
    push: (line: string) => listener(line),
    listen: (given: (line: string) => void): void => {
      listener = given
      for (const line of waiting.splice(0)) given(line)
    }
  }
}

const firstLine = (open: OpenRequest, request: DaemonRequest, address: DaemonAddress) =>
  Effect.callback<{ readonly outgoing: Http.ClientRequest; readonly response: HeldResponse }, ConnectionError>(
    (resume) => {
      const fail = (cause: unknown) => resume(Effect.fail(toConnectionError(cause, address)))
      const outgoing = open(request, (incoming) => {
        outgoing.setTimeout(0)
        const ended = new Promise<void>((resolve) => incoming.once("close", () => resolve()))
        const further = makeLineQueue()
        let isFirst = true
        const done = (body: string): void => {
          isFirst = false
          const { headers, statusCode: status = 0 } = incoming
          const response = {
            from: address,
            status,
            headers,
            body,
            lines: further.listen,
            ended: Effect.promise(() => ended)
          }
          resume(Effect.succeed({ outgoing, response }))
        }
        const rest = readLines(incoming, (line) => isFirst ? done(line) : further.push(line), () => {
          fail(new Error("response too large"))
          outgoing.destroy()
        })
        incoming.on("close", () => isFirst && done(rest()))
      })
      outgoing.on("error", fail)
      outgoing.end(request.body)
      return Effect.sync(() => outgoing.destroy())
    }
  )

/** Sends a request. Returns after the first line of the response, and keeps the connection until the scope closes. */
export const holdOpen = (
  open: OpenRequest,
  request: DaemonRequest,
  address: DaemonAddress
): Effect.Effect<HeldResponse, ConnectionError, Scope.Scope> =>
  Effect.acquireRelease(
    firstLine(open, request, address),
    ({ outgoing }) => Effect.sync(() => outgoing.destroy()),
    { interruptible: true }
  ).pipe(Effect.map(({ response }) => response))
