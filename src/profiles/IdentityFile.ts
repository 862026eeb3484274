/** The format of an identity file: `{version, handle, created_at, jwk}`, with the key pair as a JWK (RFC 8037). */
import * as DateTime from "effect/DateTime"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { Timestamp } from "../domain/wire/Wire.ts"
import { builtins, type KeyObject } from "../platform/builtins.ts"

const Document = Schema.Struct({
  version: Schema.Literal(1),
  handle: ProfileHandle,
  created_at: Timestamp,
  jwk: Schema.Struct({
    kty: Schema.Literal("OKP"),
    crv: Schema.Literal("Ed25519"),
    x: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/)),
    d: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/))
  })
})

const decodeDocument = Schema.decodeUnknownExit(Schema.fromJsonString(Document))

/** A profile's identity with its private key. Printing a key object does not reveal its bytes. */
export interface Identity {
  readonly handle: ProfileHandle
  readonly createdAt: DateTime.Utc
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export const generate = (handle: ProfileHandle, now: DateTime.Utc): string => {
  const jwk = builtins.crypto.generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })
  return JSON.stringify(
    {
      version: 1,
      handle,
      created_at: DateTime.formatIso(now),
      jwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x, d: jwk.d }
    },
    null,
    2
  ) + "\n"
}

/** Parses an identity. None if the file is damaged, has another handle, or contains mismatched keys. */
export const parse = (handle: ProfileHandle, bytes: Uint8Array): Option.Option<Identity> => {
  // Errors never include the text, because it contains the private key.
  const document = decodeDocument(new TextDecoder().decode(bytes))
  if (Exit.isFailure(document) || document.value.handle !== handle) return Option.none()
  const { created_at: createdAt, jwk } = document.value
  try {
    const privateKey = builtins.crypto.createPrivateKey({ key: jwk, format: "jwk" })
    const publicKey = builtins.crypto.createPublicKey(privateKey)
    // A JWK contains its public key twice: as `x`, and derivable from `d`. Which of them Node uses depends on its version.
    const raw = publicKey.export({ format: "jwk" }).x
    const probe = builtins.crypto.sign(null, new Uint8Array(1), privateKey)
    const given = builtins.crypto.createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: "jwk" })
    if (raw !== jwk.x || !builtins.crypto.verify(null, new Uint8Array(1), given, probe)) return Option.none()
    return Option.some({ handle, createdAt, privateKey, publicKey })
  } catch {
    return Option.none()
  }
}
