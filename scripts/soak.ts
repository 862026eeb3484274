/**
 * `npm run soak [seconds]` sends 500 concurrent HTTP/2 streams and 200 WebSockets through one run, for ten minutes by
 * default. Prints the number of messages, and fails on any error and on growing memory.
 */
import * as fs from "node:fs"
import { result } from "./bench/lib/Processes.ts"
import { HOST, openProxyTestbed } from "./bench/lib/ProxyTestbed.ts"

const seconds = Number(process.argv[2] ?? 600)
const allowedMib = 24

const testbed = await openProxyTestbed({ api: "soak-api" })
try {
  const target = await testbed.candidate("credsvc")
  const status = (): number => {
    const text = fs.readFileSync(`/proc/${target.pid}/status`, "utf8")
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024
  }
  const client = result<{ readonly requests: number; readonly messages: number; readonly errors: object }>(
    testbed.worker("soak-client", [JSON.stringify({ target, host: HOST, streams: 500, sockets: 200, seconds })])
  )
  const taken: Array<number> = []
  const timer = setInterval(() => taken.push(status()), 1000)
  const { errors, messages, requests } = await client
  clearInterval(timer)
  // The heap size fluctuates, so the minimum of each period counts, and the last periods must be about equal.
  const stretch = Math.ceil(taken.length / 10)
  const least = Array.from({ length: 10 }, (_, each) => taken.slice(each * stretch, (each + 1) * stretch))
    .filter((values) => values.length > 0).map((values) => Math.min(...values))
  const growth = (least.at(-1) ?? 0) - (least[least.length >> 1] ?? 0)
  console.log(
    `${seconds} s: ${requests} requests on 500 streams, ${messages} messages on 200 WebSockets, errors: ` +
      `${JSON.stringify(errors)}\nMiB at least, in each tenth of the time: ${
        least.map((mib) => mib.toFixed(0)).join(" ")
      }`
  )
  if (Object.keys(errors).length > 0 || growth > allowedMib) process.exitCode = 1
} finally {
  await testbed.close()
}
