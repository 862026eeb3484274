/** Shows and rotates the keys of the vault. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { VaultGroup } from "../../api/VaultGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { plural } from "../../domain/text/Plural.ts"
import { RotatedKeys, VaultKeys } from "../../domain/wire/VaultKeys.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { readText } from "../InputText.ts"
import { Output } from "../output/Output.ts"

const variables: Readonly<Partial<Record<VaultKeys["source"], string>>> = {
  env: "CREDSVC_MASTER_KEY",
  key_file: "the file of CREDSVC_MASTER_KEY_FILE"
}

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
        ["data keys", String(keys.dataKeys)]
      ])
  )
}, provideDaemon())

export const rotate = Effect.fnUntraced(function*({ stdin }: { readonly stdin: boolean }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const newKey = stdin ? Option.some(yield* readText({ flag: "--stdin", maxKib: 1 })) : Option.none()
  const payload = Option.match(newKey, {
    onNone: () => ({}),
    onSome: (key) => ({ newKey: { base64: Redacted.make(key.trim()) } })
  })
  const result = yield* client.of(VaultGroup).rotate({ payload })
  if (output.json) return yield* output.document(Schema.encodeSync(RotatedKeys)(result))
  const { keys, rows } = result
  yield* output.note(
    `Rotated the keys of the vault${
      rows === 0 ? "" : `, and sealed ${plural(rows, "row")} again`
    }. The master key is ` +
      `generation ${keys.generation}, in the ${keys.description}.`
  )
  const place = variables[keys.source]
  if (place !== undefined) {
    yield* output.note(
      `Put the new key into ${place} before the daemon starts again: only the new key opens the vault.`
    )
  }
}, provideDaemon())
