/** The process of a daemon that shares its database with others. Prints its port, and stops on SIGTERM after ten seconds. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Daemon from "../../src/server/Daemon.ts"

const serving = Daemon.serve({
  host: "127.0.0.1",
  port: 0,
  drainSeconds: 10,
  onReady: ({ port }) => process.stdout.write(`${port}\n`)
})

Effect.runFork(serving).addObserver((exit) => {
  if (exit._tag === "Failure") process.stderr.write(Cause.pretty(exit.cause))
  process.exit(exit._tag === "Success" ? 0 : 1)
})
