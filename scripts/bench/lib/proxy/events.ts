/** Reads one event stream. Prints how long its events were in transit, in milliseconds, without the first ones. */
import { fail, open, options, requestHead, type Target } from "./client.ts"

const { count, host, target, warmUp } = options<{
  readonly target: Target
  readonly host: string
  readonly count: number
  /** The number of events that do not count. */
  readonly warmUp: number
}>()

const secured = await open(target, host)
const times: Array<number> = []
let left = ""
secured.on("data", (chunk: Buffer) => {
  const now = process.hrtime.bigint()
  left += chunk.toString("latin1")
  if (left.startsWith("HTTP/1.1 ") && !left.startsWith("HTTP/1.1 200")) fail(left)
  for (const [, sent] of left.matchAll(/data: (\d+)\n\n/g)) times.push(Number(now - BigInt(sent ?? 0)) / 1e6)
  left = left.slice(Math.max(0, left.lastIndexOf("\n\n")))
  if (times.length >= warmUp + count) {
    console.log(JSON.stringify(times.slice(warmUp, warmUp + count)))
    process.exit(0)
  }
})
secured.write(requestHead(target, host, "/events"))
