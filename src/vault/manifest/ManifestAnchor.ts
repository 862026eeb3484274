/**
 * The manifest's anchor: a file that records the newest state of the database, so that an older copy is detected.
 *
 * With a shared database, other daemons may have made any number of changes since the file was written, and a new
 * daemon has no file.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { wire } from "../../domain/wire/Wire.ts"
import { builtins } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import type { OpenVault } from "../keys/MasterKey.ts"
import * as SealedBox from "../SealedBox.ts"

const Anchor = wire({
  version: Schema.Literal(1),
  storeId: Schema.String,
  epoch: Schema.Number,
  manifest: Schema.String,
  mac: Schema.String
})
type Anchor = typeof Anchor.Type

const AnchorText = Schema.fromJsonString(Anchor)
const encodeText = Schema.encodeSync(AnchorText)
const decodeText = Schema.decodeUnknownOption(AnchorText)

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const macOf = (vault: OpenVault, anchor: Omit<Anchor, "mac">): string =>
  builtins.crypto.createHmac("sha256", vault.storeKey("credsvc/manifest-anchor/v1"))
    .update(SealedBox.binding("credsvc/manifest-anchor/v1", [anchor.storeId, String(anchor.epoch), anchor.manifest]))
    .digest("hex")

const encode = (vault: OpenVault, epoch: number, mac: Uint8Array): string => {
  const anchor = { version: 1, storeId: vault.storeId, epoch, manifest: hex(mac) } as const
  return `${encodeText({ ...anchor, mac: macOf(vault, anchor) })}\n`
}

const decode = (vault: OpenVault, text: string): Option.Option<Anchor> =>
  Option.filter(
    decodeText(text),
    (anchor) => anchor.storeId === vault.storeId && isSameSecret(anchor.mac, macOf(vault, anchor))
  )

const readAnchor = (file: string) =>
  SecureFiles.readFile(file, { maxBytes: 4096 }).pipe(
    Effect.map((bytes) => Option.some(new TextDecoder().decode(bytes))),
    Effect.catch((error) =>
      error.problem === "not_found"
        ? Effect.succeed(Option.none<string>())
        : Effect.fail(VaultUnavailableError.of(`The manifest's anchor cannot be read: ${error.message}.`))
    )
  )

/** Reads the epoch of an anchor. Returns undefined if there is no file, and null if the file is not an anchor of this store. */
export const anchoredEpoch = (file: string, vault: OpenVault) =>
  Effect.map(readAnchor(file), (text) =>
    Option.isNone(text)
      ? undefined
      : Option.match(decode(vault, text.value), { onNone: () => null, onSome: ({ epoch }) => epoch }))

/** The anchor in a file. `condemn` reports a difference, described by a clause. */
export const makeAnchor = (
  file: string,
  condemn: (what: string) => Effect.Effect<never, VaultUnavailableError>,
  isShared: boolean
) => {
  /** The possible contents of the file: there are two while the outcome of a write is unknown. */
  let known: ReadonlyArray<string> = []
  const writing = Semaphore.makeUnsafe(1)
  let newest = 0

  /** Describes how the state of an anchor that this process has not written differs from the database's, as a clause. */
  const differenceOf = (anchor: Anchor, epoch: number, mac: Uint8Array): string | undefined => {
    if (anchor.epoch > epoch) return "the database was replaced by an older copy"
    if (!isShared && anchor.epoch < epoch - 1 || known.length > 0) return `${file} was replaced by an older copy`
    return anchor.epoch === epoch && anchor.manifest !== hex(mac) ? `the database does not match ${file}` : undefined
  }

  /** Checks that the anchor has this state, or is one step behind it after a crash. Returns whether it has this state. */
  const check = Effect.fnUntraced(function*(vault: OpenVault, epoch: number, mac: Uint8Array) {
    const text = yield* readAnchor(file)
    if (Option.isNone(text)) {
      if ((epoch === 1 || isShared) && known.length === 0) return false
      return yield* condemn(`${file} is missing`)
    }
    if (!known.includes(text.value)) {
      const difference = Option.match(decode(vault, text.value), {
        onNone: () => `${file} was altered, or belongs to another store`,
        onSome: (anchor) => differenceOf(anchor, epoch, mac)
      })
      if (difference !== undefined) return yield* condemn(difference)
      known = [text.value]
    }
    return text.value === encode(vault, epoch, mac)
  })

  /**
   * Writes the anchor, unless it already has a later state. The caller has checked the existing anchor. Other
   * operations can use the store meanwhile.
   */
  const write = Effect.fnUntraced(function*(vault: OpenVault, epoch: number, mac: Uint8Array) {
    if (epoch < newest) return
    newest = epoch
    const anchor = encode(vault, epoch, mac)
    known = [...known.filter((text) => text !== anchor), anchor]
    yield* SecureFiles.replaceFileUnblocking(file, anchor)
    known = [anchor]
  }, writing.withPermits(1))

  /** Writes the anchor before a change: an anchor two epochs behind would mean tampering. */
  const advance = (vault: OpenVault, epoch: number, mac: Uint8Array) =>
    Effect.mapError(
      write(vault, epoch, mac),
      (error) => VaultUnavailableError.of(`The store cannot be changed: ${error.message}.`)
    )

  return { check, write, advance }
}
