/** The program behind the entry: reads the arguments, runs the command, and ends with its exit code. */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { version } from "../platform/Version.ts"
import { CheckProvider } from "./CheckProvider.ts"
import { cli } from "./Cli.ts"
import { GlobalFlags, readArguments } from "./GlobalFlags.ts"
import { Output } from "./Output.ts"
import { presenter, report } from "./Report.ts"
import { ServeDaemon } from "./ServeDaemon.ts"

const { args, flags } = readArguments(process.argv.slice(2))

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
let stoppedBy: number | undefined

const run = Effect.gen(function*() {
  const output = yield* Output
  const exit = yield* Command.runWith(cli, { version })(args).pipe(
    Effect.provide([
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
      CliOutput.layerPresenter(presenter(output))
    ]),
    Effect.exit
  )
  return Exit.isSuccess(exit) ? 0 : yield* report(output, exit.cause, stoppedBy)
})

const serveDaemon = Layer.succeed(ServeDaemon, {
  serve: (options) =>
    Effect.flatMap(Effect.promise(() => import("../server/Daemon.ts")), (daemon) => daemon.serve(options))
})

const checkProvider = Layer.succeed(CheckProvider, {
  check: (text) =>
    Effect.flatMap(
      Effect.promise(() => import("../conformance/ProviderCheck.ts")),
      ({ checkDocument }) => checkDocument(text)
    )
})

/** The framework asks for a terminal, files and processes, for kinds of flags that this tree has none of. */
const withoutEnvironment = <A>(effect: Effect.Effect<A, never, Command.Environment>) => effect as Effect.Effect<A>

const fiber = Effect.runFork(withoutEnvironment(run.pipe(
  Effect.provide(
    Layer.mergeAll(Output.layerNoDeps, serveDaemon, checkProvider).pipe(
      Layer.provideMerge(Layer.succeed(GlobalFlags, flags))
    )
  )
)))

for (const [name, number] of Object.entries(signals)) {
  process.on(name, () => {
    // A command that takes the signal itself decides what it means.
    if (process.listenerCount(name) > 1) return
    stoppedBy = 128 + number
    fiber.interruptUnsafe()
  })
}

fiber.addObserver((exit) => process.exit(Exit.isSuccess(exit) ? exit.value : stoppedBy ?? 1))
