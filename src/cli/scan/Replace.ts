/** Replaces keys that the vault has by placeholders, in the files where scan found them, and restores these files. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as path from "node:path"
import { CredentialsGroup } from "../../api/CredentialsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { readUserFile, replaceUserFile, restoreUserFile } from "../login/UserFile.ts"
import { readerOf } from "./FileFormats.ts"

interface ReplacedKey {
  readonly value: Redacted.Redacted<string>
  readonly placeholder: string
}

const escaped = (text: string): string =>
  text.replace(/[^\w]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The content with placeholders. Undefined if its program would not read them, or would read anything else in another way. */
const withPlaceholders = (
  source: string,
  content: string,
  found: ReadonlyArray<ReplacedKey>
): string | undefined => {
  const keys = found.map(({ placeholder, value }) => ({ placeholder, value: Redacted.value(value) }))
  const read = readerOf(source)
  if (read === undefined) return undefined
  const replace = (text: string) =>
    keys.reduce(
      (changed, { placeholder, value }) =>
        changed.replace(new RegExp(`(?<![\\w-])${escaped(value)}(?![\\w-])`, "g"), () => placeholder),
      text
    )
  const replaced = replace(content)
  const [before, after] = [[...read(content)], [...read(replaced)]]
  const isRight = before.length === after.length &&
    before.every(([variable, value], index) => after[index]![0] === variable && after[index]![1] === replace(value))
  return isRight && keys.every(({ value }) => !replaced.includes(value)) ? replaced : undefined
}

/** Replaces the keys of a file. Returns false if that is not possible. */
export const replaceKeys = Effect.fnUntraced(function*(source: string, keys: ReadonlyArray<ReplacedKey>) {
  const credentials = (yield* DaemonClient).of(CredentialsGroup)
  const present = yield* readUserFile(path.resolve(source))
  const replaced = withPlaceholders(source, present.text, keys)
  if (replaced === undefined) return false
  yield* credentials.keep({
    payload: { path: present.file, content: Redacted.make(present.text), replaced: Redacted.make(replaced) }
  })
  yield* replaceUserFile(present, replaced)
  return true
})

/** Restores those of the files whose keys were replaced, and returns their names. Fails if some cannot be restored, after the others. */
export const restoreFiles = Effect.fnUntraced(function*(sources: ReadonlyArray<string>, force: boolean) {
  const results = yield* Effect.forEach(
    sources,
    (source) => Effect.result(restoreUserFile(path.resolve(source), force))
  )
  const failed = results.find(Result.isFailure)
  if (failed !== undefined) return yield* failed.failure
  return sources.filter((_, index) => Result.getOrThrow(results[index]!))
})
