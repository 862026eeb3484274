/**
 * Keep-alive connections through a proxy, each with one request under way.
 *
 * arguments: proxy URL, CA file, host, connections, warm-up milliseconds, milliseconds. Prints `{requests, seconds}`.
 */
import * as fs from "node:fs"
import * as net from "node:net"
import * as tls from "node:tls"

const [proxy = "", ca = "", host = "", connections = "", warmUp = "", measured = ""] = process.argv.slice(2)
const url = new URL(proxy)
const credential = url.username === ""
  ? ""
  : `Proxy-Authorization: Basic ${Buffer.from(`${url.username}:${url.password}`).toString("base64")}\r\n`
const request = Buffer.from(
  `GET /v1/items/42?limit=20 HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench/1.0\r\nAccept: application/json\r\n` +
    "Accept-Encoding: gzip, deflate, br\r\nAuthorization: Bearer credsvc-proxy-managed\r\nX-Client: bench\r\n\r\n"
)
const trusted = fs.readFileSync(ca)
let requests = 0

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const connect = (): Promise<void> =>
  new Promise((resolve) => {
    const socket = net.connect(Number(url.port), url.hostname, () => {
      socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n${credential}\r\n`)
    })
    socket.setNoDelay(true)
    socket.on("error", (error) => fail(`tunnel: ${error.message}`))
    socket.once("data", (answer: Buffer) => {
      if (!answer.toString("latin1").startsWith("HTTP/1.1 200")) fail(`CONNECT: ${answer.toString("latin1")}`)
      const secured = tls.connect({ socket, servername: host, ca: trusted, ALPNProtocols: ["http/1.1"] })
      secured.on("error", (error) => fail(`TLS: ${error.message}`))
      secured.on("close", () => fail("the proxy closed a connection"))
      let left = ""
      let length = -1
      secured.on("secureConnect", () => {
        resolve()
        secured.write(request)
      })
      secured.on("data", (chunk: Buffer) => {
        left += chunk.toString("latin1")
        if (length === -1) {
          const end = left.indexOf("\r\n\r\n")
          if (end === -1) return
          if (!left.startsWith("HTTP/1.1 200")) fail(left)
          const declared = /\r\ncontent-length: *(\d+)/i.exec(left)
          // Without a length the answer is chunked: its end is unmistakable in this body.
          length = declared === null ? -2 : end + 4 + Number(declared[1])
        }
        if (length === -2 ? left.endsWith("0\r\n\r\n") : left.length >= length) {
          left = ""
          length = -1
          requests++
          secured.write(request)
        }
      })
    })
  })

await Promise.all(Array.from({ length: Number(connections) }, connect))
await new Promise((resolve) => setTimeout(resolve, Number(warmUp)))
const before = requests
const started = performance.now()
await new Promise((resolve) => setTimeout(resolve, Number(measured)))
const seconds = (performance.now() - started) / 1000
console.log(JSON.stringify({ requests: requests - before, seconds }))
process.exit(0)
