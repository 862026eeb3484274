/** The main program: parses the arguments, runs the command, and exits with its exit code. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { withholdMemory } from "../platform/process/CoreFiles.ts"
import { closeInspector } from "../platform/process/Inspector.ts"
import { Output } from "./output/Output.ts"
import { report } from "./output/Report.ts"
import { directCommand } from "./parse/DirectCommands.ts"
import { GlobalFlags } from "./parse/GlobalFlags.ts"

const argv = process.argv.slice(2)

// Without a listener for this signal, Node opens a debugger port. With `--disable-sigusr1`, `run` could not pass the signal on.
process.on("SIGUSR1", () => {})
closeInspector()
withholdMemory()

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
let stoppedBy: number | undefined

// `NodeRuntime.runMain` would interrupt a command on every signal, even on a signal that its child process handles.
const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  for (const [name, number] of Object.entries(signals)) {
    process.on(name, () => {
      // A command that handles the signal itself decides what it means.
      if (process.listenerCount(name) > 1) return
      stoppedBy = 128 + number
      fiber.interruptUnsafe()
    })
  }
  fiber.addObserver((exit) => teardown(exit, process.exit))
})

const run = Effect.gen(function*() {
  const { command, flags } = directCommand(argv) ??
    (yield* Effect.promise(() => import("./CommandTree.ts"))).treeCommand(argv)
  const reported = Effect.gen(function*() {
    const exit = yield* Effect.exit(command as Effect.Effect<void, unknown, Effect.Services<typeof command>>)
    return Exit.isSuccess(exit) ? 0 : yield* report(yield* Output, exit.cause, stoppedBy)
  })
  return yield* reported.pipe(
    Effect.provide(Layer.provideMerge(Output.layerNoDeps, Layer.succeed(GlobalFlags, flags)))
  )
})

runMain(run, {
  disableErrorReporting: true,
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : stoppedBy ?? 1)
})
