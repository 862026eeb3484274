import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { HeaderPairs } from "../../../src/http/HeaderFields.ts"
import type { ResponseContent } from "../../../src/http/scrub/ResponseContent.ts"
import { scrubbedContent } from "../../../src/http/scrub/ScrubbedContent.ts"
import { SecretSearch } from "../../../src/http/scrub/SecretSearch.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { CANARY, compressions, discloses, encodingsOf } from "../../support/Canary.ts"
import { until } from "../../support/Until.ts"

const PLACEHOLDER = "credsvc-proxy-managed"
const REPLACED = "credsvc-proxy-managed-----------"
const { constants, createBrotliCompress } = builtins.zlib
/** The codings that requests ask for. */
const OFFERED = ["gzip", "deflate", "br"]
const INVALID = "sent content that does not have the content coding that it declares"

interface Received {
  readonly heads: Array<HeaderPairs>
  readonly chunks: Array<Buffer>
  /** How often the upstream may continue after backpressure. */
  readonly drained: () => number
  /** The problem of the content; undefined if it ended. */
  readonly ended: Promise<string | undefined>
}

/** A sink that accepts so many bytes, and the content before it. */
const receive = (
  headers: HeaderPairs,
  { accepts = Infinity, secrets = [CANARY], status = 200 }: {
    readonly accepts?: number
    readonly secrets?: ReadonlyArray<string>
    readonly status?: number
  } = {}
): Received & { readonly content: ResponseContent | undefined } => {
  const heads: Array<HeaderPairs> = []
  const chunks: Array<Buffer> = []
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  let left = accepts
  let drains = 0
  const search = new SecretSearch(secrets, PLACEHOLDER)
  const content = scrubbedContent(() => search, { status, headers }, {
    head: (fields) => heads.push(fields),
    data: (chunk) => {
      chunks.push(Buffer.from(chunk))
      left -= chunk.length
      return left > 0
    },
    end: () => resolve(undefined),
    failed: (problem) => resolve(problem),
    drained: () => drains++
  })
  return { content, heads, chunks, drained: () => drains, ended: promise }
}

/** Receives a whole body in parts of this size. */
const receiveAll = async (
  headers: HeaderPairs,
  body: Buffer,
  { size = body.length, ...options }: Parameters<typeof receive>[1] & { readonly size?: number } = {}
) => {
  const { chunks, content, ended, heads } = receive(headers, options)
  for (let at = 0; at < body.length; at += size) content?.write(body.subarray(at, at + size))
  content?.end()
  const problem = await ended
  return { body: Buffer.concat(chunks), heads, problem }
}

const lengthOf = (body: Buffer): HeaderPairs => ["Content-Length", String(body.length)]

/** A text that is longer than what is collected, also when it is compressed. No spelling of the secret begins with a letter of it. */
const long = builtins.crypto.randomBytes(1_200_000).toString("latin1")
  .replaceAll(/[^]/g, (byte) => "qJXY"[byte.charCodeAt(0) & 3]!)

