/**
 * A copy of the audit log as JSON lines, for people and their tools.
 *
 * The table is authoritative and the copy proves nothing. Missing lines are written from the table; existing lines are
 * never corrected, so that differences can be reported.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Paths } from "../config/Paths.ts"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import type { AuditCopyState } from "../domain/wire/AuditEntry.ts"
import { oneLine, openRotatingFile, type RotatingFile } from "../platform/files/RotatingFile.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import type { StoredEntry } from "./AuditRecord.ts"

const keep = 5
const maxBytes = 10 * 1024 * 1024

/** An entry as the HTTP interface and the copy have it. */
export const entryToWire = ({ mac: _mac, prev_hash: _prev, request, ...entry }: StoredEntry) => ({
  ...entry,
  ...(request === null ? {} : { request }),
  // Only entries about the store itself have no identity.
  identity: entry.identity ?? ""
})

const lineOf = ({ seq, ...entry }: StoredEntry): string => oneLine(JSON.stringify(entryToWire({ seq, ...entry })))

/** Returns the sequence number of the entry in a line, or undefined if the line is incomplete. */
const sequenceIn = (line: string): number | undefined => {
  const match = /^\{"seq":(\d+),.*\}$/.exec(line)
  return match === null ? undefined : Number(match[1])
}

/** The result of comparing the copy with the table. */
export interface Comparison {
  readonly state: AuditCopyState
  /** The difference, as a clause in which "it" is the copy. */
  readonly difference?: string
}

/** The entries in the table, which are compared with the copy. */
interface Entries {
  readonly head: Effect.Effect<
    { readonly seq: number; readonly base?: { readonly seq: number } },
    VaultUnavailableError
  >
  readonly after: (seq: number) => Effect.Effect<ReadonlyArray<StoredEntry>, VaultUnavailableError>
}

const linesIn = (name: string) =>
  Effect.map(SecureFiles.readFile(name), (bytes) => {
    const lines = new TextDecoder().decode(bytes).split("\n")
    if (lines.at(-1) === "") lines.pop()
    return lines
  })

/** Compares the files of the copy with the entries up to the entry `last`. */
const difference = Effect.fnUntraced(function*({ after, head }: Entries, files: ReadonlyArray<string>, last: number) {
  const base = (yield* head).base?.seq ?? 0
  let rows: ReadonlyArray<StoredEntry> = []
  let at = 0
  let expected: number | undefined
  for (const name of files) {
    for (const [index, line] of (yield* linesIn(name)).entries()) {
      const place = `line ${index + 1} of ${name}`
      const seq = sequenceIn(line)
      if (expected === undefined) {
        // The store has deleted this entry because it was too old.
        if (seq !== undefined && seq <= base) continue
        expected = seq ?? base + 1
        // The oldest file is deleted only when there are too many files.
        if (expected > base + 1 && files.length <= keep) {
          return `it begins with entry ${expected}, and all earlier entries are missing`
        }
      }
      if (at === rows.length) {
        rows = yield* after(expected - 1)
        at = 0
      }
      const row = rows[at]
      if (row === undefined || row.seq > last) return `${place} has no entry in the store`
      const whole = lineOf(row)
      if (line === whole) {
        at++
        expected = row.seq + 1
      } else if (line === "" || !whole.startsWith(line)) {
        return seq !== undefined && seq > row.seq
          ? `entry ${row.seq} is missing before ${place}`
          : `${place} does not match entry ${row.seq}`
      }
      // Otherwise a crash has cut the line off, and the next line contains the whole entry.
    }
  }
  const next = expected ?? base + 1
  return next > last ? undefined : `entry ${next} and all later entries are missing`
})

/** Opens the copy until the scope closes. */
export const openAuditCopy = Effect.fnUntraced(function*(entries: Entries, { auditLog, serverLogs }: Paths["Service"]) {
  const { after, head } = entries
  const mirror: RotatingFile = yield* Effect.acquireRelease(
    Effect.andThen(SecureFiles.ensurePrivateDirectory(serverLogs), openRotatingFile(auditLog, { maxBytes, keep })),
    (mirror) => Effect.sync(mirror.close)
  )
  const turn = yield* Semaphore.make(1)
  const isMissing = () => !mirror.exists()
  /** The last entry in the copy. Undefined until the files have been read. */
  let copied: number | undefined

  const lastCopied = Effect.gen(function*() {
    const { seq } = yield* head
    for (const name of mirror.files().toReversed()) {
      const last = (yield* linesIn(name)).findLast((line) => sequenceIn(line) !== undefined)
      // A line after entry `seq` belongs to a deleted store, and `compare` reports it.
      if (last !== undefined) return Math.min(sequenceIn(last)!, seq)
    }
    return 0
  })

  /** Writes missing lines. Returns the last entry that the copy then contains. */
  const complete = Effect.gen(function*() {
    let seq = copied === undefined || isMissing() ? yield* lastCopied : copied
    for (;;) {
      const rows = yield* after(seq)
      for (const row of rows) {
        if (!mirror.write(lineOf(row))) return copied = seq
        seq = row.seq
      }
      if (rows.length === 0) return copied = seq
    }
  })

  const compared = Effect.fnUntraced(function*(last: number) {
    const found = yield* difference(entries, mirror.files(), last)
    return found === undefined ? { state: "same" as const } : { state: "differs" as const, difference: found }
  })

  const completeAndCompare = Effect.gen(function*() {
    const missing = isMissing() || copied === undefined && (yield* lastCopied) === 0
    const { seq: before } = yield* head
    const last = yield* complete
    if (last < before) {
      return { state: "differs" as const, difference: `entry ${last + 1} could not be written to it` }
    }
    const result = yield* compared(last)
    return result.state === "same" && missing && last > 0 ? { state: "rewritten" as const } : result
  })

  return {
    /** Appends a committed entry, and earlier entries that the copy lacks. Never fails, because the copy is not essential. */
    add: (entry: StoredEntry): Effect.Effect<void> =>
      turn.withPermits(1)(Effect.suspend(() => {
        const missing = isMissing()
        if (copied !== undefined && entry.seq <= copied && !missing) return Effect.void
        if (entry.seq - 1 !== copied || missing) return Effect.ignore(complete)
        if (mirror.write(lineOf(entry))) copied = entry.seq
        return Effect.void
      })),

    /** Compares the copy with the table. With `complete`, first writes missing lines; the table must have been verified. */
    compare: ({ complete: isCompleted }: { readonly complete: boolean }) =>
      turn.withPermits(1)(Effect.catchTag(
        isCompleted ? completeAndCompare : Effect.flatMap(head, ({ seq }) => compared(seq)),
        "SecureFileError",
        ({ message }): Effect.Effect<Comparison> =>
          Effect.succeed({ state: "differs", difference: `it cannot be read: ${message}` })
      ))
  }
})
