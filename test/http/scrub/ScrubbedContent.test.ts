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
const FOUND = /^repeated the credential in compressed content, whose beginning was already passed on/
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
    disclosed: (problem) => resolve(problem),
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

const zeros = (size: number): Promise<Buffer> =>
  new Promise((resolve) => {
    const encoder = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
    const chunks: Array<Buffer> = []
    encoder.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => resolve(Buffer.concat(chunks)))
    for (let i = 0; i < size; i++) encoder.write(Buffer.alloc(1024 * 1024))
    encoder.end()
  })

/** A text that is longer than what is held back, even when it is compressed. No spelling of the secret begins with a letter of it. */
const longText = () =>
  builtins.crypto.randomBytes(600_000).toString("latin1").replaceAll(/[^]/g, (byte) => "qJXY"[byte.charCodeAt(0) & 3]!)
const long = longText()

describe("content with a content coding", () => {
  it("is passed on with the zeros that pad it, if it has no secret, and fails with other padding", async () => {
    const { encode } = compressions["gzip"]!
    const head = ["Content-Encoding", "gzip"]
    const body = Buffer.concat([encode(Buffer.from("short")), Buffer.alloc(512)])
    const received = await receiveAll(head, body, { size: 10 })
    assert.isUndefined(received.problem)
    assert.isTrue(received.body.equals(body))
    const secret = Buffer.concat([encode(Buffer.from(CANARY)), Buffer.alloc(8)])
    assert.strictEqual((await receiveAll(head, secret)).body.toString(), REPLACED)
    assert.isDefined(
      (await receiveAll(head, Buffer.concat([encode(Buffer.from("short")), Buffer.from(CANARY)]))).problem
    )
  })

  for (const declared of [true, false]) {
    it(`of ${declared ? "declared" : "unknown"} length is passed on byte for byte if it has no secret`, async () => {
      for (const [coding, { encode }] of Object.entries(compressions)) {
        for (const text of ["", "short", "text ".repeat(100_000), ...OFFERED.includes(coding) ? [long] : []]) {
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

    it(`of ${declared ? "declared" : "unknown"} length loses its coding if it has a secret at the beginning`, async () => {
      for (const coding of OFFERED) {
        for (const rest of ["", long]) {
          const body = compressions[coding]!.encode(Buffer.from(`key: ${CANARY}, ${rest}`))
          const head = ["Content-Encoding", coding, "Digest", "d", "ETag", "e", ...declared ? lengthOf(body) : []]
          for (const size of [body.length, 1000]) {
            const received = await receiveAll(head, body, { size })
            const text = `key: ${REPLACED}, ${rest}`
            assert.deepStrictEqual(received.heads, [["ETag", "e"]])
            assert.isTrue(received.body.toString() === text, `${coding} ${size} ${rest.length}`)
          }
        }
      }
    })

    it(`of ${declared ? "declared" : "unknown"} length fails if it has a secret after a part that was passed on`, async () => {
      for (const coding of OFFERED) {
        const rest = longText()
        const body = compressions[coding]!.encode(Buffer.from(`${long}${CANARY}${rest}`))
        const { chunks, content, ended, heads } = receive([
          "Content-Encoding",
          coding,
          ...declared ? lengthOf(body) : []
        ])
        const middle = Math.floor(body.length / 3)
        // The text of a part may end like the beginning of a secret, so that it waits for the next one.
        for (let at = 0; at < middle; at += 10_000) content?.write(body.subarray(at, Math.min(at + 10_000, middle)))
        await until(() => chunks.length > 0)
        content?.write(body.subarray(middle))
        content?.end()
        assert.match(await ended ?? "", FOUND)
        assert.lengthOf(heads, 1)
        const received = Buffer.concat(chunks)
        assert.isTrue(body.subarray(0, received.length).equals(received))
        // What was passed on is before the secret.
        assert.isAtMost(received.length, middle)
      }
    })
  }

  it("is decoded if it is a stream of events, whose head is passed on immediately", async () => {
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
    for (const create of [() => builtins.zlib.createGzip(), () => createBrotliCompress()]) {
      const encoder = create()
      const coding = "bytesWritten" in encoder && encoder instanceof builtins.zlib.Gzip ? "gzip" : "br"
      const { chunks, content, heads } = receive(["Content-Encoding", coding])
      encoder.on("data", (chunk: Buffer) => content?.write(chunk))
      const finishFlush = coding === "gzip" ? constants.Z_SYNC_FLUSH : constants.BROTLI_OPERATION_FLUSH
      const decode = coding === "gzip" ? builtins.zlib.gunzipSync : builtins.zlib.brotliDecompressSync
      const received = () => decode(Buffer.concat(chunks), { finishFlush }).toString()
      let sent = ""
      for (const event of ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]) {
        encoder.write(event)
        encoder.flush()
        sent += event
        await until(() => chunks.length > 0 && received() === sent)
      }
      assert.lengthOf(heads, 1)
      content?.destroy()
      encoder.destroy()
    }
  })

  it("is passed on immediately, even if it has no text yet or ends with the first two letters of a secret", async () => {
    const encoder = builtins.zlib.createGzip()
    const { chunks, content, ended, heads } = receive(["Content-Encoding", "gzip"])
    encoder.on("data", (chunk: Buffer) => content?.write(chunk))
    const received = () =>
      builtins.zlib.gunzipSync(Buffer.concat(chunks), { finishFlush: constants.Z_SYNC_FLUSH }).toString()
    encoder.flush()
    await until(() => heads.length === 1 && chunks.length > 0)
    let sent = ""
    for (const text of [`one ${CANARY.slice(0, 1)}`, `two ${CANARY.slice(0, 2)}`]) {
      encoder.write(text)
      encoder.flush()
      sent += text
      await until(() => received() === sent)
    }
    encoder.write(CANARY.slice(2))
    encoder.flush()
    assert.match(await ended ?? "", FOUND)
    assert.strictEqual(received(), sent)
    encoder.destroy()
  })

  it("is held back from the point at which a secret may begin", async () => {
    const encoder = builtins.zlib.createGzip()
    const { chunks, content, ended } = receive(["Content-Encoding", "gzip"])
    encoder.on("data", (chunk: Buffer) => content?.write(chunk))
    const write = (text: string) => {
      encoder.write(text)
      encoder.flush()
    }
    const finishFlush = constants.Z_SYNC_FLUSH
    const received = () => builtins.zlib.gunzipSync(Buffer.concat(chunks), { finishFlush }).toString()
    write("one ")
    await until(() => chunks.length > 0 && received() === "one ")
    write(`two ${CANARY.slice(0, 20)}`)
    write(CANARY.slice(20))
    assert.match(await ended ?? "", FOUND)
    assert.strictEqual(received(), "one ")
    encoder.destroy()
  })

  it("is passed on no faster than the client reads", async () => {
    const body = compressions["gzip"]!.encode(Buffer.from(long))
    const { chunks, content, drained, ended } = receive(["Content-Encoding", "gzip"], { accepts: 1 })
    let at = 0
    const size = 16 * 1024
    while (at < body.length && content?.write(body.subarray(at, at += size)) !== false) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until(() => chunks.length === 1)
    assert.isBelow(at, body.length)
    assert.strictEqual(drained(), 0)
    // Each time the client reads, one part is passed on, and the sink is full again.
    while (at < body.length || chunks.length < Math.ceil(body.length / size)) {
      const before = chunks.length
      content?.resume()
      await until(() => chunks.length > before)
      if (at < body.length) content?.write(body.subarray(at, at += size))
    }
    content?.end()
    assert.isUndefined(await ended)
    assert.isTrue(Buffer.concat(chunks).equals(body))
  })

  it("is decoded no faster than the client reads, if it had a secret", async () => {
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

  it("fails if it expands to more than 16 MiB, and further than gzip can", async () => {
    for (const [size, problem] of [[15, undefined], [64, /expands too much/]] as const) {
      const bomb = await zeros(size)
      assert.isBelow(bomb.length, 20_000)
      for (const length of [[], lengthOf(bomb)]) {
        const received = await receiveAll(["Content-Encoding", "br", ...length], bomb)
        if (problem === undefined) assert.isTrue(received.body.equals(bomb))
        else {
          assert.match(received.problem ?? "", problem)
          assert.deepStrictEqual(received.heads, [])
        }
      }
    }
  })

  it("fails if a large part of it decodes to nothing", async () => {
    const stored = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff])
    const empty = Buffer.concat(Array.from({ length: 120_000 }, () => stored))
    const { content, ended } = receive(["Content-Encoding", "deflate"])
    for (let at = 0; at < empty.length; at += 10_000) content?.write(empty.subarray(at, at + 10_000))
    assert.match(await ended ?? "", /expands too much/)
  })

  it("has a secret removed from the file name in the gzip header", async () => {
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

  it("is searched under several nested codings and in every frame of zstd, up to 64 KiB", async () => {
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
      assert.match(problem ?? "", /^sent more than 64 KiB in a content coding that the request did not accept/)
    }
  })

  it("fails if it is zstd that demands a larger window than HTTP allows or has more than 1000 frames", async () => {
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

  it("is searched for a secret that is the beginning of a longer secret", async () => {
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
    // No byte of it begins a spelling of the secret, so nothing waits for the bytes after it.
    const random = Buffer.from(builtins.crypto.randomBytes(1024 * 1024).map((byte) => byte | 0x80))
    for (const [before, isFound] of [[random.subarray(0, 500_000), true], [random, false]] as const) {
      const body = compressions["gzip"]!.encode(Buffer.concat([before, Buffer.from(CANARY), random]))
      const { content, chunks, ended } = receive(type)
      content?.write(body.subarray(0, 80_000))
      await until(() => chunks.length > 0)
      for (let at = 80_000; at < body.length; at += 65_536) content?.write(body.subarray(at, at + 65_536))
      content?.end()
      const problem = await ended
      if (isFound) assert.match(problem ?? "", FOUND)
      else assert.isTrue(Buffer.concat(chunks).equals(body))
    }
  })
})

it(
  "content with a coding is passed on as its original bytes, as its text without secrets, or as a prefix of either, however it arrives",
  async () => {
    const secrets = Object.values(encodingsOf(CANARY)).flat()
    const partial = {
      gzip: (bytes: Buffer) => builtins.zlib.gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }),
      br: (bytes: Buffer) =>
        builtins.zlib.brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH })
    }
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
        const readable = isEncoded ? partial[coding as "br"](received) : received
        const hasSecret = discloses(text, CANARY)
        assert.isFalse(discloses(readable, CANARY))
        if (problem === undefined) assert.strictEqual(readable.length, text.length)
        if (!hasSecret) assert.isTrue(problem === undefined && received.equals(body) && isEncoded)
        outcomes.add(problem ?? (isEncoded ? "original" : "text"))
      }
    )
    await fc.assert(property, { numRuns: 60 })
    assert.includeMembers([...outcomes], ["original", "text"])
  },
  60_000
)

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
    ["that is a range of encoded content", ["Content-Encoding", "gzip"], gzipped, /a range of compressed content/, 206],
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

  it("does not include messages without compression, although the head declares a compression", async () => {
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

  it("does not include empty content, or content whose Content-Encoding names no coding", async () => {
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
  it("is passed on whole if it is searched up to a limit, even if a secret may begin at the limit", async () => {
    const first = Buffer.alloc(1024 * 1024, "x")
    first.write(CANARY.slice(0, 8), first.length - 8)
    const body = Buffer.concat([first, Buffer.from(CANARY)])
    const received = await receiveAll(["Content-Type", "application/octet-stream"], body, { size: first.length })
    assert.isTrue(received.body.equals(body))
  })

  it("is searched at any length if it is text or has no type, otherwise only if it is short", () => {
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