describe("content with a content coding", () => {
  for (const declared of [true, false]) {
    it(`of ${declared ? "declared" : "unknown"} length is passed on byte for byte if it is short and has no secret`, async () => {
      for (const [coding, { encode }] of Object.entries(compressions)) {
        for (const text of ["", "short", "text ".repeat(100_000)]) {
          const body = encode(Buffer.from(text))
          const digests = [
            "Content-MD5",
            "a",
            "Content-Digest",
            "b",
            "Digest",
            "c",
            "Repr-Digest",
            "d",
            "ETag",
            "\"e\""
          ]
          const head = ["Content-Encoding", coding, ...digests, ...declared ? lengthOf(body) : []]
          for (const size of [body.length, 1000]) {
            const received = await receiveAll(head, body, { size })
            assert.deepStrictEqual(received.heads, [head])
            assert.isTrue(received.body.equals(body), coding)
          }
        }
      }
    })

    it(`of ${declared ? "declared" : "unknown"} length loses its coding if it has a secret or is long`, async () => {
      for (const coding of OFFERED) {
        for (const text of [CANARY, `key: ${CANARY}, ${long}`, `${long}${CANARY}`, long]) {
          const body = compressions[coding]!.encode(Buffer.from(text))
          const head = ["Content-Encoding", coding, "Digest", "d", "ETag", "e", ...declared ? lengthOf(body) : []]
          for (const size of [body.length, 1000]) {
            const received = await receiveAll(head, body, { size })
            assert.deepStrictEqual(received.heads, [["ETag", "e"]])
            assert.isTrue(
              received.body.toString() === text.replace(CANARY, REPLACED),
              `${coding} ${size} ${text.length}`
            )
          }
        }
      }
    })
  }

  it("is decoded if it is a stream of events, whose head is passed on at once", async () => {
    for (const type of ["text/event-stream; charset=utf-8", "application/x-ndjson"]) {
      for (const create of [() => builtins.zlib.createGzip(), () => builtins.zlib.createDeflateRaw()]) {
        const encoder = create()
        const coding = encoder instanceof builtins.zlib.Gzip ? "gzip" : "deflate"
        const { chunks, content, ended, heads } = receive(["Content-Encoding", coding, "Content-Type", type])
        assert.deepStrictEqual(heads, [["Content-Type", type]])
        encoder.on("data", (chunk: Buffer) => content?.write(chunk)).on("end", () => content?.end())
        let sent = ""
        for (const event of ["data: 1\n\n", `data: ${CANARY}\n\n`, "data: 3\n\n"]) {
          encoder.write(event)
          encoder.flush()
          sent += event.replace(CANARY, REPLACED)
          await until(() => Buffer.concat(chunks).toString() === sent)
        }
        encoder.end()
        assert.isUndefined(await ended)
      }
      const empty = await receiveAll(["Content-Encoding", "gzip", "Content-Type", type], Buffer.alloc(0))
      assert.deepStrictEqual([empty.body.length, empty.problem], [0, undefined])
    }
  })

  it("is passed on as it arrives, if it arrives in several parts", async () => {
    for (const [coding, encoder] of [["gzip", builtins.zlib.createGzip()], ["br", createBrotliCompress()]] as const) {
      const { chunks, content, heads } = receive(["Content-Encoding", coding])
      encoder.on("data", (chunk: Buffer) => content?.write(chunk))
      let sent = ""
      for (const event of ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]) {
        encoder.write(event)
        encoder.flush()
        sent += event
        await until(() => Buffer.concat(chunks).toString() === sent)
      }
      assert.deepStrictEqual(heads, [[]])
      content?.destroy()
      encoder.destroy()
    }
  })

  it("is decoded no faster than the client reads", async () => {
    const body = compressions["br"]!.encode(Buffer.concat([Buffer.from(CANARY), Buffer.alloc(64 * 1024 * 1024)]))
    const { chunks, content, heads } = receive(["Content-Encoding", "br"], { accepts: 1 })
    content?.write(body)
    content?.end()
    await until(() => heads.length > 0 && chunks.length > 0)
    for (let count = -1; count !== chunks.length;) {
      count = chunks.length
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    assert.isBelow(Buffer.concat(chunks).length, 1024 * 1024)
    content?.destroy()
  })

  it("fails if it expands more than gzip can, and by more than 16 MiB", async () => {
    for (const [mebibytes, problem] of [[15, undefined], [64, /expands too much/]] as const) {
      const bomb = builtins.zlib.brotliCompressSync(Buffer.alloc(mebibytes * 1024 * 1024), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 1 }
      })
      const { body, problem: failure } = await receiveAll(["Content-Encoding", "br", ...lengthOf(bomb)], bomb)
      if (problem === undefined) assert.strictEqual(body.length, mebibytes * 1024 * 1024)
      else assert.match(failure ?? "", problem)
    }
  })

  it("loses a secret that is not in its text but in the file name of gzip", async () => {
    const plain = builtins.zlib.gzipSync("ok")
    const named = Buffer.concat([plain.subarray(0, 10), Buffer.from(`${CANARY}\0`), plain.subarray(10)])
    named[3] = 0x08
    assert.strictEqual(builtins.zlib.gunzipSync(named).toString(), "ok")
    for (const length of [[], lengthOf(named)]) {
      const { body, heads } = await receiveAll(["Content-Encoding", "gzip", ...length], named)
      assert.deepStrictEqual(heads, [[]])
      assert.strictEqual(body.toString(), "ok")
    }
  })

  it("fails if it does not have the coding that it declares, or ends too early", async () => {
    for (const coding of Object.keys(compressions)) {
      const { encode } = compressions[coding]!
      for (const body of [Buffer.from("not encoded"), encode(Buffer.from("x".repeat(100))).subarray(0, -5)]) {
        for (const length of [[], lengthOf(body)]) {
          const { heads, problem } = await receiveAll(["Content-Encoding", coding, ...length], body)
          assert.deepStrictEqual({ heads, problem }, { heads: [], problem: INVALID }, coding)
        }
      }
    }
  })

  it("fails if something follows the end of its coding", async () => {
    for (
      const [coding, after] of [["gzip", " "], ["gzip", "\0"], ["deflate", " "], ["br", " "], ["zstd", " "]] as const
    ) {
      for (const text of ["ok", ...coding === "zstd" ? [] : [long]]) {
        const body = Buffer.concat([compressions[coding]!.encode(Buffer.from(text)), Buffer.from(after + CANARY)])
        for (const length of [[], lengthOf(body)]) {
          const received = await receiveAll(["Content-Encoding", coding, ...length], body)
          assert.strictEqual(received.problem, INVALID, coding)
          assert.isFalse(discloses(received.body, CANARY))
        }
      }
    }
  })

  it("is searched in several codings and in every frame of zstd, up to 256 KiB", async () => {
    const { br, gzip, zstd } = compressions
    const bodies = (key: string) =>
      [
        ["gzip, br", br!.encode(gzip!.encode(Buffer.from(`key: ${key}`)))],
        ["zstd", Buffer.concat(["ke", "y: ", key].map((text) => zstd!.encode(Buffer.from(text))))]
      ] as const
    for (const [coding, body] of bodies("none")) {
      const received = await receiveAll(["Content-Encoding", coding], body, { size: 7 })
      assert.deepStrictEqual(received.heads, [["Content-Encoding", coding]])
      assert.isTrue(received.body.equals(body))
    }
    for (const [coding, body] of bodies(CANARY)) {
      const { body: text, heads } = await receiveAll(["Content-Encoding", coding], body, { size: 7 })
      assert.deepStrictEqual(heads, [[]])
      assert.strictEqual(text.toString(), `key: ${REPLACED}`)
    }
    const longer: ReadonlyArray<readonly [string, Buffer]> = [
      ["gzip, br", br!.encode(gzip!.encode(Buffer.from(long)))],
      ["zstd", zstd!.encode(Buffer.from(long))]
    ]
    for (const [coding, body] of longer) {
      const { heads, problem } = await receiveAll(["Content-Encoding", coding], body)
      assert.deepStrictEqual(heads, [])
      assert.match(problem ?? "", /^sent more than 256 KiB in a content coding that the request did not accept/)
    }
  })

  it("fails in zstd that demands a larger window than HTTP allows, or has more than 1000 frames", async () => {
    const encoder = builtins.zlib.createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } })
    const chunks: Array<Buffer> = []
    const encoded = new Promise((resolve) =>
      encoder.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", resolve)
    )
    encoder.write(builtins.crypto.randomBytes(1024))
    encoder.flush(() => encoder.end(Buffer.alloc(1024)))
    await encoded
    assert.strictEqual((await receiveAll(["Content-Encoding", "zstd"], Buffer.concat(chunks))).problem, INVALID)
    const frame = builtins.zlib.zstdCompressSync("x")
    for (const [count, problem] of [[1000, undefined], [1001, INVALID]] as const) {
      const body = Buffer.concat(Array.from({ length: count }, () => frame))
      assert.strictEqual((await receiveAll(["Content-Encoding", "zstd"], body)).problem, problem)
    }
  })

  it("is decoded from raw deflate, which some servers send as deflate", async () => {
    const { body } = await receiveAll(["Content-Encoding", "deflate"], builtins.zlib.deflateRawSync(CANARY))
    assert.strictEqual(body.toString(), REPLACED)
  })

  it("is searched for a secret that a longer one begins with", async () => {
    const body = compressions["gzip"]!.encode(Buffer.from(`key: ${CANARY}`))
    for (const length of [[], lengthOf(body)]) {
      const received = await receiveAll(["Content-Encoding", "gzip", ...length], body, {
        secrets: [CANARY, `${CANARY}-and-more`]
      })
      assert.strictEqual(received.body.toString(), `key: ${REPLACED}`)
    }
  })

  it("is searched up to 1 MiB if it is not text", async () => {
    const type = ["Content-Type", "application/octet-stream", "Content-Encoding", "gzip"]
    const random = Buffer.from(builtins.crypto.randomBytes(1024 * 1024).map((byte) => byte | 0x80))
    for (const [before, isFound] of [[random.subarray(0, 500_000), true], [random, false]] as const) {
      const text = Buffer.concat([before, Buffer.from(CANARY), random])
      const { body } = await receiveAll(type, compressions["gzip"]!.encode(text))
      assert.strictEqual(body.length, text.length)
      assert.strictEqual(body.includes(CANARY), !isFound)
    }
  })
})

