/**
 * The entry point of a daemon that a client starts in the background. It omits the command line, which would take
 * longer to load than the daemon takes to start. The arguments are those of `daemon serve`, already validated by the
 * client.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { defaultHost, defaultPort } from "./client/DaemonAddress.ts"
import * as Daemon from "./server/Daemon.ts"

const argument = (name: string): string | undefined => {
  const at = process.argv.indexOf(name)
  return at === -1 ? undefined : process.argv[at + 1]
}

const program = Daemon.serve({
  host: argument("--host") ?? defaultHost,
  port: Number(argument("--port") ?? defaultPort)
})

Effect.runFork(program).addObserver((exit) => {
  if (Exit.isSuccess(exit)) process.exit(0)
  const error = Object(Cause.squash(exit.cause)) as { readonly detail?: unknown; readonly name?: unknown }
  const unexpected = `the daemon failed unexpectedly (${String(error.name)}). Find the cause with: credsvc doctor`
  process.stderr.write(`error: ${String(error.detail ?? unexpected)}\n`)
  process.exit(Runtime.getErrorExitCode(error))
})
