/**
 * Profiles and their Ed25519 identities: documents that are written once and never changed. The name of the active
 * profile is a document, too, so a running daemon notices a switch at its next request.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { activeProfile, type DocumentId, Documents, nominee } from "../config/Documents.ts"
import { Settings } from "../config/Settings.ts"
import { InvalidRequestError, OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { type Profile, ProfileHandle } from "../domain/wire/Profile.ts"
import { builtins } from "../platform/builtins.ts"
import { publicKeyOf } from "../platform/Ed25519.ts"
import * as IdentityFile from "./IdentityFile.ts"
import { randomHandle } from "./RandomHandle.ts"

const decodeHandle = Schema.decodeUnknownOption(ProfileHandle)

const documentOf = (handle: ProfileHandle): DocumentId => ({ kind: "identity", name: handle })

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The error for an unknown profile. `origin` names the setting that selected it, unless a request header did. */
const unknownProfile = (handle: ProfileHandle, origin?: string) =>
  OperationNotAllowedError.of(
    `Unknown profile "${handle}"${origin === undefined ? "" : ` in ${origin}`}. ` +
      "List the profiles with: credsvc profile list"
  )

/** Reads a handle from a header or a setting. The error does not quote it: it may contain anything and is printed to a terminal. */
const readHandle = (text: string, origin: string) =>
  Effect.mapError(
    Effect.fromOption(decodeHandle(text)),
    () => InvalidRequestError.at(origin, "expected a profile handle of lower-case letters, digits, '_' and '-'")
  )

/** The errors of a lookup of a profile. */
export type ProfileError = OperationNotAllowedError | InvalidRequestError | VaultUnavailableError

const toProfile = (activeHandle: string) => ({ createdAt, handle }: IdentityFile.Identity): Profile => ({
  handle,
  createdAt,
  active: handle === activeHandle
})