it("passes on the original bytes, or the text without secrets, however it arrives", async () => {
  const secrets = Object.values(encodingsOf(CANARY)).flat()
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.nat(80_000).map((size) => long.slice(0, size)) },
    { weight: 2, arbitrary: fc.constantFrom(...secrets).map((text) => text.slice(0, text.length >> 1)) },
    { weight: 1, arbitrary: fc.constantFrom(...secrets) }
  )
  const sizes = fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 10 })
  const outcomes = new Set<string>()
  const property = fc.asyncProperty(
    fc.array(piece, { maxLength: 8 }),
    fc.constantFrom("gzip", "br"),
    fc.boolean(),
    sizes,
    async (pieces, coding, declared, sizes) => {
      const text = Buffer.from(pieces.join("|"), "latin1")
      const body = compressions[coding]!.encode(text)
      const head = ["Content-Encoding", coding, ...declared ? lengthOf(body) : []]
      const { chunks, content, ended, heads } = receive(head)
      for (let at = 0, i = 0; at < body.length; i++) {
        content?.write(body.subarray(at, at += sizes[i % sizes.length]!))
        // Lets the decoder work between some parts.
        if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve, i % 2))
      }
      content?.end()
      const problem = await ended
      const received = Buffer.concat(chunks)
      const isEncoded = heads[0]?.includes("Content-Encoding") === true
      assert.isUndefined(problem)
      if (isEncoded) assert.isTrue(received.equals(body) && !discloses(text, CANARY))
      else assert.isTrue(received.length === text.length && !discloses(received, CANARY))
      outcomes.add(isEncoded ? "original" : "text")
    }
  )
  await fc.assert(property, { numRuns: 60 })
  assert.includeMembers([...outcomes], ["original", "text"])
}, 60_000)

