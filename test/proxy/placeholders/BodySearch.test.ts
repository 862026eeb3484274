import { assert, describe, it } from "@effect/vitest"
import { PLACEHOLDER } from "../../../src/domain/Placeholder.ts"
import { SecretSearch } from "../../../src/http/scrub/SecretSearch.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { BodySearch } from "../../../src/proxy/placeholders/BodySearch.ts"
import { bodyWith, compressions, encodingsOf } from "../../support/Canary.ts"
import { until } from "../../support/Until.ts"

const search = new SecretSearch([PLACEHOLDER], PLACEHOLDER)
const LIMIT = 16 * 1024
const encodings = Object.entries(encodingsOf(PLACEHOLDER))
const KIB = Buffer.alloc(1024, "x")

/** What is found in a body of these parts. True for a token request. */
const foundIn = (parts: ReadonlyArray<Buffer | string>, coding?: string): Array<boolean> => {
  const found: Array<boolean> = []
  const body = new BodySearch(search, coding === undefined ? [] : ["Content-Encoding", coding], (isTokenRequest) => {
    found.push(isTokenRequest)
  })
  for (const part of parts) body.write(Buffer.from(part))
  body.end()
  return found
}

const halves = (bytes: Buffer, at: number) => [bytes.subarray(0, at), bytes.subarray(at)]

describe("BodySearch", () => {
  it("finds a placeholder in every encoding, wherever the body is split", () => {
    for (const [name, [text = ""]] of encodings) {
      const bytes = Buffer.from(`{"a":"${text}"}`)
      for (let at = 0; at <= bytes.length; at++) assert.deepStrictEqual(foundIn(halves(bytes, at)), [false], name)
    }
  })

  it.each(Object.keys(compressions))("finds a placeholder in every encoding in content with %s", async (coding) => {
    for (const [name, texts] of encodings) {
      const body = bodyWith(texts, 4096)
      const bytes = compressions[coding]!.encode(body)
      const found = foundIn(halves(bytes, bytes.length >> 1), coding)
      await until(() => found.length > 0)
      assert.deepStrictEqual(found, [false], name)
    }
  })

  it("finds a placeholder in content that is not in the coding that its header names", () => {
    assert.deepStrictEqual(foundIn([PLACEHOLDER], "gzip"), [false])
  })

  it("finds it once", () => {
    assert.deepStrictEqual(foundIn([PLACEHOLDER, PLACEHOLDER + PLACEHOLDER]), [false])
  })

  it("tells a token request from other content", () => {
    assert.deepStrictEqual(foundIn([`client_secret=${PLACEHOLDER}&grant_type=client_credentials`]), [true])
    assert.deepStrictEqual(foundIn([`{"grant_type":"refresh_token","refresh_token":"${PLACEHOLDER}"}`]), [true])
    assert.deepStrictEqual(foundIn(["grant_type", PLACEHOLDER]), [false])
  })

  it("searches the first 16 KiB", () => {
    const before = Array.from({ length: 15 }, () => KIB)
    assert.deepStrictEqual(foundIn([...before, PLACEHOLDER]), [false])
    assert.deepStrictEqual(foundIn([Buffer.alloc(LIMIT - PLACEHOLDER.length, "x"), PLACEHOLDER]), [false])
    assert.deepStrictEqual(foundIn([...before, KIB, PLACEHOLDER]), [])
    assert.deepStrictEqual(foundIn([Buffer.alloc(LIMIT - 1, "x"), PLACEHOLDER]), [])
  })

  it("finds a placeholder in a gRPC message that is compressed", () => {
    const { deflateSync, gzipSync } = builtins.zlib
    const headers = (coding: string) => ["Content-Type", "application/grpc+proto", "Grpc-Encoding", coding]
    for (const [coding, encode] of [["gzip", gzipSync], ["deflate", deflateSync]] as const) {
      for (const name of [coding, coding.toUpperCase()]) {
        const message = encode(`a message with ${PLACEHOLDER}`)
        const bytes = Buffer.concat([Buffer.from([1, 0, 0, 0, message.length]), message])
        for (let at = 0; at <= bytes.length; at++) {
          let found = 0
          const body = new BodySearch(search, headers(name), () => found++)
          for (const part of halves(bytes, at)) body.write(part)
          body.end()
          assert.strictEqual(found, 1)
        }
      }
    }
  })

  it("decodes 16 KiB of content that expands a thousandfold", async () => {
    const { gzipSync } = builtins.zlib
    const hidden = foundIn(
      [gzipSync(Buffer.concat([Buffer.alloc(32 * 1024 * 1024), Buffer.from(PLACEHOLDER)]))],
      "gzip"
    )
    const early = foundIn([gzipSync(Buffer.concat([Buffer.from(PLACEHOLDER), Buffer.alloc(32 * 1024 * 1024)]))], "gzip")
    await until(() => early.length > 0)
    assert.deepStrictEqual([hidden, early], [[], [false]])
  })
})
