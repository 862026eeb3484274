/** Writes the rules for the requests of a run to a file, in addition to those that the file already has. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { plural } from "../../domain/Plural.ts"
import { MAX_RULES } from "../../domain/rules/Rule.ts"
import { RuleRecorder } from "../../domain/rules/RuleRecorder.ts"
import type { PolicyRules } from "../../domain/rules/RuleSchemas.ts"
import { formatRulesFile, readRulesFile } from "../../domain/rules/RulesFile.ts"
import { builtins } from "../../platform/builtins.ts"
import { withUserUmask } from "../../platform/UserUmask.ts"
import { readDefinition } from "../definitions/DefinitionFile.ts"
import { Output } from "../output/Output.ts"

const wrong = (message: string) => InvalidRequestError.of([{ path: "--record", message }])

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? "unknown error"

interface Target {
  /** The file itself, if the user has named a symbolic link. */
  readonly file: string
  readonly mode: number | undefined
  readonly rules: PolicyRules
}

const EMPTY: PolicyRules = { allow: [], deny: [], readonly: false }

/** Reads the file as it is before the command runs, which could change it. */
const readTarget = Effect.fnUntraced(function*(named: string) {
  const stat = fs.statSync(named, { throwIfNoEntry: false })
  if (stat === undefined) {
    const directory = path.dirname(path.resolve(named))
    yield* Effect.try({
      try: () => fs.accessSync(directory, fs.constants.W_OK),
      catch: (cause) => wrong(`cannot write to the directory ${directory} (${codeOf(cause)})`)
    })
    return { file: path.resolve(named), mode: undefined, rules: EMPTY } satisfies Target
  }
  const text = yield* Effect.mapError(
    readDefinition(named),
    ({ problems }) => InvalidRequestError.of(problems.map(({ message }) => ({ path: "--record", message })))
  )
  const rules = readRulesFile(text)
  if (Result.isFailure(rules)) {
    return yield* wrong(`${named} exists and is not a file with rules. Choose another file, or remove it`)
  }
  return { file: fs.realpathSync(named), mode: stat.mode & 0o777, rules: rules.success } satisfies Target
})

/** Replaces the file, so that a reader sees the old or the new one. */
const replace = ({ file, mode }: Target, text: string): void => {
  const suffix = builtins.crypto.randomBytes(6).toString("hex")
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${suffix}.tmp`)
  try {
    const fd = withUserUmask(() => fs.openSync(temporary, "wx", 0o666))
    try {
      if (mode !== undefined) fs.fchmodSync(fd, mode)
      fs.writeFileSync(fd, text)
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
    fs.renameSync(temporary, file)
  } catch (cause) {
    fs.rmSync(temporary, { force: true })
    throw cause
  }
}

export interface Recording {
  readonly recorder: RuleRecorder
  readonly write: Effect.Effect<void, never, Output>
}

/** Prepares the recording to a file. Fails if the file exists and has something else than rules. */
export const openRecording = Effect.fnUntraced(function*(named: string) {
  const target = yield* readTarget(named)
  const recorder = new RuleRecorder()

  const write = Effect.gen(function*() {
    const output = yield* Output
    const { rules } = target
    const { allow, inexpressible } = recorder.rules(rules.allow)
    if (inexpressible > 0) {
      yield* output.warn(
        `No rule can allow ${
          plural(inexpressible, "request")
        } of this run: servers could read the path in more than one way, ` +
          "or it overrides the method or path"
      )
    }
    if (allow === undefined) {
      return yield* output.warn(
        `Nothing was written to ${named}: the run needs more than ${MAX_RULES} rules. Write wider ones, with the help of ` +
          "credsvc log --requests"
      )
    }
    const added = allow.length - rules.allow.length
    if (added === 0) {
      return yield* output.note(
        rules.allow.length === 0
          ? `Nothing was written to ${named}: the run sent no requests to hosts of providers.`
          : `The run needed no other rules than those in ${named}.`
      )
    }
    try {
      replace(target, formatRulesFile({ ...rules, allow }))
    } catch (cause) {
      return yield* output.warn(`The rules could not be written to ${named} (${codeOf(cause)})`)
    }
    yield* output.note(`Wrote ${plural(added, "rule")} to ${named}. Use them with: credsvc run --rules ${named}`)
  })

  return { recorder, write } satisfies Recording
})