describe("content that cannot be searched", () => {
  const gzipped = compressions["gzip"]!.encode(Buffer.from(CANARY))
  const five = Array.from({ length: 5 }).reduce<Buffer>((bytes) => compressions["gzip"]!.encode(bytes), gzipped)
  const message = (flags: number, payload: Buffer): Buffer => {
    const prefix = Buffer.from([flags, 0, 0, 0, 0])
    prefix.writeUInt32BE(payload.length, 1)
    return Buffer.concat([prefix, payload])
  }
  const cases: ReadonlyArray<readonly [string, HeaderPairs, Buffer, RegExp, number?]> = [
    ["in more than four codings", ["Content-Encoding", "gzip, gzip, gzip, gzip, gzip"], five, /did not accept/],
    ["in an unknown coding", ["Content-Encoding", "dcb"], gzipped, /did not accept/],
    ["that is a range of encoded content", ["Content-Encoding", "gzip"], gzipped, /a part of content/, 206],
    [
      "in gRPC messages that are compressed",
      ["Content-Type", "application/grpc+proto"],
      message(1, gzipped),
      /compressed message/
    ],
    [
      "in gRPC messages that are compressed, as the head says",
      ["Content-Type", "application/grpc", "Grpc-Encoding", "gzip"],
      message(1, gzipped),
      /compressed message/
    ],
    [
      "in gRPC-Web trailers that are compressed",
      ["Content-Type", "application/grpc-web"],
      message(0x81, gzipped),
      /compressed message/
    ],
    [
      "in Connect messages that are compressed like the request",
      ["Content-Type", "application/connect+json", "Connect-Content-Encoding", "gzip"],
      message(1, gzipped),
      /compressed message/
    ],
    [
      "in gRPC-Web text whose messages may be compressed",
      ["Content-Type", "application/grpc-web-text", "Grpc-Encoding", "gzip"],
      Buffer.from(message(1, gzipped).toString("base64")),
      /compressed message/
    ],
    [
      "in gRPC messages with a content coding",
      ["Content-Type", "application/grpc", "Content-Encoding", "gzip"],
      compressions["gzip"]!.encode(message(1, gzipped)),
      /compressed message/
    ]
  ]
  for (const [what, headers, bytes, problem, status = 200] of cases) {
    it(`${what} is refused`, async () => {
      for (const size of [bytes.length, 1]) {
        const received = await receiveAll(headers, bytes, { size, status })
        assert.match(received.problem ?? "", problem)
        assert.lengthOf(received.body, 0)
      }
    })
  }

  it("does not include messages without compression, although the head declares one", async () => {
    for (
      const [type, field] of [["application/grpc", "Grpc-Encoding"], [
        "application/connect+proto",
        "Connect-Content-Encoding"
      ]]
    ) {
      const head = ["Content-Type", type!, field!, "gzip"]
      const body = Buffer.concat([
        message(0, Buffer.from(`key: ${CANARY}`)),
        message(0, Buffer.alloc(0)),
        message(2, Buffer.from("{}"))
      ])
      for (const size of [body.length, 1, 7]) {
        const received = await receiveAll(head, body, { size })
        assert.deepStrictEqual([received.heads, received.problem], [[head], undefined])
        assert.strictEqual(received.body.toString("latin1"), body.toString("latin1").replace(CANARY, REPLACED))
      }
    }
  })

  it("does not include a value that is no coding, and empty content", async () => {
    for (const coding of ["utf-8", "identity", "none", "aws-chunked"]) {
      const { body, heads } = await receiveAll(["Content-Encoding", coding], Buffer.from(CANARY))
      assert.deepStrictEqual(heads, [["Content-Encoding", coding]])
      assert.strictEqual(body.toString(), REPLACED)
    }
    for (const headers of [["Content-Encoding", "gzip"], ["Content-Encoding", "dcb", "Content-Length", "0"]]) {
      const { body, heads, problem } = await receiveAll(headers, Buffer.alloc(0))
      assert.deepStrictEqual([heads, body.length, problem], [[headers], 0, undefined])
    }
  })
})

