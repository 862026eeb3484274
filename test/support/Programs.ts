/** Programs of the machine, run to their end. */
import * as Effect from "effect/Effect"
import { builtins } from "../../src/platform/builtins.ts"
import { programTimeout } from "./ProgramTimeout.ts"

export interface Ran {
  readonly code: number | string
  readonly stdout: string
  /** Everything that was written to stdout, then to stderr. */
  readonly output: string
}

export const runProgram = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = { PATH: process.env["PATH"] ?? "" }
): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    builtins.childProcess.execFile(command, [...args], { env, timeout: programTimeout }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code ?? "signal"
      resume(Effect.succeed({ code, stdout, output: stdout + stderr }))
    })
  })
