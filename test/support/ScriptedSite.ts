/** An HTTPS server with scripted responses per path and attempt, which records requests. */
import type * as Http from "node:http"
import type { Duplex } from "node:stream"
import { text } from "node:stream/consumers"
import * as zlib from "node:zlib"
import { openSite, type Site } from "./TestSites.ts"

export interface Received {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
  /** The body, parsed as a form. */
  readonly form: URLSearchParams
  /** The time at which the head arrived, in milliseconds on the clock of `performance.now`. */
  readonly at: number
}

export interface Reply {
  readonly status?: number
  readonly headers?: Http.OutgoingHttpHeaders
  /** Anything but text and bytes is sent as JSON, with the media type of JSON unless `headers` sets another. */
  readonly body?: unknown
  /** `hang` never responds, `drop` closes the connection instead, `stream` repeats the body forever. */
  readonly act?: "hang" | "drop" | "stream"
  /** The bytes of the whole response as latin1, in place of everything else. The connection ends with them. */
  readonly raw?: string
}

/** A function may delay its response with a promise. */
export type Step = Reply | ((request: Received) => Reply | Promise<Reply>)

export interface ScriptedSite extends Site {
  readonly origin: string
  /** All requests, in order. */
  readonly received: ReadonlyArray<Received>
  readonly at: (path: string) => ReadonlyArray<Received>
  /** Sets the responses of the path: one step per request, the last one for all that follow. */
  readonly answer: (path: string, ...steps: readonly [Step, ...ReadonlyArray<Step>]) => void
  /** The steps that are left at the path. */
  readonly scriptAt: (path: string) => readonly [Step, ...ReadonlyArray<Step>]
  /** Resolves when `count` requests have arrived at the path. */
  readonly arrival: (path: string, count?: number) => Promise<void>
}

const pour = (response: Http.ServerResponse, piece: string | Uint8Array): void => {
  while (!response.destroyed && response.write(piece));
  if (!response.destroyed) response.once("drain", () => pour(response, piece))
}

const play = (reply: Reply, response: Http.ServerResponse): void => {
  if (reply.act === "hang") return
  if (reply.act === "drop") {
    response.destroy()
    return
  }
  if (reply.raw !== undefined) {
    response.socket!.end(Buffer.from(reply.raw, "latin1"))
    return
  }
  const { body } = reply
  const plain = body === undefined || typeof body === "string" || body instanceof Uint8Array
  const bytes = plain ? body ?? "" : JSON.stringify(body)
  response.writeHead(reply.status ?? 200, {
    ...(plain ? {} : { "content-type": "application/json" }),
    ...reply.headers
  })
  if (reply.act === "stream") pour(response, bytes)
  else response.end(bytes)
}

export const openScriptedSite = async (
  hosts: readonly [string, ...ReadonlyArray<string>],
  script: Readonly<Record<string, Step>> = {},
  upgrade?: (request: Http.IncomingMessage, socket: Duplex, head: Buffer) => void
): Promise<ScriptedSite> => {
  const received: Array<Received> = []
  const steps = new Map<string, Array<Step>>(Object.entries(script).map(([path, step]) => [path, [step]]))
  const waiting: Array<{ readonly path: string; readonly count: number; readonly resolve: () => void }> = []
  const at = (path: string) => received.filter((request) => request.path === path)

  const announce = (): void => {
    for (const waiter of waiting.splice(0)) {
      if (at(waiter.path).length >= waiter.count) waiter.resolve()
      else waiting.push(waiter)
    }
  }

  const handle = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    const arrived = performance.now()
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://site.invalid")
    const isPacked = request.headers["content-encoding"] === "zstd"
    const body = await text(isPacked ? request.pipe(zlib.createZstdDecompress()) : request)
    const seen: Received = {
      method: request.method ?? "",
      host: request.headers.host ?? "",
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body,
      form: new URLSearchParams(body),
      at: arrived
    }
    received.push(seen)
    const queue = steps.get(pathname) ?? [{ status: 404 }]
    const step = queue.length > 1 ? queue.shift()! : queue[0]!
    announce()
    play(typeof step === "function" ? await step(seen) : step, response)
  }

  const site = await openSite(hosts, (request, response) => {
    handle(request, response).catch((error: Error) => response.destroy(error))
  }, upgrade)
  return {
    ...site,
    origin: `https://${hosts[0]}`,
    received,
    at,
    answer: (path, ...next) => void steps.set(path, [...next]),
    scriptAt: (path) => steps.get(path) as unknown as readonly [Step, ...ReadonlyArray<Step>],
    arrival: (path, count = 1) =>
      new Promise((resolve) => {
        waiting.push({ path, count, resolve })
        announce()
      })
  }
}
