import { assert, describe, it } from "@effect/vitest"
import type { HeaderPairs } from "../../../src/http/HeaderFields.ts"
import { ScrubbedContent } from "../../../src/http/scrub/ScrubbedContent.ts"
import { SecretSearch } from "../../../src/http/scrub/SecretSearch.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { CANARY, compressions, discloses } from "../../support/Canary.ts"
import { until } from "../../support/Until.ts"

const PLACEHOLDER = "credsvc-proxy-managed"
const { constants, createBrotliCompress } = builtins.zlib

interface Received {
  readonly heads: Array<HeaderPairs>
  readonly chunks: Array<Buffer>
  readonly ended: Promise<void>
}

/** A sink that accepts so many bytes, and the content before it. */
const receive = (
  headers: HeaderPairs,
  { accepts = Infinity, secrets = [CANARY], status = 200 }: {
    readonly accepts?: number
    readonly secrets?: ReadonlyArray<string>
    readonly status?: number
  } = {}
): Received & { readonly content: ScrubbedContent | undefined } => {
  const heads: Array<HeaderPairs> = []
  const chunks: Array<Buffer> = []
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  let left = accepts
  const search = new SecretSearch(secrets, PLACEHOLDER)
  const content = ScrubbedContent.of(() => search, { status, headers }, {
    head: (fields) => heads.push(fields),
    data: (chunk) => {
      chunks.push(chunk)
      left -= chunk.length
      return left > 0
    },
    end: resolve,
    failed: () => reject(new Error("failed")),
    drained: () => {}
  })
  return { content, heads, chunks, ended: promise }
}

