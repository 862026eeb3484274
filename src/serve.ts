/**
 * The entry point of a daemon that a client starts in the background. It omits the command line, which would take
 * longer to load than the daemon takes to start. The arguments are those of `daemon serve`, already validated by the
 * client.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { withPipedMasterKey } from "./client/Autostart.ts"
import { defaultHost, defaultPort } from "./client/DaemonAddress.ts"
import { Paths } from "./config/Paths.ts"
import { Settings } from "./config/Settings.ts"
import { PeerOwner } from "./platform/PeerOwner.ts"
import * as Daemon from "./server/Daemon.ts"

const argument = (name: string): string | undefined => {
  const at = process.argv.indexOf(name)
  return at === -1 ? undefined : process.argv[at + 1]
}

const settings = Layer.effect(
  Settings,
  Effect.map(Settings, (settings) => withPipedMasterKey(settings, process.env))
).pipe(Layer.provide(Settings.layer))

const program = Daemon.serve({
  host: argument("--host") ?? defaultHost,
  port: Number(argument("--port") ?? defaultPort)
}).pipe(
  Effect.provide(Layer.mergeAll(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(settings)))
)

Effect.runFork(program).addObserver((exit) => {
  if (Exit.isSuccess(exit)) process.exit(0)
  const error = Object(Cause.squash(exit.cause)) as { readonly detail?: unknown; readonly _tag?: unknown }
  process.stderr.write(`error: ${String(error.detail ?? error._tag ?? "something unexpected")}\n`)
  process.exit(Runtime.getErrorExitCode(error))
})
