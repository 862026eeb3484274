/**
 * Keeps many streams of one HTTP/2 connection and many WebSockets busy until the time is over.
 *
 * Prints `{requests, messages, errors}`, with the errors counted by message.
 */
import * as http2 from "node:http2"
import { WebSocket } from "ws"
import { open, options, type Target } from "./client.ts"

const { host, seconds, sockets, streams, target } = options<{
  readonly target: Target
  readonly host: string
  readonly streams: number
  readonly sockets: number
  readonly seconds: number
}>()
const errors: Record<string, number> = {}
let requests = 0
let messages = 0
let over = false
const failed = (what: string): void => {
  if (!over) errors[what] = (errors[what] ?? 0) + 1
}

const secured = await open(target, host, { protocol: "h2" })
const session = http2.connect(`https://${host}`, { createConnection: () => secured })
session.on("error", (error) => failed(`session: ${error.message}`))
const request = (): void => {
  if (over) return
  const stream = session.request({ ":path": "/slow", authorization: target.authorization }, { endStream: true })
  let status: number | undefined
  stream.on("response", (response) => status = response[":status"])
  stream.on("error", (error) => failed(`stream: ${error.message}`))
  stream.on("close", () => {
    if (status === 200) requests++
    else failed(`status ${status}`)
    request()
  })
  stream.resume()
}
for (let each = 0; each < streams; each++) request()

const message = (number: number): string => `${number} ${"payload ".repeat(number % 64)}`
for (let each = 0; each < sockets; each++) {
  const connection = await open(target, host)
  connection.removeAllListeners("close")
  const socket = new WebSocket(`wss://${host}/socket`, {
    createConnection: () => connection,
    headers: { authorization: target.authorization }
  })
  let sent = 0
  socket.on("open", () => socket.send(message(sent)))
  socket.on("message", (data: Buffer) => {
    if (data.toString() !== message(sent)) failed("another message came back")
    messages++
    sent++
    setTimeout(() => !over && socket.send(message(sent)), 500)
  })
  socket.on("error", (error) => failed(`socket: ${error.message}`))
  socket.on("close", () => failed("a socket was closed"))
}
await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
over = true
console.log(JSON.stringify({ requests, messages, errors }))
process.exit(0)
