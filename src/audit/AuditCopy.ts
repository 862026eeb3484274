/**
 * A copy of the audit log as JSON lines, for people and their tools.
 *
 * The table is authoritative and the copy proves nothing. Missing lines are written from the table; existing lines are
 * never corrected, so that a difference can be reported.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as SqlClient from "effect/sql/SqlClient"
import type { AuditCopyState } from "../domain/AuditEntry.ts"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import { oneLine, openRotatingFile, type RotatingFile } from "../platform/RotatingFile.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"
import { entriesOf, sequenceOf, type StoredEntry } from "./AuditRows.ts"

const keep = 5
const maxBytes = 10 * 1024 * 1024
const batch = 1000

export const toWire = ({ mac: _mac, prev_hash: _prev, ...entry }: StoredEntry) => ({
  ...entry,
  // Only the store's own entries have no identity.
  identity: entry.identity ?? ""
})

const lineOf = (entry: StoredEntry): string => oneLine(JSON.stringify(toWire(entry)))

const sequenceIn = (line: string | undefined): number | undefined => {
  const match = /^\{"seq":(\d+),/.exec(line ?? "")
  return match === null ? undefined : Number(match[1])
}

interface Comparison {
  readonly state: AuditCopyState
  /** Completes a sentence about the copy. */
  readonly difference?: string | undefined
}

interface AuditCopy {
  /** Appends a committed entry, and earlier ones that the copy lacks. Never fails: the copy is not essential. */
  readonly add: (entry: StoredEntry) => Effect.Effect<void>

  /** Writes missing lines, then compares the copy with the table, which the caller has verified. */
  readonly completeAndCompare: Effect.Effect<Comparison, VaultUnavailableError>

  /** Compares the copy with a table that may be altered, so it writes nothing. */
  readonly compare: Effect.Effect<Comparison, VaultUnavailableError>
}

export const openAuditCopy = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, directory: string, file: string) {
  const mirror: RotatingFile = yield* Effect.acquireRelease(
    Effect.andThen(SecureFiles.ensurePrivateDirectory(directory), openRotatingFile(file, { maxBytes, keep })),
    (mirror) => Effect.sync(mirror.close)
  )
  const turn = yield* Semaphore.make(1)
  const isMissing = () => !mirror.exists()
  const readText = (name: string) => Effect.map(SecureFiles.readFile(name), (bytes) => new TextDecoder().decode(bytes))

  /** The last entry in the copy. Undefined until the files were read. */
  let copied: number | undefined

  const lastStored = Effect.map(sequenceOf(sql`SELECT max(seq) AS seq FROM audit`), (seq = 0) => seq)

  const lastCopied = Effect.gen(function*() {
    const last = yield* lastStored
    for (const name of mirror.files().toReversed()) {
      let text = yield* readText(name)
      if (!text.endsWith("\n") && text !== "") {
        // A crash truncated the last line. It is written again in full.
        text = text.slice(0, text.lastIndexOf("\n") + 1)
        yield* SecureFiles.replaceFile(name, text)
      }
      if (text === "") continue
      // A line that is not ours, or from a deleted store, is left for `compare` to report.
      return Math.min(sequenceIn(text.slice(text.lastIndexOf("\n", text.length - 2) + 1)) ?? last, last)
    }
    return 0
  })

  /** Returns the last entry that the copy then contains. */
  const complete = Effect.gen(function*() {
    let seq = copied === undefined || isMissing() ? yield* lastCopied : copied
    while (true) {
      const rows: ReadonlyArray<StoredEntry> = yield* entriesOf(sql`
        SELECT * FROM audit WHERE seq > ${seq} ORDER BY seq LIMIT ${batch}`)
      for (const row of rows) {
        if (!mirror.write(lineOf(row))) return copied = seq
        seq = row.seq
      }
      if (rows.length < batch) return copied = seq
    }
  })

  const lines = Effect.gen(function*() {
    const found: Array<{ readonly place: string; readonly text: string }> = []
    for (const name of mirror.files()) {
      const text = yield* readText(name)
      const content = text.split("\n")
      if (content.at(-1) === "") content.pop()
      content.forEach((line, index) => found.push({ place: `line ${index + 1} of ${name}`, text: line }))
    }
    return found
  })

  const difference = Effect.fnUntraced(function*(last: number) {
    const copy = yield* lines
    const begins = sequenceIn(copy[0]?.text) ?? 1
    // The oldest file is deleted when there are too many.
    if (begins > 1 && mirror.files().length <= keep) {
      return `it begins with entry ${begins}, and those before it are missing`
    }
    let at = 0
    for (let after = begins - 1; after < last;) {
      const rows: ReadonlyArray<StoredEntry> = yield* entriesOf(sql`
        SELECT * FROM audit WHERE seq > ${after} AND seq <= ${last} ORDER BY seq LIMIT ${batch}`)
      if (rows.length === 0) break
      for (const row of rows) {
        const line = copy[at++]
        if (line === undefined) return `entry ${row.seq} and those after it are missing`
        if (line.text === lineOf(row)) continue
        const seq = sequenceIn(line.text)
        return seq !== undefined && seq > row.seq
          ? `entry ${row.seq} is missing before ${line.place}`
          : `${line.place} does not match entry ${row.seq}`
      }
      after = rows.at(-1)!.seq
    }
    const surplus = copy[at]
    return surplus === undefined ? undefined : `${surplus.place} has no entry in the store`
  })

  const attempt = (compared: Effect.Effect<Comparison, VaultUnavailableError | SecureFiles.SecureFileError>) =>
    turn.withPermits(1)(
      Effect.catchTag(
        compared,
        "SecureFileError",
        ({ message }): Effect.Effect<Comparison> =>
          Effect.succeed({ state: "differs", difference: `it cannot be read: ${message}` })
      )
    )

  const compareUpTo = (last: number) =>
    Effect.map(
      difference(last),
      (difference): Comparison => difference === undefined ? { state: "same" } : { state: "differs", difference }
    )

  return {
    add: (entry) =>
      turn.withPermits(1)(Effect.suspend(() => {
        const missing = isMissing()
        if (copied !== undefined && entry.seq <= copied && !missing) return Effect.void
        if (entry.seq - 1 !== copied || missing) return Effect.ignore(complete)
        if (mirror.write(lineOf(entry))) copied = entry.seq
        return Effect.void
      })),
    completeAndCompare: attempt(Effect.gen(function*() {
      const missing = isMissing() || copied === undefined && (yield* lastCopied) === 0
      const before = yield* lastStored
      const last = yield* complete
      if (last < before) return { state: "differs", difference: `entry ${last + 1} could not be written to it` }
      const compared = yield* compareUpTo(last)
      return compared.state === "same" && missing && last > 0 ? { state: "rewritten" } : compared
    })),
    compare: attempt(Effect.flatMap(lastStored, compareUpTo))
  } satisfies AuditCopy
})
