/** Shows and rotates the keys of the vault. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { VaultGroup } from "../../api/VaultGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { plural } from "../../domain/Plural.ts"
import { RotatedKeys, VaultKeys } from "../../domain/VaultKeys.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { readText } from "../InputText.ts"
import { Output } from "../output/Output.ts"

const variables: Readonly<Partial<Record<VaultKeys["source"], string>>> = {
  env: "CREDSVC_MASTER_KEY",
  key_file: "the file of CREDSVC_MASTER_KEY_FILE"
}

const progressOf = ({ rotation }: VaultKeys): string =>
  rotation === null
    ? "none"
    : rotation.state === "running"
    ? `running: ${rotation.sealed} of ${plural(rotation.total, "row")}`
    : "interrupted; complete it with: credsvc vault rotate"

export const status = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const keys = yield* client.of(VaultGroup).keys()
  const now = yield* DateTime.now
  yield* output.either(
    () => Schema.encodeSync(VaultKeys)(keys),
    () =>
      output.fields([
        ["master key", keys.description],
        ["key ID", keys.keyId],
        ["generation", String(keys.generation)],
        ["since", output.time(keys.changedAt, now)],
        ["data keys", String(keys.dataKeys)],
        ["rotation", progressOf(keys)]
      ])
  )
}, provideDaemon())

/** Waits for the end of a rotation that takes longer than a response. */
const ended = Effect.fnUntraced(function*(started: RotatedKeys) {
  const client = yield* DaemonClient
  const output = yield* Output
  let { keys, ...result } = started
  let shown = ""
  while (keys.rotation?.state === "running") {
    const progress = progressOf(keys)
    if (progress !== shown) yield* output.note(`The rotation is ${progress}.`)
    shown = progress
    yield* Effect.sleep("1 second")
    keys = yield* client.of(VaultGroup).keys()
  }
  if (keys.rotation !== null) {
    return yield* OperationNotAllowedError.of("The rotation was interrupted. Complete it with: credsvc vault rotate")
  }
  return { ...result, status: "completed" as const, keys }
})

export const rotate = Effect.fnUntraced(function*({ stdin }: { readonly stdin: boolean }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const newKey = stdin ? Option.some(yield* readText({ flag: "--stdin", maxKib: 1 })) : Option.none()
  const payload = Option.match(newKey, {
    onNone: () => ({}),
    onSome: (key) => ({ newKey: { base64: Redacted.make(key.trim()) } })
  })
  const result = yield* ended(yield* client.of(VaultGroup).rotate({ payload }))
  if (output.json) return yield* output.document(Schema.encodeSync(RotatedKeys)(result))
  const { keys, resumed, rows } = result
  yield* output.note(
    `${resumed ? "Completed the interrupted rotation" : "Rotated the keys"} of the vault` +
      `${
        rows === 0 ? "" : `, and sealed ${plural(rows, "row")} again`
      }. The master key is generation ${keys.generation}, in ` +
      `the ${keys.description}.`
  )
  const place = variables[keys.source]
  if (place !== undefined) {
    yield* output.note(
      `Put the new key into ${place} before the daemon starts again: only the new key opens the vault.`
    )
  }
}, provideDaemon())
