/** Replaces keys with placeholders in the files where `scan` found them, and restores these files. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as path from "node:path"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { call } from "../api/OperationCall.ts"
import { readUserFile, replaceUserFile, restoreUserFile } from "../login/UserFile.ts"
import { assignmentsOf, readerOf, replaceText } from "./FileFormats.ts"

/** A key in a file, and the placeholder that replaces it. */
export interface ReplacedKey {
  readonly variable: string
  readonly value: Redacted.Redacted<string>
  readonly placeholder: string
}

const escapePattern = (text: string): string =>
  text.replace(/[^\w]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Returns the content with placeholders, or undefined if programs would not read them, or would read other values differently. */
const withPlaceholders = (source: string, content: string, found: ReadonlyArray<ReplacedKey>): string | undefined => {
  // Longer values first: a key may contain another key.
  const keys = found.map(({ placeholder, value }) => ({ placeholder, value: Redacted.value(value) }))
    .toSorted((a, b) => b.value.length - a.value.length)
  const read = readerOf(source)
  if (read === undefined) return undefined
  const replace = (text: string) =>
    keys.reduce(
      (changed, { placeholder, value }) =>
        changed.replace(new RegExp(`(?<![\\w-])${escapePattern(value)}(?![\\w-])`, "g"), () => placeholder),
      text
    )
  const replaced = replaceText(source, content, replace)
  const [before, after] = [[...read(content)], [...read(replaced)]]
  const isRight = before.length === after.length &&
    before.every(([variable, value], index) => after[index]![0] === variable && after[index]![1] === replace(value))
  return isRight && keys.every(({ value }) => !replaced.includes(value)) ? replaced : undefined
}

/** Finds a variable with several values, of which the vault may have only one. Undefined without such a variable. */
const ambiguousVariable = (source: string, content: string, keys: ReadonlyArray<ReplacedKey>): string | undefined => {
  const assigned = [...assignmentsOf(source)?.(content) ?? []]
  return keys.find(({ value, variable }) =>
    assigned.some(([name, other]) =>
      name === variable && other !== "" && other !== Redacted.value(value) && !other.includes(PLACEHOLDER)
    )
  )?.variable
}

/**
 * Replaces keys in a file with placeholders, after storing the original in the vault. Fails if a variable has several values, or
 * if the placeholders would change the file's structure.
 */
export const replaceKeys = Effect.fnUntraced(function*(source: string, keys: ReadonlyArray<ReplacedKey>) {
  const present = yield* readUserFile(path.resolve(source))
  const ambiguous = ambiguousVariable(source, present.text, keys)
  if (ambiguous !== undefined) {
    return yield* OperationNotAllowedError.of(`${ambiguous} has several values in this file.`)
  }
  const replaced = withPlaceholders(source, present.text, keys)
  if (replaced === undefined) {
    return yield* OperationNotAllowedError.of("The keys in this file cannot be replaced safely.")
  }
  yield* call("credentials.keep", {
    path: present.file,
    content: Redacted.make(present.text),
    replaced: Redacted.make(replaced)
  })
  yield* replaceUserFile(present, replaced)
})

/** Restores the files with replaced keys. `failed` lists the files that could not be restored. */
export const restoreFiles = Effect.fnUntraced(function*(
  sources: ReadonlyArray<string>,
  options: { readonly force: boolean }
) {
  const restored: Array<string> = []
  const failed: Array<{ readonly source: string; readonly reason: string }> = []
  for (const source of sources) {
    const file = path.resolve(source)
    const result = yield* Effect.result(restoreUserFile(file, options))
    if (Result.isSuccess(result)) {
      if (result.success) restored.push(source)
      continue
    }
    // Asks whether the vault has an original of this file. If so, the daemon refuses the empty content.
    const asked = yield* Effect.result(call("credentials.restore", { path: file, content: Redacted.make("") }))
    if (Result.isFailure(asked) || asked.success.status !== "unknown") {
      failed.push({ source, reason: result.failure.message })
    }
  }
  return { restored, failed }
})
