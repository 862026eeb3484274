/**
 * Sends one request at a time on each of several keep-alive connections, and reopens connections that break. Responds
 * to each line of its input, a JSON object, with `{requests, seconds, p50, p99, broken, used}`, times in milliseconds, and
 * in `used` the processor time of the processes `pids` in microseconds.
 */
import type { TLSSocket } from "node:tls"
import { processorTime } from "../Processes.ts"
import { fail, open, percentile, repeat, requestHead, respondToEach, type Target } from "./client.ts"

interface Job {
  readonly target: Target
  readonly host: string
  readonly connections: number
  readonly warmUp: number
  readonly measured: number
  readonly path?: string
  readonly pids?: ReadonlyArray<number>
}

await respondToEach(async (job: Job) => {
  const { connections, host, measured, path = "/v1/items/42?limit=20", pids = [], target, warmUp } = job
  const request = requestHead(target, host, path)
  const all = new Set<TLSSocket>()
  let times: Array<number> = []
  let broken = 0
  let over = false

  const keepBusy = (secured: TLSSocket): void => {
    let sent = performance.now()
    repeat(secured, request, () => {
      const now = performance.now()
      times.push(now - sent)
      sent = now
      return !over
    })
  }
  const connect = async (): Promise<TLSSocket> => {
    const secured: TLSSocket = await open(target, host, {
      broken: (reason) => {
        all.delete(secured)
        if (over) return
        if (++broken > connections) fail(reason)
        void connect().then(keepBusy)
      }
    })
    all.add(secured)
    return secured
  }

  // Opens all connections before the first request: behind a busy proxy the last ones would take long.
  while (all.size < connections) await connect()
  for (const secured of all) keepBusy(secured)
  await new Promise((resolve) => setTimeout(resolve, warmUp))
  times = []
  const before = processorTime(pids)
  const started = performance.now()
  await new Promise((resolve) => setTimeout(resolve, measured))
  const seconds = (performance.now() - started) / 1000
  const taken = times
  const used = processorTime(pids) - before
  over = true
  for (const secured of all) secured.destroy()
  return { requests: taken.length, seconds, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99), broken, used }
})
