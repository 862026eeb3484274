/**
 * Opens new connections one after the other, each with one request, alternating between the targets. Prints the
 * milliseconds from connecting to the response for each target.
 */
import { open, options, repeat, requestHead, type Target } from "./client.ts"

const { hosts, targets, warmUp } = options<{
  readonly targets: ReadonlyArray<Target>
  readonly hosts: ReadonlyArray<string>
  /** Connections to the first host before the measurement. */
  readonly warmUp: number
}>()

const once = async (target: Target, host: string): Promise<number> => {
  const started = performance.now()
  const secured = await open(target, host)
  await new Promise<void>((resolve) =>
    repeat(secured, requestHead(target, host, "/v1/items/42"), () => {
      resolve()
      return false
    })
  )
  const taken = performance.now() - started
  secured.removeAllListeners("close").end()
  return taken
}

for (let each = 0; each < warmUp; each++) for (const target of targets) await once(target, hosts[0] ?? "")
const times: ReadonlyArray<Array<number>> = targets.map(() => [])
for (const host of hosts) for (const [way, target] of targets.entries()) times[way]?.push(await once(target, host))
console.log(JSON.stringify(times))
process.exit(0)
