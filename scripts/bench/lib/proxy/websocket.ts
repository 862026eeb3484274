/** Sends one WebSocket message at a time, and prints the milliseconds until each came back. */
import { fail, open, options, type Target } from "./client.ts"

const { count, host, target, warmUp } = options<{
  readonly target: Target
  readonly host: string
  readonly count: number
  /** Messages before the measured ones. */
  readonly warmUp: number
}>()

const socket = await open(target, host)
let received = Buffer.alloc(0)
let arrived = (): void => {}
socket.on("data", (chunk: Buffer) => {
  received = Buffer.concat([received, chunk])
  arrived()
})
/** Waits for a complete message, and removes it from `received`. `endOf` returns its length, or -1 if that is unknown. */
const take = (endOf: (bytes: Buffer) => number): Promise<Buffer> =>
  new Promise((resolve) => {
    arrived = () => {
      const end = endOf(received)
      if (end === -1 || end > received.length) return
      arrived = () => {}
      const taken = received.subarray(0, end)
      received = received.subarray(end)
      resolve(taken)
    }
    arrived()
  })
socket.write(
  `GET /socket HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${target.authorization}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
const head = (await take((bytes) => bytes.includes("\r\n\r\n") ? bytes.indexOf("\r\n\r\n") + 4 : -1)).toString("latin1")
if (!head.startsWith("HTTP/1.1 101")) fail(head)
const text = "a message of a usual length, for a WebSocket"
const mask = Buffer.from([1, 2, 3, 4])
const message = Buffer.concat([
  Buffer.from([0x81, 0x80 | text.length]),
  mask,
  Buffer.from(text).map((byte, at) => byte ^ mask[at % 4]!)
])
const times: Array<number> = []
for (let each = 0; each < warmUp + count; each++) {
  const sent = performance.now()
  socket.write(message)
  await take(() => 2 + text.length)
  if (each >= warmUp) times.push(performance.now() - sent)
}
console.log(JSON.stringify(times))
process.exit(0)
