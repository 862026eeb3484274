/** One new connection after the other, each with one request. Prints the milliseconds from connecting to the answer. */
import { open, options, repeat, requestHead, type Target } from "./client.ts"

const { hosts, target, warmUp } = options<{
  readonly target: Target
  readonly hosts: ReadonlyArray<string>
  /** Connections to the first host before the clock runs. */
  readonly warmUp: number
}>()

const once = async (host: string): Promise<number> => {
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

for (let each = 0; each < warmUp; each++) await once(hosts[0] ?? "")
const times: Array<number> = []
for (const host of hosts) times.push(await once(host))
console.log(JSON.stringify(times))
process.exit(0)
