/** Adds the rules for the requests of a run to a file. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { MAX_RULES } from "../../domain/rules/Rule.ts"
import { RuleRecorder } from "../../domain/rules/RuleRecorder.ts"
import type { PolicyRules } from "../../domain/rules/RuleSchemas.ts"
import { formatRulesFile, readRulesFile } from "../../domain/rules/RulesFile.ts"
import { plural } from "../../domain/text/Plural.ts"
import { builtins } from "../../platform/builtins.ts"
import { errorCode } from "../../platform/ErrorCode.ts"
import { readRegular } from "../../platform/files/ReadFile.ts"
import { withUserUmask } from "../../platform/process/UserUmask.ts"
import { Output } from "../output/Output.ts"

const MAX_BYTES = 256 * 1024

const wrong = (message: string) => InvalidRequestError.at("--record", message)

interface Target {
  /** The absolute path of the file, or of the target if the user has named a symbolic link. */
  readonly file: string
  /** The rules of the file before the run, or undefined if the file did not exist. */
  readonly previous: { readonly mode: number; readonly rules: PolicyRules } | undefined
}

const EMPTY: PolicyRules = { allow: [], deny: [], readonly: false }

const attempt = <A>(named: string, try_: () => A): Effect.Effect<A, InvalidRequestError> =>
  Effect.try({ try: try_, catch: (cause) => wrong(`${named} cannot be written (${errorCode(cause)})`) })

/** Reads the file before the command runs, because the command could change it. */
const readTarget = Effect.fnUntraced(function*(named: string) {
  const stat = yield* attempt(named, () => fs.statSync(named, { throwIfNoEntry: false }))
  if (stat === undefined) return { file: path.resolve(named), previous: undefined } satisfies Target
  const text = yield* Effect.fromResult(readRegular(named, MAX_BYTES)).pipe(
    Effect.mapError((obstacle) => wrong(`${named} ${obstacle}`))
  )
  const rules = readRulesFile(text.toString("utf8"))
  if (Result.isFailure(rules)) {
    return yield* wrong(`${named} exists and is not a file with rules. Choose another file, or remove it`)
  }
  const file = yield* attempt(named, () => fs.realpathSync(named))
  return { file, previous: { mode: stat.mode & 0o777, rules: rules.success } } satisfies Target
})

/** Writes a file beside the target. */
const writeTemporary = ({ file, previous }: Target, text: string): string => {
  const suffix = builtins.crypto.randomBytes(6).toString("hex")
  const name = path.join(path.dirname(file), `.${path.basename(file)}.${suffix}.tmp`)
  const fd = withUserUmask(() => fs.openSync(name, "wx", 0o666))
  try {
    if (previous !== undefined) fs.fchmodSync(fd, previous.mode)
    fs.writeFileSync(fd, text)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
  return name
}

/** Moves a file to a free name, and returns the name. The command of the run may have created a file with the wanted name. */
const placeFree = (temporary: string, wanted: string): string => {
  for (let count = 1;; count++) {
    const file = count === 1 ? wanted : `${wanted}.${count}`
    try {
      fs.linkSync(temporary, file)
      return file
    } catch (cause) {
      if (errorCode(cause) === "EEXIST") continue
      if (fs.existsSync(file)) continue
      // The file system has no hard links.
      fs.renameSync(temporary, file)
      return file
    }
  }
}

export interface Recording {
  readonly recorder: RuleRecorder
  /** Writes the rules at the end of the run. */
  readonly write: Effect.Effect<void, never, Output>
}

/** Prepares the recording to a file. Fails if the file cannot be written, or contains anything other than rules. */
export const openRecording = Effect.fnUntraced(function*(named: string) {
  const target = yield* readTarget(named)
  // Reports problems before the command starts. The lasting file is created only after the command has ended, because
  // the command could replace it.
  yield* attempt(named, () => fs.rmSync(writeTemporary(target, "")))
  const recorder = new RuleRecorder()

  const write = Effect.gen(function*() {
    const output = yield* Output
    const rules = target.previous?.rules ?? EMPTY
    const { allow, inexpressible } = recorder.rules(rules.allow)
    if (inexpressible > 0) {
      yield* output.warn(
        `No rule can allow ${
          plural(inexpressible, "request")
        } of this run: servers could read the path in more than one way, or the request overrides its method or path`
      )
    }
    if (allow === undefined) {
      return yield* output.warn(
        `Nothing was written to ${named}: the run needs more than ${MAX_RULES} rules. Write broader rules yourself: ` +
          `credsvc log requests shows the requests`
      )
    }
    const added = allow.length - rules.allow.length
    if (added === 0) {
      return yield* output.note(
        rules.allow.length === 0
          ? `Nothing was written to ${named}: the run sent no requests to hosts of providers.`
          : `The rules in ${named} already cover all requests of the run.`
      )
    }
    let written = named
    let temporary = ""
    try {
      temporary = writeTemporary(target, formatRulesFile({ ...rules, allow }))
      // Renaming is atomic, so a reader sees either the old or the new file.
      if (target.previous !== undefined) fs.renameSync(temporary, target.file)
      else {
        const placed = placeFree(temporary, target.file)
        if (placed !== target.file) {
          yield* output.warn(`${named} was created during the run and is not replaced`)
          written = placed
        }
      }
    } catch (cause) {
      return yield* output.warn(`The rules could not be written to ${named} (${errorCode(cause)})`)
    } finally {
      fs.rmSync(temporary, { force: true })
    }
    yield* output.note(`Wrote ${plural(added, "rule")} to ${written}. Use them with: credsvc run --rules ${written}`)
  })

  return { recorder, write } satisfies Recording
})
