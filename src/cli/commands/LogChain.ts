/** Exports both logs with their signatures, and verifies such an export with public keys alone. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { AuditGroup } from "../../api/AuditGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { ChainVerification } from "../../domain/LogChain.ts"
import { plural } from "../../domain/Plural.ts"
import { builtins } from "../../platform/builtins.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { readText } from "../InputText.ts"
import { ChainCheck } from "../output/ChainCheck.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"

/** Prints one line for the base and the keys, and one for each entry and each batch. */
export const exportChain = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  let entry = 0
  let batch = 0
  for (let isFirst = true;; isFirst = false) {
    const { base, batches, entries, keys } = yield* client.of(AuditGroup).chain({
      query: { after_entry: String(entry), after_batch: String(batch) }
    })
    const lines = [
      ...(isFirst
        ? [{ base, keys: keys.map(({ identity, publicKey }) => ({ identity, public_key: publicKey })) }]
        : []),
      ...entries.map((each) => ({ entry: each })),
      ...batches.map((each) => ({ batch: each }))
    ]
    if (lines.length === 0) return
    yield* output.data(lines.map((line) => JSON.stringify(line)).join("\n"))
    entry = entries.at(-1)?.seq ?? entry
    batch = batches.at(-1)?.seq ?? batch
  }
}, provideDaemon())

const KEY = /^[A-Za-z0-9_-]{43}$/

/** The `x` of a JWK that a text contains: the `x` itself, the JWK, or the key in PEM. */
const publicKeyIn = (text: string): string | undefined => {
  const trimmed = text.trim()
  if (KEY.test(trimmed)) return trimmed
  try {
    const { createPublicKey } = builtins.crypto
    const key = trimmed.startsWith("{")
      ? createPublicKey({ key: JSON.parse(trimmed), format: "jwk" })
      : createPublicKey(trimmed)
    const { crv, x } = key.export({ format: "jwk" })
    return crv === "Ed25519" ? x : undefined
  } catch {
    return undefined
  }
}

const readKey = Effect.fnUntraced(function*(given: string) {
  if (KEY.test(given)) return given
  const key = publicKeyIn(yield* readText({ file: given, flag: "--public-key", maxKib: 16 }))
  return key ?? (yield* InvalidRequestError.of([{
    path: "--public-key",
    message: `${given} is not an Ed25519 public key: expected 43 characters of base64url, a JWK, or PEM`
  }]))
})

export const verifyExport = Effect.fnUntraced(function*(file: string, publicKeys: ReadonlyArray<string>) {
  const output = yield* Output
  const keys = yield* Effect.forEach(publicKeys, readKey)
  const stream = yield* Effect.tryPromise({
    try: async () => (await fs.promises.open(file)).readLines(),
    catch: (error) =>
      InvalidRequestError.of([{
        path: "--file",
        message: `cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`
      }])
  })
  const result = yield* (yield* ChainCheck).check(stream, keys)
  const { entries, problem, requestBatches, signed } = result
  const unsigned = entries - signed
  yield* output.either(
    () => Schema.encodeSync(ChainVerification)(result),
    () =>
      problem ??
        `The chain of ${plural(entries, "entry", "entries")} is intact` +
          (unsigned === 0 ? "." : `; the last ${plural(unsigned, "entry", "entries")} no signature covers yet.`) +
          ` The chain of ${plural(requestBatches, "batch", "batches")} of requests is intact.`
  )
  if (!result.ok) return yield* Effect.fail(new Exited(1))
})
