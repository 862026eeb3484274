/** Replaces credentials with placeholders in the user's files, or in keyring entries that a program uses in place of a file. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as path from "node:path"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { checkPath, readFile, removeAbandonedFiles, replaceFile } from "../../platform/files/SecureFiles.ts"
import { type KeyringEntry, readEntry, writeEntry } from "../../platform/process/KeyringEntries.ts"
import { call } from "../api/OperationCall.ts"

const MAX_BYTES = 256 * 1024

const refusal = (message: string) => OperationNotAllowedError.of(message)

/** A file of the user as it was read. */
export interface UserFile {
  readonly file: string
  readonly text: string
  readonly stat: Pick<fs.Stats, "gid" | "mode">
  /** The keyring entry that has the text, if there is no file. */
  readonly entry?: KeyringEntry | undefined
}

/** Reads a file of the user, to replace it later. An absent file counts as empty unless a keyring entry has the text. */
export const readUserFile = Effect.fnUntraced(function*(file: string, entry?: KeyringEntry) {
  if (fs.existsSync(path.dirname(file))) yield* checkPath(path.dirname(file))
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) {
    const found = entry === undefined ? undefined : yield* Effect.catchTag(
      readEntry(entry),
      "KeyringError",
      (error) => error.problem === "locked" ? Effect.fail(error) : Effect.undefined
    )
    const stat = { gid: process.getgid?.() ?? 0, mode: 0o600 }
    return found === undefined ? { file, text: "", stat } : { file, text: found, stat, entry }
  }
  // An interrupted command may have left its temporary file, which has real tokens if the command was undoing a login.
  yield* removeAbandonedFiles(path.dirname(file), path.basename(file))
  const bytes = yield* readFile(file, { maxBytes: MAX_BYTES })
  if (stat.nlink > 1) return yield* refusal(`${file} has another name (a hard link), which would keep the credentials.`)
  const text = Buffer.from(bytes).toString("utf8")
  if (!Buffer.from(text).equals(bytes)) return yield* refusal(`${file} is not UTF-8 text.`)
  return { file, text, stat }
}, Effect.catchTag(["SecureFileError", "KeyringError"], ({ message }) => refusal(`${message}. Nothing was changed.`)))

/** Replaces a file, unless another program has written it since it was read. */
export const replaceUserFile = Effect.fnUntraced(function*({ entry, file, stat, text }: UserFile, content: string) {
  if (content === text) return
  const now = yield* readUserFile(file, entry)
  if (now.text !== text) return yield* refusal(`${file} was changed while this command ran. Repeat the command.`)
  if (entry === undefined) yield* replaceFile(file, content, stat)
  else yield* writeEntry(entry, content)
}, Effect.catchTag(["SecureFileError", "KeyringError"], ({ message }) => refusal(`${message}.`)))

/** Gives a file its original content, with `force` even if it has changed. Returns false if the vault has none. */
export const restoreUserFile = Effect.fnUntraced(function*(
  file: string,
  { entry, force }: { readonly force: boolean; readonly entry?: KeyringEntry | undefined }
) {
  const present = yield* readUserFile(file, entry)
  const ask = (content: string) => call("credentials.restore", { path: file, content: Redacted.make(content), force })
  const reply = yield* ask(present.text)
  if (reply.status !== "write" || reply.content === undefined) return reply.status === "restored"
  const original = Redacted.value(reply.content)
  yield* replaceUserFile(present, original)
  yield* ask(original)
  return true
})
