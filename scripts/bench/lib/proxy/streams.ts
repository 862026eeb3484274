/**
 * Sends one request at a time on each of several streams of one HTTP/2 connection. Responds to each line of its
 * input, a JSON object, with `{requests, seconds}`.
 */
import * as http2 from "node:http2"
import { fail, open, respondToEach, type Target } from "./client.ts"

interface Job {
  readonly target: Target
  readonly host: string
  readonly streams: number
  readonly warmUp: number
  readonly measured: number
}

await respondToEach(async ({ host, measured, streams, target, warmUp }: Job) => {
  let over = false
  const secured = await open(target, host, { protocol: "h2", broken: (reason) => over || fail(reason) })
  // mitmproxy sends frames on closed streams, and Node closes the connection after a thousand of them.
  const options = { createConnection: () => secured, maxSessionInvalidFrames: 1_000_000 }
  const session = http2.connect(`https://${host}`, options)
  session.on("error", (error) => over || fail(`session: ${error.message}`))
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
    stream.on("response", (response) => {
      if (response[":status"] !== 200) fail(`status ${response[":status"]}`)
    })
    stream.on("error", (error) => over || fail(`stream: ${error.message}`))
    stream.on("end", () => {
      requests++
      if (!over) next()
    })
    stream.resume()
  }
  for (let each = 0; each < streams; each++) next()
  await new Promise((resolve) => setTimeout(resolve, warmUp))
  const before = requests
  const started = performance.now()
  await new Promise((resolve) => setTimeout(resolve, measured))
  const measurement = { requests: requests - before, seconds: (performance.now() - started) / 1000 }
  over = true
  await new Promise<void>((resolve) => session.close(resolve))
  return measurement
})