/** What a client needs to sign requests to a daemon on another machine. */
export interface ProfileKey {
  /** The `x` of the public key's JWK. */
  readonly publicKey: string
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

/** The identities of all profiles. They are cached, because an identity never changes. */
const makeIdentities = (documents: Documents["Service"]) => {
  const cached = new Map<ProfileHandle, IdentityFile.Identity>()

  const placeOf = (handle: ProfileHandle) => documents.place(documentOf(handle))

  const parse = (handle: ProfileHandle, bytes: Uint8Array) =>
    Effect.mapError(Effect.fromOption(IdentityFile.parse(handle, bytes)), () =>
      VaultUnavailableError.of(
        `The identity ${placeOf(handle)} is damaged. Restore it from a backup: a new identity would not open ` +
          "what this profile has stored."
      ))

  /** Reads an identity, and remembers it. */
  const read = Effect.fnUntraced(function*(handle: ProfileHandle) {
    const bytes = yield* documents.read(documentOf(handle))
    if (Option.isNone(bytes)) return Option.none()
    const identity = yield* parse(handle, bytes.value)
    cached.set(handle, identity)
    return Option.some(identity)
  })

  /** Returns an identity, as it was when it was first read. */
  const remembered = (handle: ProfileHandle) => {
    const identity = cached.get(handle)
    return identity === undefined ? read(handle) : Effect.succeedSome(identity)
  }

  /** Creates a profile unless it exists. Returns the identity that then exists. */
  const createIfAbsent = Effect.fnUntraced(function*(handle: ProfileHandle) {
    const text = IdentityFile.generate(handle, yield* DateTime.now)
    const { content, created } = yield* documents.create(documentOf(handle), text)
    return { created, identity: yield* parse(handle, content) }
  })

  /** All identities, oldest first. */
  const list = Effect.gen(function*() {
    const { documents: stored } = yield* documents.list("identity")
    const handles = Array.from(stored.keys()).flatMap((name) => Option.toArray(decodeHandle(name)))
    const identities = (yield* Effect.forEach(handles, remembered)).flatMap(Option.toArray)
    return identities.toSorted((left, right) =>
      left.createdAt.epochMilliseconds - right.createdAt.epochMilliseconds || (left.handle < right.handle ? -1 : 1)
    )
  })

  return { createIfAbsent, list, placeOf, read, remembered }
}

const storedActive = (documents: Documents["Service"]) => Effect.map(documents.read(activeProfile), Option.map(textOf))

/** Agrees with racing processes on one handle: the first process to create the nomination decides. */
const nominate = Effect.fnUntraced(function*(documents: Documents["Service"]) {
  const { content } = yield* documents.create(nominee, randomHandle())
  const handle = decodeHandle(textOf(content))
  if (Option.isSome(handle)) return handle.value
  return yield* VaultUnavailableError.of(`${documents.place(nominee)} is damaged. Remove it and try again.`)
})

/** Makes the oldest profile the active one, or a new profile in a new home. */
const activateFirst = (documents: Documents["Service"], identities: ReturnType<typeof makeIdentities>) =>
  Effect.gen(function*() {
    const existing = (yield* identities.list)[0]
    const handle = existing === undefined ? yield* nominate(documents) : existing.handle
    // A faster process has already decided and removed the nomination.
    const decided = yield* storedActive(documents)
    if (Option.isNone(decided)) {
      if (existing === undefined) yield* identities.createIfAbsent(handle)
      yield* documents.create(activeProfile, handle)
    }
    yield* documents.remove(nominee)
    return Option.getOrElse(yield* storedActive(documents), (): string => handle)
  }).pipe(documents.change)

const make = Effect.gen(function*() {
  const settings = yield* Settings
  const documents = yield* Documents
  const identities = makeIdentities(documents)

  const identityOf = (handle: ProfileHandle, origin?: string) =>
    Effect.flatMap(
      identities.remembered(handle),
      (found) => Effect.mapError(Effect.fromOption(found), () => unknownProfile(handle, origin))
    )

  /** Finds a profile, and checks that its identity is readable. `origin`: the setting that names it, if no request does. */
  const find = Effect.fnUntraced(function*(text: string, origin?: string) {
    const handle = yield* readHandle(text, origin ?? "Credsvc-Profile")
    yield* identityOf(handle, origin)
    return handle
  })

  /**
   * The profile of a request without a profile header: the one in `CREDSVC_PROFILE`, or else the active profile.
   * Creates an identity in a new home; racing processes all get the same one.
   */
  const active = Effect.gen(function*() {
    if (Option.isSome(settings.profile)) return yield* find(settings.profile.value, "CREDSVC_PROFILE")
    const stored = yield* storedActive(documents)
    const handle = Option.isSome(stored) ? stored.value : yield* activateFirst(documents, identities)
    return yield* find(handle, documents.place(activeProfile))
  })

  /** Lists all profiles, oldest first. */
  const list = Effect.gen(function*() {
    const current = yield* active
    return (yield* identities.list).map(toProfile(current))
  })

  /** Creates a profile. The active profile does not change. */
  const create = Effect.fn("Profiles.create")(function*(requested: Option.Option<ProfileHandle>) {
    const current = yield* active
    while (true) {
      const handle = Option.getOrElse(requested, randomHandle)
      const { created, identity } = yield* identities.createIfAbsent(handle)
      if (created) return toProfile(current)(identity)
      if (Option.isSome(requested)) {
        return yield* OperationNotAllowedError.of(`The profile "${handle}" already exists.`)
      }
    }
  })

  /** Sets the active profile. Processes that do not select a profile themselves use it. */
  const use = Effect.fn("Profiles.use")(function*(handle: ProfileHandle) {
    const found = yield* identities.remembered(handle)
    if (Option.isNone(found)) {
      return yield* OperationNotAllowedError.of(
        `Unknown profile "${handle}". Create it with: credsvc profile create ${handle}`
      )
    }
    yield* documents.write(activeProfile, handle)
    return toProfile(handle)(found.value)
  })

  return {
    active,
    find,
    list,
    create,
    use,

    /** Returns the key of a profile, for HTTP message signatures. */
    key: (handle: ProfileHandle) =>
      Effect.map(identityOf(handle), ({ privateKey, publicKey }): ProfileKey => ({
        publicKey: publicKeyOf(publicKey),
        sign: (bytes) => new Uint8Array(builtins.crypto.sign(null, bytes, privateKey))
      })),

    /** Creates the profile that `CREDSVC_PROFILE` names, unless it exists. */
    ensure: (text: string) => Effect.tap(readHandle(text, "CREDSVC_PROFILE"), identities.createIfAbsent),

    /** Checks the active profile by reading its identity again. */
    check: Effect.gen(function*() {
      const handle = yield* active
      if (Option.isSome(yield* identities.read(handle))) return handle
      return yield* VaultUnavailableError.of(
        `The identity ${identities.placeOf(handle)} is missing. Restore it from a backup.`
      )
    })
  }
})

/** The profiles of a home. */
export class Profiles extends Context.Service<Profiles, Effect.Success<typeof make>>()("credsvc/profiles/Profiles") {
  static readonly layerNoDeps = Layer.effect(Profiles, make)
}
