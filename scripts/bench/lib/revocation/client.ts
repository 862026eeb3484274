/**
 * Opens streams of events over HTTP/1.1 and HTTP/2, and WebSockets, through the proxy of the run around it. Prints `open`
 * when all of them have received data, and then the time at which each one ended, as a line of JSON.
 */
import * as http2 from "node:http2"
import { open } from "../proxy/client.ts"

const [host = "", each = "0"] = process.argv.slice(2)
const proxy = { url: process.env["HTTPS_PROXY"] ?? "", ca: process.env["SSL_CERT_FILE"] ?? "", authorization: "" }
const broken = (): void => {}

const ended: Array<number> = []
const whenEnded: Array<Promise<void>> = []
const whenOpen: Array<Promise<void>> = []
interface Events {
  readonly once: (name: "close" | "data", listener: () => void) => unknown
}
const watch = (stream: Events): void => {
  whenOpen.push(new Promise((resolve) => stream.once("data", resolve)))
  whenEnded.push(
    new Promise((resolve) =>
      stream.once("close", () => {
        ended.push(Date.now())
        resolve()
      })
    )
  )
}

const head = `GET /events HTTP/1.1\r\nHost: ${host}\r\n`
const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
const shared = await open(proxy, host, { protocol: "h2", broken })
const streams = http2.connect(`https://${host}`, { createConnection: () => shared })
streams.on("error", () => {})
for (let i = 0; i < Number(each); i++) {
  for (const extra of ["", upgrade]) {
    const socket = await open(proxy, host, { broken })
    watch(socket)
    socket.write(`${head}${extra}\r\n`)
  }
  const stream = streams.request({ ":path": "/events" })
  stream.on("error", () => {})
  watch(stream)
}
await Promise.all(whenOpen)
console.log("open")
await Promise.all(whenEnded)
console.log(JSON.stringify(ended))
streams.destroy()
