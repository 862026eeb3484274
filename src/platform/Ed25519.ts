/** Ed25519 public keys as JWKs (RFC 8037). Each key is given by the `x` of its JWK. */
import { builtins, type KeyObject } from "./builtins.ts"
import { readOr } from "./files/ReadOrEmpty.ts"

const jwkOf = (x: string) => ({ crv: "Ed25519", kty: "OKP", x })

/** Returns the thumbprint of the key (RFC 7638), in base64url. */
export const thumbprint = (x: string): string =>
  builtins.crypto.createHash("sha256").update(JSON.stringify(jwkOf(x))).digest("base64url")

/** Whether the signature is by this key. False if the text is not a key. */
export const verifies = (x: string, bytes: Uint8Array, signature: Uint8Array): boolean =>
  readOr(() => {
    const key = builtins.crypto.createPublicKey({ key: jwkOf(x), format: "jwk" })
    return builtins.crypto.verify(null, bytes, key, signature)
  }, false)

export const publicKeyOf = (key: KeyObject): string => key.export({ format: "jwk" }).x!
