/** Reads the same response bytes with our client and with Node's own, for comparisons. */
import type * as Http from "node:http"
import { builtins } from "../../src/platform/builtins.ts"
import { connect, FakeSocket, turn } from "./UpstreamPeer.ts"

interface Read {
  readonly informs: Array<unknown>
  head: readonly [status: number | undefined, reason: string | undefined, headers: ReadonlyArray<string>] | undefined
  body: string
  trailers: ReadonlyArray<string> | undefined
  failed: boolean
}

/** `ends`: whether the upstream closes the connection afterwards. */
export interface Script {
  readonly method: string
  readonly pieces: ReadonlyArray<string>
  readonly ends: boolean
}

const play = async (socket: FakeSocket, { ends, pieces }: Script): Promise<void> => {
  for (const piece of pieces) if (!socket.destroyed) await socket.receive(piece)
  if (ends && !socket.destroyed) await socket.receive(null)
  await turn()
}

export const readByUs = async (script: Script): Promise<Read> => {
  const { send, socket } = connect()
  const { response } = send({ method: script.method })
  await play(socket, script)
  socket.destroy()
  const { head, body, failure, informs, trailers } = response
  return { informs, head, body, trailers, failed: failure !== undefined }
}

/** Node also accepts versions 0.9 and 2.0, which have no such messages. */
const isVersion1 = (version: string): boolean => /^1\.[01]$/.test(version)

export const readByNode = async (script: Script): Promise<Read> => {
  const socket = new FakeSocket()
  const read: Read = { informs: [], head: undefined, body: "", trailers: undefined, failed: false }
  const request = builtins.http.request({
    createConnection: () => socket,
    method: script.method,
    maxHeaderSize: 64 * 1024
  })
  const fail = () => {
    read.failed = true
  }
  request.on("error", fail)
  request.on("information", ({ httpVersion, rawHeaders, statusCode }) => {
    if (!isVersion1(httpVersion)) fail()
    else if (statusCode !== 100) read.informs.push([statusCode, rawHeaders])
  })
  request.on("upgrade", fail)
  request.on("response", (response: Http.IncomingMessage) => {
    if (!isVersion1(response.httpVersion)) return fail()
    read.head = [response.statusCode, response.statusMessage, response.rawHeaders]
    response.on("data", (chunk: Buffer) => read.body += chunk.toString("latin1"))
    response.on("end", () => {
      read.trailers = response.rawTrailers
    })
    response.on("error", fail)
  })
  request.end()
  await turn()
  await play(socket, script)
  const before = { ...read }
  request.destroy()
  await turn()
  return before
}

const hasOtherCoding = (rawHeaders: ReadonlyArray<string>): boolean =>
  rawHeaders.some((value, at) =>
    at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === "transfer-encoding" &&
    value.trim().toLowerCase() !== "chunked"
  )

/** Whether a head has what our client repairs and Node's refuses: a bare line feed, a folded line, or white space before a colon. */
export const isRepaired = (text: string): boolean => {
  const end = /\r?\n\r?\n/.exec(text)
  const head = end === null ? text : text.slice(0, end.index + end[0].length)
  if (/(?<!\r)\n|\n[ \t]|\n[!-9;-~]+[ \t]+:/.test(head)) return true
  return end !== null && /^HTTP\/1\.\d 1\d\d/.test(head) && isRepaired(text.slice(head.length))
}

/**
 * Reads bytes that need not be a response with both clients: completeness, status, number of informational responses,
 * and the body if complete. Undefined for bytes that the two builds of llhttp parse differently, and for what our client repairs.
 */
export const responseOutcomes = async (
  script: Script
): Promise<readonly [ours: unknown, theirs: unknown] | undefined> => {
  // undici's build accepts this character as the end of a status line; Node's no longer does.
  const text = script.pieces.join("")
  if (/HTTP\/1\.\d \d{3}[^\r\n]*\r\r/.test(text) || isRepaired(text)) return undefined
  const [ours, theirs] = [await readByUs(script), await readByNode(script)]
  const outcome = ({ head, body, informs, trailers }: Read) => [
    trailers !== undefined,
    head?.[0],
    informs.length,
    trailers === undefined ? undefined : body
  ]
  // An invalid status, an unrequested protocol switch, or an unrequested transfer coding cannot be forwarded.
  const refused = Number(theirs.head?.[0]) < 200 || hasOtherCoding(theirs.head?.[2] ?? [])
  return [outcome(ours), refused ? [false, undefined, theirs.informs.length, undefined] : outcome(theirs)]
}
