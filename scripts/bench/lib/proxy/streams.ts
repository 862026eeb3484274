/** Streams of one HTTP/2 connection, each with one request under way. Prints `{requests, seconds}`. */
import * as http2 from "node:http2"
import { fail, open, options, type Target } from "./client.ts"

const { host, measured, streams, target, warmUp } = options<{
  readonly target: Target
  readonly host: string
  readonly streams: number
  readonly warmUp: number
  readonly measured: number
}>()

const secured = await open(target, host, { protocol: "h2" })
const session = http2.connect(`https://${host}`, { createConnection: () => secured })
session.on("error", (error) => fail(`session: ${error.message}`))
const headers = {
  ":path": "/v1/items/42?limit=20",
  "user-agent": "bench/1.0",
  accept: "application/json",
  authorization: target.authorization,
  "x-client": "bench"
}
let requests = 0

const next = (): void => {
  const stream = session.request(headers, { endStream: true })
  stream.on("response", (answer) => {
    if (answer[":status"] !== 200) fail(`status ${answer[":status"]}`)
  })
  stream.on("error", (error) => fail(`stream: ${error.message}`))
  stream.on("end", () => {
    requests++
    next()
  })
  stream.resume()
}
for (let each = 0; each < streams; each++) next()
await new Promise((resolve) => setTimeout(resolve, warmUp))
const before = requests
const started = performance.now()
await new Promise((resolve) => setTimeout(resolve, measured))
console.log(JSON.stringify({ requests: requests - before, seconds: (performance.now() - started) / 1000 }))
process.exit(0)
