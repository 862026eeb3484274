/**
 * `npm run soak [seconds]`: 500 concurrent streams of HTTP/2 and 200 WebSockets through one run, ten minutes unless
 * told otherwise. Prints what went through, and fails for any error and for memory that grows.
 */
import * as fs from "node:fs"
import { result } from "./bench/lib/Processes.ts"
import { HOST, openProxyStage } from "./bench/lib/ProxyStage.ts"

const seconds = Number(process.argv[2] ?? 600)
const settling = Math.min(60, seconds / 4)
const allowedMib = 24

const stage = await openProxyStage("soak-api")
try {
  const candidate = await stage.candidate("credsvc")
  if (typeof candidate === "string") throw new Error(candidate)
  const status = (): number => {
    const text = fs.readFileSync(`/proc/${candidate.pid}/status`, "utf8")
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024
  }
  const target = { ...candidate, authorization: "Bearer credsvc-proxy-managed" }
  const client = result<{ readonly requests: number; readonly messages: number; readonly errors: object }>(
    stage.worker("soak-client", [JSON.stringify({ target, host: HOST, streams: 500, sockets: 200, seconds })])
  )
  const taken: Array<number> = []
  const timer = setInterval(() => taken.push(status()), 1000)
  const { errors, messages, requests } = await client
  clearInterval(timer)
  // The heap breathes: the least of the last quarter against the least of the quarter after everything has been loaded.
  const least = (values: ReadonlyArray<number>) => Math.min(...values)
  const after = taken.slice(settling)
  const quarter = Math.ceil(after.length / 4)
  const growth = least(after.slice(-quarter)) - least(after.slice(0, quarter))
  console.log(
    `${seconds} s: ${requests} requests on 500 streams, ${messages} messages on 200 WebSockets, ` +
      `memory ${least(after.slice(0, quarter)).toFixed(0)} to ${least(after.slice(-quarter)).toFixed(0)} MiB ` +
      `(${growth.toFixed(1)} more), errors: ${JSON.stringify(errors)}`
  )
  if (Object.keys(errors).length > 0 || growth > allowedMib) process.exitCode = 1
} finally {
  await stage.close()
}