const quiet = async (chunks: ReadonlyArray<Buffer>): Promise<void> => {
  for (let count = -1; count !== chunks.length;) {
    count = chunks.length
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const zeros = (): Promise<Buffer> =>
  new Promise((resolve) => {
    const encoder = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
    const chunks: Array<Buffer> = []
    encoder.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => resolve(Buffer.concat(chunks)))
    for (let i = 0; i < 64; i++) encoder.write(Buffer.alloc(1024 * 1024))
    encoder.end()
  })

describe("ScrubbedContent", () => {
  for (const declared of [true, false]) {
    it(`decodes no more than the client reads of content that expands${declared ? ", also if it is collected" : ""}`, async () => {
      const bomb = await zeros()
      assert.isBelow(bomb.length, 64 * 1024)
      const length = declared ? ["Content-Length", String(bomb.length)] : []
      const { chunks, content, heads } = receive(["Content-Encoding", "br", ...length], { accepts: 1 })
      content?.write(bomb)
      content?.end()
      await until(() => heads.length > 0)
      await quiet(chunks)
      assert.deepStrictEqual(heads, [["Content-Encoding", "br"]])
      assert.isBelow(Buffer.concat(chunks).length, 1024)
      content?.destroy()
    })
  }

  it("passes on everything of content that is searched up to a limit, where a secret may begin", async () => {
    const type = ["Content-Type", "application/octet-stream"]
    const { chunks, content, ended } = receive(type)
    const beginning = CANARY.slice(0, 8)
    const first = Buffer.alloc(1024 * 1024, "x")
    first.write(beginning, first.length - beginning.length)
    content?.write(first)
    content?.write(Buffer.from(CANARY))
    content?.end()
    await ended
    assert.isTrue(Buffer.concat(chunks).equals(Buffer.concat([first, Buffer.from(CANARY)])))
  })

  it("removes the fields that describe the encoded bytes of content with a secret", async () => {
    const body = compressions["gzip"]!.encode(Buffer.from(CANARY))
    const digests = ["Content-MD5", "a", "Content-Digest", "b", "Digest", "c", "Repr-Digest", "d"]
    const { content, ended, heads } = receive(["Content-Encoding", "gzip", ...digests, "ETag", "e"])
    content?.write(body)
    content?.end()
    await ended
    assert.deepStrictEqual(heads, [["Content-Encoding", "gzip", "ETag", "e"]])
  })

  for (const declared of [true, false]) {
    it(`passes on content of ${declared ? "declared" : "unknown"} length as it is if it is whole and has no secret`, async () => {
      for (const [coding, { encode }] of Object.entries(compressions)) {
        const body = encode(Buffer.alloc(500_000, "text "))
        const length = declared ? ["Content-Length", String(body.length)] : []
        const head = ["Content-Encoding", coding, "Digest", "d", ...length]
        const { chunks, content, ended, heads } = receive(head)
        content?.write(body.subarray(0, 9))
        content?.write(body.subarray(9))
        content?.end()
        await ended
        assert.deepStrictEqual(heads, [head])
        assert.isTrue(Buffer.concat(chunks).equals(body), coding)
      }
    })
  }

  it("passes on a stream of encoded events as they arrive", async () => {
    const encoder = builtins.zlib.createGzip()
    const { chunks, content, heads } = receive(["Content-Encoding", "gzip"])
    encoder.on("data", (chunk: Buffer) => content?.write(chunk))
    encoder.write("data: 1\n\n")
    encoder.flush()
    const finishFlush = constants.Z_SYNC_FLUSH
    const received = () => builtins.zlib.gunzipSync(Buffer.concat(chunks), { finishFlush }).toString()
    await until(() => chunks.length > 0 && received() !== "")
    assert.strictEqual(received(), "data: 1\n\n")
    assert.lengthOf(heads, 1)
    content?.destroy()
    encoder.destroy()
  })

  it("sends the head of encoded content that does not begin", async () => {
    const { content, heads } = receive(["Content-Encoding", "gzip"])
    await new Promise((resolve) => setImmediate(resolve))
    assert.lengthOf(heads, 1)
    content?.destroy()
  })

  it("removes a secret from the file name in gzip content", async () => {
    const plain = builtins.zlib.gzipSync("ok")
    const named = Buffer.concat([plain.subarray(0, 10), Buffer.from(`${CANARY}\0`), plain.subarray(10)])
    named[3] = 0x08
    assert.strictEqual(builtins.zlib.gunzipSync(named).toString(), "ok")
    const { chunks, content, ended } = receive(["Content-Encoding", "gzip", "Content-Length", String(named.length)])
    content?.write(named)
    content?.end()
    await ended
    const received = Buffer.concat(chunks)
    assert.isFalse(discloses(received, CANARY))
    assert.strictEqual(builtins.zlib.gunzipSync(received).toString(), "ok")
  })

  it("removes a secret from compressed messages in encoded content", async () => {
    const { gzip } = compressions
    const message = gzip!.encode(Buffer.from(CANARY))
    const prefix = Buffer.from([1, 0, 0, 0, 0])
    prefix.writeUInt32BE(message.length, 1)
    const body = gzip!.encode(Buffer.concat([prefix, message]))
    const type = ["Content-Type", "application/grpc", "Grpc-Encoding", "gzip", "Content-Encoding", "gzip"]
    const { chunks, content, ended } = receive([...type, "Content-Length", String(body.length)])
    content?.write(body)
    content?.end()
    await ended
    const received = gzip!.decode(Buffer.concat(chunks))
    assert.strictEqual(received.subarray(5).toString(), "credsvc-proxy-managed-----------")
  })

  it("collects no more than 64 KiB, whatever length is declared", async () => {
    const body = builtins.zlib.gzipSync(builtins.crypto.randomBytes(100_000))
    const { content, heads } = receive(["Content-Encoding", "gzip", "Content-Length", "1000"])
    content?.write(body.subarray(0, 65_000))
    assert.deepStrictEqual(heads, [])
    content?.write(body.subarray(65_000, 66_000))
    assert.deepStrictEqual(heads, [["Content-Encoding", "gzip"]])
    content?.destroy()
  })

  it("does not decode content with more than four codings", async () => {
    const { gzip } = compressions
    const body = Array.from({ length: 5 }).reduce<Buffer>((bytes) => gzip!.encode(bytes), Buffer.from(CANARY))
    const { chunks, content, ended, heads } = receive([
      "Content-Encoding",
      "gzip, gzip, gzip, gzip, gzip",
      "Digest",
      "a"
    ])
    content?.write(body)
    content?.end()
    await ended
    assert.strictEqual(heads[0]?.length, 4)
    assert.isTrue(Buffer.concat(chunks).equals(body))
  })

  it("refuses zstd content that demands a larger window than HTTP allows", async () => {
    const { createZstdCompress } = builtins.zlib
    const encoder = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } })
    const { content, ended } = receive(["Content-Encoding", "zstd"])
    encoder.on("data", (chunk: Buffer) => content?.write(chunk)).on("end", () => content?.end())
    encoder.write(builtins.crypto.randomBytes(1024))
    encoder.flush(() => encoder.end(Buffer.alloc(1024)))
    let failed = false
    await ended.catch(() => {
      failed = true
    })
    assert.isTrue(failed)
  })

  it("finds a secret at the end of collected content, although a longer one begins like it", async () => {
    const text = `key: ${CANARY}`
    const body = compressions["gzip"]!.encode(Buffer.from(text))
    const { chunks, content, ended } = receive(["Content-Encoding", "gzip", "Content-Length", String(body.length)], {
      secrets: [CANARY, `${CANARY}-and-more`]
    })
    content?.write(body)
    content?.end()
    await ended
    const received = compressions["gzip"]!.decode(Buffer.concat(chunks))
    assert.strictEqual(received.length, text.length)
    assert.isFalse(discloses(received, CANARY))
  })

  it("decodes several codings in their order, and encodes with them again", async () => {
    const body = compressions["br"]!.encode(compressions["gzip"]!.encode(Buffer.from(CANARY)))
    const { chunks, content, ended, heads } = receive(["Content-Encoding", "gzip, br"])
    for (const byte of body) content?.write(Buffer.from([byte]))
    content?.end()
    await ended
    assert.deepStrictEqual(heads, [["Content-Encoding", "gzip, br"]])
    const received = compressions["gzip"]!.decode(compressions["br"]!.decode(Buffer.concat(chunks)))
    assert.strictEqual(received.toString(), "credsvc-proxy-managed-----------")
  })

  for (const declared of [true, false]) {
    it(`searches every frame of zstd content${declared ? " that is collected" : ""}, in any chunks`, async () => {
      const { zstdCompressSync, zstdDecompressSync } = builtins.zlib
      const frames = Buffer.concat(["one ", `two ${CANARY} `, "three"].map((text) => zstdCompressSync(text)))
      for (const size of [1, 7, frames.length]) {
        const length = declared ? ["Content-Length", String(frames.length)] : []
        const { chunks, content, ended } = receive(["Content-Encoding", "zstd", ...length])
        for (let at = 0; at < frames.length; at += size) content?.write(frames.subarray(at, at + size))
        content?.end()
        await ended
        assert.strictEqual(
          zstdDecompressSync(Buffer.concat(chunks)).toString(),
          "one two credsvc-proxy-managed----------- three"
        )
      }
    })

    it(`refuses content after the end of its coding${declared ? ", also if it is collected" : ""}`, async () => {
      for (
        const [coding, after] of [["gzip", " "], ["gzip", "\0"], ["deflate", " "], ["br", " "], ["zstd", " "]] as const
      ) {
        const body = Buffer.concat([compressions[coding]!.encode(Buffer.from("ok")), Buffer.from(after + CANARY)])
        const length = declared ? ["Content-Length", String(body.length)] : []
        const { chunks, content, ended } = receive(["Content-Encoding", coding, ...length])
        content?.write(body)
        content?.end()
        assert.strictEqual(await ended.then(() => "ended", () => "failed"), "failed", coding)
        assert.isFalse(discloses(Buffer.concat(chunks), CANARY))
      }
    })
  }

  it("refuses content of more than 1000 frames, each of which costs a decoder", async () => {
    const frame = builtins.zlib.zstdCompressSync("x")
    for (const [count, outcome] of [[1000, "ended"], [1001, "failed"]] as const) {
      const { content, ended } = receive(["Content-Encoding", "zstd"])
      content?.write(Buffer.concat(Array.from({ length: count }, () => frame)))
      content?.end()
      assert.strictEqual(await ended.then(() => "ended", () => "failed"), outcome)
    }
  })

  it("decodes raw deflate, which some servers send as deflate", async () => {
    const { chunks, content, ended } = receive(["Content-Encoding", "deflate"])
    content?.write(builtins.zlib.deflateRawSync(CANARY))
    content?.end()
    await ended
    assert.strictEqual(
      builtins.zlib.inflateSync(Buffer.concat(chunks)).toString(),
      "credsvc-proxy-managed-----------"
    )
  })

  it("searches a part of encoded content, and content in an unknown coding, as it is", async () => {
    for (const [coding, status] of [["gzip", 206], ["dcb", 200], ["utf-8", 200]] as const) {
      const { chunks, content, ended, heads } = receive(["Content-Encoding", coding], { status })
      content?.write(Buffer.from(CANARY))
      content?.end()
      await ended
      assert.deepStrictEqual(heads, [["Content-Encoding", coding]])
      assert.strictEqual(Buffer.concat(chunks).toString(), "credsvc-proxy-managed-----------")
    }
  })

  it("passes on empty content, which no coder accepts", async () => {
    const { chunks, content, ended } = receive(["Content-Encoding", "gzip"])
    content?.end()
    await ended
    assert.lengthOf(chunks, 0)
  })

  it("searches content without a type, of JSON and XML types at any length, and of others only if it is short", () => {
    const long = ["Content-Length", String(1024 * 1024)]
    const isSearched = (...headers: HeaderPairs) => receive(headers).content !== undefined
    for (
      const type of [
        "text/html; charset=utf-8",
        "application/json",
        "application/problem+json",
        "application/vnd.api+xml",
        "application/x-ndjson",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x"
      ]
    ) assert.isTrue(isSearched("Content-Type", type, ...long), type)
    assert.isTrue(isSearched(...long))
    assert.isFalse(isSearched("Content-Type", "application/octet-stream", ...long))
    assert.isFalse(isSearched("Content-Type", "image/png", ...long))
    assert.isTrue(isSearched("Content-Type", "image/png", "Content-Length", "1048575"))
    assert.isTrue(isSearched("Content-Type", "application/grpc"))
  })
})
