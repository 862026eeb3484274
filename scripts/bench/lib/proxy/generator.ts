/** Keep-alive connections, each with one request under way. Prints `{requests, seconds, p50, p99}`, times in milliseconds. */
import { open, options, percentile, repeat, requestHead, type Target } from "./client.ts"

const { connections, host, measured, target, warmUp } = options<{
  readonly target: Target
  readonly host: string
  readonly connections: number
  readonly warmUp: number
  readonly measured: number
}>()
const request = requestHead(target, host, "/v1/items/42?limit=20")
let times: Array<number> = []

for (let each = 0; each < connections; each++) {
  const secured = await open(target, host)
  let sent = performance.now()
  repeat(secured, request, () => {
    const now = performance.now()
    times.push(now - sent)
    sent = now
    return true
  })
}
await new Promise((resolve) => setTimeout(resolve, warmUp))
times = []
const started = performance.now()
await new Promise((resolve) => setTimeout(resolve, measured))
const seconds = (performance.now() - started) / 1000
const taken = times
console.log(
  JSON.stringify({ requests: taken.length, seconds, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) })
)
process.exit(0)
