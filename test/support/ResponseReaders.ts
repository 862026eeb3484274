/** Reads response bytes with Node's own client, for comparisons. */
import type * as Http from "node:http"
import { builtins } from "../../src/platform/builtins.ts"
import { FakeSocket, turn } from "./UpstreamPeer.ts"

interface Read {
  head: readonly [status: number | undefined, reason: string | undefined, headers: ReadonlyArray<string>] | undefined
  body: string
  /** Undefined for an incomplete response. */
  trailers: ReadonlyArray<string> | undefined
}

/** A response in pieces. `ends`: whether the upstream closes the connection afterwards. */
export interface Script {
  readonly method: string
  readonly pieces: ReadonlyArray<string>
  readonly ends: boolean
}

export const readByNode = async ({ ends, method, pieces }: Script): Promise<Read> => {
  const socket = new FakeSocket()
  const read: Read = { head: undefined, body: "", trailers: undefined }
  const request = builtins.http.request({ createConnection: () => socket, method, maxHeaderSize: 64 * 1024 })
  request.on("error", () => {})
  request.on("upgrade", () => {})
  request.on("response", (response: Http.IncomingMessage) => {
    // Node also accepts versions 0.9 and 2.0, which have no such messages.
    if (!/^1\.[01]$/.test(response.httpVersion)) return
    read.head = [response.statusCode, response.statusMessage, response.rawHeaders]
    response.on("data", (chunk: Buffer) => read.body += chunk.toString("latin1"))
    response.on("end", () => {
      read.trailers = response.rawTrailers
    })
    response.on("error", () => {})
  })
  request.end()
  await turn()
  for (const piece of pieces) if (!socket.destroyed) await socket.receive(piece)
  if (ends && !socket.destroyed) await socket.receive(null)
  await turn()
  const before = { ...read }
  request.destroy()
  await turn()
  return before
}

/**
 * Whether a head has what our client repairs and Node's refuses: a bare line feed, a folded line, white space before a colon, a control
 * character, or a length beside chunks.
 */
export const isRepaired = (text: string): boolean => {
  const end = /\r?\n\r?\n/.exec(text)
  const head = end === null ? text : text.slice(0, end.index + end[0].length)
  if (/(?<!\r)\n|\n[ \t]|\n[!-9;-~]+[ \t]+:|(?![\s\u0080-\u009f])\p{Cc}/u.test(head)) return true
  if (/^content-length:/im.test(head) && /^transfer-encoding:/im.test(head)) return true
  return end !== null && /^HTTP\/1\.\d 1\d\d/.test(head) && isRepaired(text.slice(head.length))
}
