/**
 * Downloads and uploads one large message over HTTP/1.1 or HTTP/2, while reading the memory usage of another process. With `gzip`,
 * the download is in gzip.
 *
 * Prints `{down, up}`, each `{growth, seconds}`: the growth at the peak in MiB, and the duration.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import * as http2 from "node:http2"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as zlib from "node:zlib"
import { fail, open, options, type Target } from "./client.ts"

const { gzip = false, host, pid, protocol, size, target } = options<{
  readonly target: Target
  readonly host: string
  readonly protocol: "h2" | "http/1.1"
  readonly size: number
  readonly pid: number
  readonly gzip?: boolean
}>()

const resident = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
let peak = 0
setInterval(() => {
  peak = Math.max(peak, resident())
}, 20).unref()

const piece = Buffer.alloc(65_536)
const pieces = function*() {
  for (let sent = 0; sent < size; sent += piece.length) yield piece
}
const counted = async (body: AsyncIterable<Buffer>): Promise<number> => {
  let bytes = 0
  for await (const chunk of body) bytes += chunk.length
  return bytes
}
const download = `/down?size=${size}${gzip ? "&gzip" : ""}`
const content = (body: Readable): Readable => gzip ? body.pipe(zlib.createGunzip()) : body
const text = async (body: AsyncIterable<Buffer>): Promise<string> => {
  let all = ""
  for await (const chunk of body) all += chunk.toString()
  return all
}

interface Transfers {
  readonly down: () => Promise<number>
  readonly up: () => Promise<number>
}

const secured = await open(target, host, { protocol })

const overHttp1 = (): Transfers => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  agent.createConnection = () => secured
  const request = (method: string, path: string, more: http.OutgoingHttpHeaders = {}) =>
    http.request({
      method,
      path,
      headers: { host, authorization: target.authorization, ...more },
      agent
    })
  const responseOf = (outgoing: http.ClientRequest) =>
    new Promise<http.IncomingMessage>((resolve) => outgoing.once("response", resolve))
  return {
    down: async () => {
      const outgoing = request("GET", download)
      outgoing.end()
      return counted(content(await responseOf(outgoing)))
    },
    up: async () => {
      const outgoing = request("POST", "/up", { "transfer-encoding": "chunked" })
      const response = responseOf(outgoing)
      await pipeline(Readable.from(pieces()), outgoing)
      return Number(await text(await response))
    }
  }
}

const overHttp2 = (): Transfers => {
  const session = http2.connect(`https://${host}`, {
    createConnection: () => secured,
    settings: { initialWindowSize: 1 << 20 }
  })
  session.on("error", (error) => fail(`session: ${error.message}`))
  session.setLocalWindowSize(16 << 20)
  const headers = { authorization: target.authorization }
  return {
    down: () => counted(content(session.request({ ":path": download, ...headers }, { endStream: true }))),
    up: async () => {
      const stream = session.request({ ":method": "POST", ":path": "/up", ...headers })
      await pipeline(Readable.from(pieces()), stream, { end: true }).catch(() => {})
      return Number(await text(stream))
    }
  }
}

const measure = async (transfer: () => Promise<number>): Promise<object> => {
  const before = peak = resident()
  const started = performance.now()
  const bytes = await transfer()
  if (bytes !== size) fail(`moved ${bytes} bytes`)
  return { growth: Math.max(peak, resident()) - before, seconds: (performance.now() - started) / 1000 }
}

const transfers = protocol === "h2" ? overHttp2() : overHttp1()
const down = await measure(transfers.down)
const up = await measure(transfers.up)
console.log(JSON.stringify({ down, up }))
process.exit(0)
