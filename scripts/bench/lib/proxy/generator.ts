/**
 * Keep-alive connections, each with one request under way; one that breaks is opened again. Prints
 * `{requests, seconds, p50, p99, broken}`, times in milliseconds.
 */
import type { TLSSocket } from "node:tls"
import { fail, open, options, percentile, repeat, requestHead, type Target } from "./client.ts"

const { connections, host, measured, target, warmUp } = options<{
  readonly target: Target
  readonly host: string
  readonly connections: number
  readonly warmUp: number
  readonly measured: number
}>()
const request = requestHead(target, host, "/v1/items/42?limit=20")
let times: Array<number> = []
let broken = 0

const keepBusy = (secured: TLSSocket): void => {
  let sent = performance.now()
  repeat(secured, request, () => {
    const now = performance.now()
    times.push(now - sent)
    sent = now
    return true
  })
}
const connect = (): Promise<TLSSocket> =>
  open(target, host, {
    broken: (reason) => {
      if (++broken > connections) fail(reason)
      void connect().then(keepBusy)
    }
  })

// All of them before the first request: behind a busy proxy the last ones would take long to open.
const opened: Array<TLSSocket> = []
while (opened.length < connections) opened.push(await connect())
for (const secured of opened) keepBusy(secured)
await new Promise((resolve) => setTimeout(resolve, warmUp))
times = []
const started = performance.now()
await new Promise((resolve) => setTimeout(resolve, measured))
const seconds = (performance.now() - started) / 1000
const taken = times
console.log(
  JSON.stringify({ requests: taken.length, seconds, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99), broken })
)
process.exit(0)
