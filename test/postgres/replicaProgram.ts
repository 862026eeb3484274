/** The process of a daemon that shares its database with others. Prints its port, and stops on SIGTERM after three seconds. */
import * as Effect from "effect/Effect"
import * as Daemon from "../../src/server/Daemon.ts"
import { SharedAccess } from "../../src/store/Store.ts"

const serving = Daemon.serve({
  host: "127.0.0.1",
  port: 0,
  drainSeconds: 3,
  onReady: ({ port }) => process.stdout.write(`${port}\n`)
})

Effect.runFork(Effect.provideService(serving, SharedAccess, true)).addObserver((exit) =>
  process.exit(exit._tag === "Success" ? 0 : 1)
)
