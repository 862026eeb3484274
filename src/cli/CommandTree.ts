/** Parses and runs any command line with Effect's CLI framework, including help and usage errors. */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import { version } from "../platform/process/Version.ts"
import { completionModel } from "./completion/CommandModel.ts"
import { Output } from "./output/Output.ts"
import { presenter } from "./output/Presenter.ts"
import { countOwn } from "./parse/CommandLine.ts"
import { readArguments } from "./parse/GlobalFlags.ts"
import { apiCommand } from "./tree/ApiCommand.ts"
import { treeWith } from "./tree/Root.ts"

/** Removes from the type the services that the framework needs only for kinds of flags that this tree does not use. */
const withoutEnvironment = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect as Effect.Effect<A, E, Exclude<R, Command.Environment>>

/** Returns the tree for these arguments. Derives the commands below `api` only if needed, because this takes long. */
const treeFor = ([first, second]: ReadonlyArray<string>) =>
  first === "api" || (first === "help" && second === "api")
    ? Effect.map(Effect.promise(() => import("./api/ApiCommands.ts")), ({ apiCommands }) => treeWith(apiCommands()))
    : Effect.sync(() => treeWith(apiCommand))

const runTree = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const output = yield* Output
  yield* withoutEnvironment(Command.runWith(yield* treeFor(args), { version })(args)).pipe(
    Effect.provide([
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
      CliOutput.layerPresenter(presenter(output, args))
    ])
  )
})

/** Separates the global flags from the other arguments. The tree tells where the arguments of another program begin. */
export const readCommandLine = (argv: ReadonlyArray<string>) =>
  readArguments(argv, countOwn(completionModel(treeWith(apiCommand)), argv))

const flagsOfRequests = new Set(["requests", "run", "status", "host", "failed", "until", "follow", "f", "format"])

/** Turns the earlier forms `log --verify` and `log --requests` into `log verify` and `log requests`. */
const currentForm = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [command, first = "", ...rest] = args
  if (command !== "log" || !first.startsWith("-")) return args
  const flags = [first, ...rest].filter((arg) => arg.startsWith("-")).map((arg) => arg.replace(/^--?|=.*$/gs, ""))
  const isRequests = flags.some((flag) => flagsOfRequests.has(flag))
  const mode = flags.includes("verify") ? ["verify"] : isRequests ? ["requests"] : []
  return [command, ...mode, first, ...rest].filter((arg) => arg !== `--${mode[0]}`)
}

export const treeCommand = (argv: ReadonlyArray<string>) => {
  const { args, flags } = readCommandLine(argv)
  return { flags, command: runTree(currentForm(args)) }
}
