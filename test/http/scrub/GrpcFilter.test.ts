import { assert, describe, it } from "@effect/vitest"
import { grpcCoding, GrpcFilter } from "../../../src/http/scrub/GrpcFilter.ts"
import { SecretSearch } from "../../../src/http/scrub/SecretSearch.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { CANARY, discloses } from "../../support/Canary.ts"

const PLACEHOLDER = "credsvc-proxy-managed"
const search = new SecretSearch([CANARY], PLACEHOLDER)
const encoders: Readonly<Record<string, (content: Buffer | string) => Buffer>> = {
  gzip: (content) => builtins.zlib.gzipSync(content),
  deflate: (content) => builtins.zlib.deflateSync(content),
  zstd: (content) => builtins.zlib.zstdCompressSync(content)
}

const message = (content: Buffer | string, coding?: string): Buffer => {
  const payload = coding === undefined ? Buffer.from(content) : encoders[coding]!(content)
  const prefix = Buffer.alloc(5, coding === undefined ? 0 : 1)
  prefix.writeUInt32BE(payload.length, 1)
  return Buffer.concat([prefix, payload])
}

const filtered = (coding: string, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const filter = new GrpcFilter(() => search, coding)
  return Buffer.concat([...parts.map((part) => Buffer.from(filter.write(part))), filter.end()])
}

/** The contents of the messages, without those that are still compressed. */
const contents = (bytes: Buffer): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at + 1)
    if ((bytes[at]! & 1) === 0) found.push(bytes.toString("latin1", at + 5, at + 5 + length))
    at += 5 + length
  }
  return found
}

const REPLACED = "credsvc-proxy-managed-----------"

describe("GrpcFilter", () => {
  it.each(Object.keys(encoders))("replaces a secret in messages with %s, wherever the data is split", (coding) => {
    const clean = message("nothing to see", coding)
    const bytes = Buffer.concat([message(`a ${CANARY} b`, coding), clean, message(`c ${CANARY}`), message("")])
    for (let at = 0; at <= bytes.length; at++) {
      const out = filtered(coding, bytes.subarray(0, at), bytes.subarray(at))
      assert.deepStrictEqual(contents(out), [`a ${REPLACED} b`, `c ${REPLACED}`, ""])
      assert.isTrue(out.includes(clean))
    }
  })

  it("passes on a message at once when it is complete", () => {
    const filter = new GrpcFilter(() => search, "gzip")
    const clean = message("nothing", "gzip")
    assert.deepStrictEqual(filter.write(Buffer.concat([clean, clean.subarray(0, 9)])), clean)
    assert.isFalse(filter.hasReplaced)
    assert.strictEqual(filter.write(clean.subarray(9)).length, clean.length)
    assert.strictEqual(filter.end().length, 0)
  })

  it("keeps the other flags of a message, such as that of the trailers of gRPC-Web", () => {
    const bytes = message(`x-key: ${CANARY}`, "gzip")
    bytes[0] = 0x81
    const out = filtered("gzip", bytes)
    assert.strictEqual(out[0], 0x80)
    assert.deepStrictEqual(contents(out), [`x-key: ${REPLACED}`])
  })

  it("passes on what it cannot decode, and searches it", () => {
    const invalid = message(`not compressed ${CANARY}`)
    invalid[0] = 1
    assert.deepStrictEqual(filtered("gzip", invalid).toString().slice(5), `not compressed ${REPLACED}`)
    assert.deepStrictEqual(
      filtered("gzip", invalid.subarray(0, -1)).toString().slice(5),
      `not compressed ${CANARY}`.slice(0, -1)
    )
    const open = Buffer.concat([Buffer.from([1, 0, 1, 0, 0]), Buffer.from(CANARY)])
    assert.deepStrictEqual(filtered("gzip", open).toString().slice(5), REPLACED)
    const bomb = message(Buffer.alloc(8 * 1024 * 1024), "gzip")
    assert.deepStrictEqual(filtered("gzip", bomb), bomb)
    const cut = message(CANARY, "gzip").subarray(0, -3)
    assert.deepStrictEqual(filtered("gzip", cut), cut)
    const long = Buffer.concat([message(builtins.crypto.randomBytes(2 * 1024 * 1024)), message(CANARY)])
    long[0] = 1
    assert.isFalse(discloses(filtered("gzip", long).subarray(-64), CANARY))
  })

  it("is for gRPC with a coding that can be decoded", () => {
    const coding = (type: string, name: string) => grpcCoding(["Content-Type", type, "Grpc-Encoding", name])
    assert.strictEqual(coding("application/grpc", "gzip"), "gzip")
    assert.strictEqual(coding("application/grpc+proto", "Deflate"), "deflate")
    assert.strictEqual(coding("application/grpc-web+proto", "gzip"), "gzip")
    assert.isUndefined(coding("application/grpc-web-text", "gzip"))
    assert.isUndefined(coding("application/json", "gzip"))
    for (const name of ["identity", "snappy", "constructor", ""]) assert.isUndefined(coding("application/grpc", name))
  })
})
