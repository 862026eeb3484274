import { assert, describe, it } from "@effect/vitest"
import * as crypto from "node:crypto"
import { contentDigest } from "../../../src/http/signatures/ContentDigest.ts"
import {
  readSignature,
  signatureBase,
  type SignatureParameters,
  type SignedRequest,
  signRequest
} from "../../../src/http/signatures/MessageSignature.ts"

const fields: Readonly<Record<string, string>> = {
  date: "Tue, 20 Apr 2021 02:07:55 GMT",
  "content-type": "application/json",
  "content-digest":
    "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
  "content-length": "18"
}

/** RFC 9421, B.2: the request, and the key `test-key-ed25519`. */
const request: SignedRequest = {
  method: "POST",
  authority: "example.com",
  path: "/foo",
  query: "?param=Value&Pet=dog",
  field: (name) => fields[name]
}
const privateKey = crypto.createPrivateKey({
  format: "jwk",
  key: {
    kty: "OKP",
    crv: "Ed25519",
    d: "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
    x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
  }
})
const publicKey = crypto.createPublicKey(privateKey)
const sign = (bytes: Uint8Array) => crypto.sign(null, bytes, privateKey)

/** RFC 9421, B.2.6. */
const vector = {
  components: ["date", "@method", "@path", "@authority", "content-type", "content-length"],
  parameters: { created: 1618884473, keyid: "test-key-ed25519" },
  input: "sig-b26=(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \"content-length\")" +
    ";created=1618884473;keyid=\"test-key-ed25519\"",
  signature: "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"
}

const verifies = (
  signed: SignedRequest,
  { components, parameters, signature }: {
    readonly components: ReadonlyArray<string>
    readonly parameters: SignatureParameters
    readonly signature: Uint8Array
  }
): boolean => {
  const base = signatureBase(signed, components, parameters)
  return base !== undefined && crypto.verify(null, Buffer.from(base), publicKey, signature)
}

describe("MessageSignature", () => {
  it("computes the signature fields of the Ed25519 example of RFC 9421", () => {
    assert.deepStrictEqual(signRequest(request, { ...vector, label: "sig-b26", sign }), {
      "signature-input": vector.input,
      signature: vector.signature
    })
  })

  it("reads and verifies the Ed25519 example of RFC 9421", () => {
    const read = readSignature(vector.input, vector.signature)!
    assert.deepStrictEqual([read.label, read.components, read.parameters], [
      "sig-b26",
      vector.components,
      vector.parameters
    ])
    assert.isTrue(verifies(request, read))
  })

  it("rejects a request that differs in any covered component or parameter", () => {
    const parameters = { created: 1618884473, keyid: "k", alg: "ed25519", nonce: "n", tag: "t" }
    const components = ["@method", "@authority", "@path", "@query", "content-digest"]
    const signed = signRequest(request, { components, label: "x", parameters, sign })!
    const read = readSignature(signed["signature-input"], signed.signature)!
    assert.isTrue(verifies(request, read))
    const altered: ReadonlyArray<SignedRequest> = [
      { ...request, method: "GET" },
      { ...request, authority: "other.example" },
      { ...request, path: "/bar" },
      { ...request, query: "?" },
      { ...request, field: (name) => name === "content-digest" ? contentDigest("other") : fields[name] },
      { ...request, field: () => undefined }
    ]
    for (const other of altered) assert.isFalse(verifies(other, read))
    const changes: ReadonlyArray<Partial<SignatureParameters>> = [
      { created: 1618884474 },
      { keyid: "other" },
      { alg: "other" },
      { nonce: "other" },
      { tag: "other" }
    ]
    for (const change of changes) {
      assert.isFalse(verifies(request, { ...read, parameters: { ...parameters, ...change } }))
    }
    assert.isFalse(verifies(request, { ...read, components: components.slice(1) }))
  })

  it.each([
    ["several signatures", `${vector.input}, b=();created=1;keyid="k"`, vector.signature],
    ["another label", vector.input.replace("sig-b26", "other"), vector.signature],
    ["a component parameter", "sig-b26=(\"date\";sf);created=1;keyid=\"k\"", vector.signature],
    ["a repeated component", "sig-b26=(\"date\" \"date\");created=1;keyid=\"k\"", vector.signature],
    ["a repeated parameter", "sig-b26=(\"date\");created=1;created=2;keyid=\"k\"", vector.signature],
    ["an unknown parameter", "sig-b26=(\"date\");created=1;keyid=\"k\";expires=9", vector.signature],
    ["no key", "sig-b26=(\"date\");created=1", vector.signature],
    ["no time", "sig-b26=(\"date\");keyid=\"k\"", vector.signature],
    ["a time as text", "sig-b26=(\"date\");created=\"1\";keyid=\"k\"", vector.signature],
    ["a signature that is not bytes", vector.input, "sig-b26=\"text\""],
    ["nothing", "", ""]
  ])("reads no signature from %s", (_, input, signature) => {
    assert.isUndefined(readSignature(input, signature))
  })
})
