/** Parses and runs any command line with Effect's CLI framework, including help and usage errors. */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import { version } from "../platform/Version.ts"
import { Output } from "./output/Output.ts"
import { presenter } from "./output/Presenter.ts"
import { cli } from "./tree/Root.ts"

/** The framework requires services for kinds of flags that this tree does not use. */
const withoutEnvironment = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect as Effect.Effect<A, E, Exclude<R, Command.Environment>>

export const runCommandTree = (args: ReadonlyArray<string>) =>
  Effect.flatMap(Output, (output) =>
    withoutEnvironment(Command.runWith(cli, { version })(args)).pipe(
      Effect.provide([
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
        CliOutput.layerPresenter(presenter(output, args))
      ])
    ))
