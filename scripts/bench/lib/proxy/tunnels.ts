/**
 * Opens new connections one after the other, each with one request, alternating between the targets. Prints the
 * milliseconds from connecting to the response for each target, null for a connection that failed. With `atOnce`, opens so many at a
 * time to the first target, and prints the seconds that all of them took.
 */
import { open, options, repeat, requestHead, type Target } from "./client.ts"

const { atOnce, hosts, targets, warmUp } = options<{
  /** Null for a target that is not available. */
  readonly targets: ReadonlyArray<Target | null>
  readonly hosts: ReadonlyArray<string>
  /** Connections to the first host before the measurement. */
  readonly warmUp: number
  readonly atOnce?: number
}>()

const once = async (target: Target, host: string): Promise<number> => {
  const started = performance.now()
  let lost = (_reason: string): void => {}
  const secured = await open(target, host, { broken: (reason) => lost(reason) })
  await new Promise<void>((resolve, reject) => {
    lost = (reason) => reject(new Error(reason))
    repeat(secured, requestHead(target, host, "/v1/items/42"), () => {
      resolve()
      return false
    })
  })
  const taken = performance.now() - started
  secured.removeAllListeners("close").end()
  return taken
}

const timed = (target: Target | null, host: string): Promise<number | null> =>
  target === null ? Promise.resolve(null) : once(target, host).catch((error: Error) => {
    console.error(error.message)
    return null
  })

if (atOnce !== undefined) {
  const left = [...hosts]
  const started = performance.now()
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (let host = left.pop(); host !== undefined; host = left.pop()) await once(targets[0]!, host)
  }))
  console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000 }))
  process.exit(0)
}
for (let each = 0; each < warmUp; each++) for (const target of targets) await timed(target, hosts[0] ?? "")
const times: ReadonlyArray<Array<number | null>> = targets.map(() => [])
for (const host of hosts) for (const [way, target] of targets.entries()) times[way]?.push(await timed(target, host))
console.log(JSON.stringify(times))
process.exit(0)
