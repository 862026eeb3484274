/**
 * A process that keeps connections to a port open, as another user or as ours. It reopens closed connections
 * immediately.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { builtins } from "../../src/platform/builtins.ts"
import { otherUser } from "./OtherUser.ts"

export interface FloodOptions {
  readonly port: number
  readonly connections: number
  readonly user: "own" | "other"
  /** Sent on each connection. Responses are not read. */
  readonly text: string
}

const script = ({ connections, port, text }: FloodOptions): string => `
  const net = require("node:net")
  let opened = 0
  const open = () => {
    const socket = net.connect(${port}, "127.0.0.1", () => {
      socket.write(${JSON.stringify(text)})
      if (++opened === ${connections}) console.log("open")
    })
    socket.pause().on("error", () => {}).on("close", open)
  }
  for (let count = 0; count < ${connections}; count++) open()
`

/** Floods until the scope closes. Returns once the wanted number of connections has been open. */
export const flood = (options: FloodOptions): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const node = [process.execPath, "-e", script(options)]
    const [command = "", ...args] = options.user === "own" ? node : ["setpriv", ...otherUser(), ...node]
    const child = builtins.childProcess.spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    yield* Effect.callback<void>((resume) => void child.stdout.once("data", () => resume(Effect.void)))
  })

/** Sends requests one after the other. Returns the duration of each in milliseconds. */
export const timed = <E, R>(count: number, request: Effect.Effect<void, E, R>): Effect.Effect<Array<number>, E, R> =>
  Effect.gen(function*() {
    const times: Array<number> = []
    for (let made = 0; made < count; made++) {
      const before = performance.now()
      yield* request
      times.push(performance.now() - before)
    }
    return times
  })

/** The median of an odd number of durations. A busy machine delays single requests for seconds. */
export const median = (times: ReadonlyArray<number>): number =>
  times.toSorted((left, right) => left - right)[(times.length - 1) / 2] ?? Infinity