describe("content without a coding", () => {
  it("is passed on whole if it is searched up to a limit, where a secret may begin", async () => {
    const first = Buffer.alloc(1024 * 1024, "x")
    first.write(CANARY.slice(0, 8), first.length - 8)
    const body = Buffer.concat([first, Buffer.from(CANARY)])
    const received = await receiveAll(["Content-Type", "application/octet-stream"], body, { size: first.length })
    assert.isTrue(received.body.equals(body))
  })

  it("is searched at any length if it is text or has no type, and else only if it is short", () => {
    const declared = ["Content-Length", String(1024 * 1024)]
    const isSearched = (...headers: HeaderPairs) => receive(headers).content !== undefined
    const texts = [
      "text/html; charset=utf-8",
      "application/json",
      "application/json;charset=utf-8",
      "application/problem+json",
      "application/vnd.api+xml",
      "application/xml-dtd",
      "image/svg+xml",
      "IMAGE/SVG+XML; charset=utf-16",
      "model/x3d+xml",
      "application/x-ndjson",
      "application/x-yaml",
      "application/x-www-form-urlencoded",
      "application/vnd.apple.mpegurl",
      "audio/mpegurl",
      "application/json-seq",
      "application/sql",
      "application/octet-stream, application/json",
      "json",
      "",
      "multipart/form-data; boundary=x"
    ]
    for (const type of texts) assert.isTrue(isSearched("Content-Type", type, ...declared), type)
    assert.isTrue(isSearched(...declared))
    const types = [
      "application/octet-stream",
      "image/png",
      "video/mp4",
      "application/zip",
      "application/xmlish",
      "application/vnd.ms-excel;x=json"
    ]
    for (const type of types) {
      assert.isFalse(isSearched("Content-Type", type, ...declared), type)
    }
    assert.isTrue(isSearched("Content-Type", "image/png", "Content-Length", "1048575"))
    assert.isTrue(isSearched("Content-Type", "application/grpc"))
  })
})
