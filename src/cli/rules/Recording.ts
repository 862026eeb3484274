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
import { errorCode } from "../../platform/ErrorCode.ts"
import { readRegular } from "../../platform/files/BoundedRead.ts"
import { replaceFile } from "../../platform/files/SecureFiles.ts"
import { withUserUmask } from "../../platform/process/UserUmask.ts"
import { Output } from "../output/Output.ts"

const MAX_BYTES = 256 * 1024

const wrong = (message: string) => InvalidRequestError.at("--record", message)

const EMPTY: PolicyRules = { allow: [], deny: [], readonly: false }

const attempt = <A>(named: string, try_: () => A): Effect.Effect<A, InvalidRequestError> =>
  Effect.try({ try: try_, catch: (cause) => wrong(`${named} cannot be written (${errorCode(cause)})`) })

/**
 * Reads the file before the command runs, because the command could change it. `file`: its absolute path, or that of the target of a
 * symbolic link. `previous`: its content, or undefined if it does not exist.
 */
const readTarget = Effect.fnUntraced(function*(named: string) {
  const stat = yield* attempt(named, () => fs.statSync(named, { throwIfNoEntry: false }))
  if (stat === undefined) return { file: path.resolve(named), previous: undefined }
  const text = yield* Effect.fromResult(readRegular(named, MAX_BYTES)).pipe(
    Effect.mapError((obstacle) => wrong(`${named} ${obstacle}`))
  )
  const rules = readRulesFile(text.toString("utf8"))
  if (Result.isFailure(rules)) {
    return yield* wrong(`${named} exists and is not a file with rules. Choose another file, or remove it`)
  }
  const file = yield* attempt(named, () => fs.realpathSync(named))
  return { file, previous: { stat, rules: rules.success } }
})

/** Creates a file with a free name: the command of the run may have created a file with the wanted name. */
const createFree = (wanted: string, text: string): string => {
  for (let count = 1;; count++) {
    const file = count === 1 ? wanted : `${wanted}.${count}`
    let fd: number
    try {
      fd = withUserUmask(() => fs.openSync(file, "wx"))
    } catch (cause) {
      if (errorCode(cause) === "EEXIST") continue
      throw cause
    }
    try {
      fs.writeFileSync(fd, text)
      return file
    } catch (cause) {
      fs.rmSync(file, { force: true })
      throw cause
    } finally {
      fs.closeSync(fd)
    }
  }
}

/** Prepares the recording to a file. Fails if the file cannot be written, or contains anything other than rules. */
export const openRecording = Effect.fnUntraced(function*(named: string) {
  const target = yield* readTarget(named)
  // Reports problems before the command starts.
  yield* attempt(named, () => fs.rmdirSync(fs.mkdtempSync(`${target.file}.`)))
  const recorder = new RuleRecorder()

  /** Writes the rules at the end of the run. */
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
    const { file, previous } = target
    const text = formatRulesFile({ ...rules, allow })
    const written = yield* Effect.result(
      previous === undefined
        ? Effect.try({ try: () => createFree(file, text), catch: (cause) => errorCode(cause) })
        : replaceFile(file, text, previous.stat).pipe(
          Effect.as(file),
          Effect.mapError(({ code, problem }) => code ?? problem)
        )
    )
    if (Result.isFailure(written)) {
      return yield* output.warn(`The rules could not be written to ${named} (${written.failure})`)
    }
    const place = written.success === file ? named : written.success
    if (place !== named) yield* output.warn(`${named} was created during the run and is not replaced`)
    yield* output.note(`Wrote ${plural(added, "rule")} to ${place}. Use the file with: credsvc run --rules ${place}`)
  })

  return { recorder, write }
})
