/**
 * A client that tries to read the credential in responses of 64 KiB that contain it in each encoding, in each compression, split into two
 * parts, over every protocol. `CREDSVC_TEST_SPLITS=all` tries every split, which takes about half an hour, but for uncompressed content only
 * those within or beside a secret and each 61st other one, because all others are the same to the proxy. A number tries so many for each body.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SecretSearch } from "../../../src/http/scrub/SecretSearch.ts"
import { WebSocketFilter } from "../../../src/http/scrub/WebSocketFilter.ts"
import { bodyWith, CANARY, compressions, discloses, encodingsOf } from "../../support/Canary.ts"
import { live, promise } from "../../support/Fixture.ts"
import { get, setUp } from "../../support/Http2Peers.ts"
import { HOST, proxied } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, MARKER, route } from "../../support/ProxyHarness.ts"

const SIZE = 65_536
const setting = process.env["CREDSVC_TEST_SPLITS"] ?? "2"
const timeout = setting === "2" ? undefined : { timeout: 4 * 3_600_000 }

const encodings = Object.entries(encodingsOf(CANARY))
const bodies = encodings.map(([, texts]) => bodyWith(texts, SIZE))
const codings = ["identity", ...Object.keys(compressions)]
const encoded = (index: number, coding: string): Buffer =>
  coding === "identity" ? bodies[index]! : compressions[coding]!.encode(bodies[index]!)
/** The distance from a secret from which on it does not matter where content is split. */
const BESIDE = 32
/** A prime, so that the splits differ in their alignment. */
const STRIDE = 61

/** Whether a split of an uncompressed body is within one of its secrets or beside it. `before`: the bytes before the body. */
const isBeside = (index: number, split: number, before: number): boolean => {
  const longest = Math.max(...encodings[index]![1].map(({ length }) => length)) + BESIDE
  const at = split - before
  return at < longest || Math.abs(at - SIZE / 2) < longest || at > SIZE - longest
}

/** Where to split a body of this length. `some`: those that matter of an uncompressed one, and each 61st other one. */
const splitsOf = (length: number, some?: { readonly index: number; readonly before: number }): ReadonlyArray<number> =>
  setting === "all"
    ? Array.from({ length: length - 1 }, (_, at) => at + 1).filter((split) =>
      some === undefined || split % STRIDE === 0 || isBeside(some.index, split, some.before)
    )
    // The first one is within the secret.
    : Array.from({ length: Number(setting) }, (_, at) => 1 + (13 + at * 7919) % (length - 1))

/** The expected content, which was searched for the secret once. */
const judged = new Map<number, Buffer>()
const judge = (received: Buffer, index: number, what: string): void => {
  const known = judged.get(index)
  if (known?.equals(received) === true) return
  assert.strictEqual(received.length, SIZE, what)
  assert.isFalse(discloses(received, CANARY), what)
  judged.set(index, received)
}

const daemon = () =>
  fakeDaemon([route(HOST, "example")], { resolve: (request) => Effect.succeed(bearer(request, CANARY)) })

interface Encoded {
  readonly bytes: Buffer
  readonly split: number
  readonly coding: string
}

/** `overWire`: whether each case takes a request. */
const cases = function*(overWire: boolean) {
  for (const index of encodings.keys()) {
    for (const coding of codings) {
      const bytes = encoded(index, coding)
      const some = overWire && coding === "identity" ? { index, before: 0 } : undefined
      for (const split of splitsOf(bytes.length, some)) yield { index, coding, bytes, split }
    }
  }
}

describe("no client reads a reflected secret", () => {
  const rows = [
    ["HTTP/1.1", "application/json", true],
    ["HTTP/1.1, in chunks", "application/json", false],
    ["server-sent events", "text/event-stream", false]
  ] as const
  for (const [what, type, declared] of rows) {
    live(`over ${what}`, function*() {
      let next: Encoded = { bytes: Buffer.alloc(0), split: 0, coding: "" }
      const { exchange } = yield* proxied((_incoming, response) => {
        const { bytes, coding, split } = next
        response.writeHead(200, {
          "Content-Type": type,
          ...(coding === "identity" ? {} : { "Content-Encoding": coding }),
          ...(declared ? { "Content-Length": bytes.length } : {})
        })
        response.write(bytes.subarray(0, split))
        setImmediate(() => response.end(bytes.subarray(split)))
      }, { daemon: daemon() })
      for (const { index, ...response } of cases(true)) {
        next = response
        const { body, complete, headers } = yield* exchange("GET /")
        const about = `${encodings[index]![0]}, ${response.coding}, split at ${response.split}`
        assert.isTrue(complete, about)
        assert.isUndefined(headers.get("content-encoding"), about)
        judge(Buffer.from(body, "latin1"), index, about)
      }
    }, timeout)
  }

  live("over HTTP/2", function*() {
    let next: Encoded = { bytes: Buffer.alloc(0), split: 0, coding: "" }
    const { session } = yield* setUp((stream) => {
      const { bytes, coding, split } = next
      stream.respond({
        "content-type": "application/json",
        ...(coding === "identity" ? {} : { "content-encoding": coding })
      })
      stream.write(bytes.subarray(0, split))
      setImmediate(() => stream.end(bytes.subarray(split)))
    }, { daemon: daemon() })
    for (const { index, ...response } of cases(true)) {
      next = response
      const { body } = yield* promise(() => get(session, "/"))
      const about = `${encodings[index]![0]}, ${response.coding}, split at ${response.split}`
      judge(Buffer.from(body, "latin1"), index, about)
    }
  }, timeout)

  it("in WebSocket frames with a mask, and in fragments of any size", async () => {
    const search = new SecretSearch([CANARY], MARKER)
    for (const { about, bytes, index, split } of frameCases([true, false], false)) {
      const filter = new WebSocketFilter(() => search, true, () => assert.fail("refused"))
      filter.write(bytes.subarray(0, split))
      filter.end(bytes.subarray(split))
      judge(payloadOf(await gathered(filter)), index, about)
    }
  }, timeout?.timeout)
})

const frame = (first: number, payload: Buffer, mask: Buffer | undefined): Buffer => {
  const header = Buffer.alloc(payload.length < 126 ? 2 : 10)
  header[0] = first
  header[1] = Math.min(payload.length, 127) | (mask === undefined ? 0 : 0x80)
  if (payload.length >= 126) header.writeBigUInt64BE(BigInt(payload.length), 2)
  if (mask === undefined) return Buffer.concat([header, payload])
  return Buffer.concat([header, mask, payload.map((byte, at) => byte ^ mask[at % 4]!)])
}

const gathered = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The payloads of the data frames, uncompressed, in one. */
const payloadOf = (bytes: Buffer): Buffer => {
  const payloads: Array<Buffer> = []
  for (let at = 0; at < bytes.length;) {
    const isMasked = (bytes[at + 1]! & 0x80) !== 0
    const short = bytes[at + 1]! & 0x7f
    const extended = short < 126 ? 0 : short === 126 ? 2 : 8
    const length = extended === 0 ? short : bytes.readUIntBE(extended === 2 ? at + 2 : at + 4, extended === 2 ? 2 : 6)
    const from = at + 2 + extended + (isMasked ? 4 : 0)
    const masked = bytes.subarray(from, from + length)
    const mask = bytes.subarray(from - 4, from)
    const payload = isMasked ? masked.map((byte, index) => byte ^ mask[index % 4]!) : masked
    if ((bytes[at]! & 0x08) === 0) payloads.push(Buffer.from(payload))
    at = from + length
  }
  return Buffer.concat(payloads)
}

/** Each body as a message in fragments that a PING interrupts, split into two parts. */
const frameCases = function*(masks: ReadonlyArray<boolean>, overWire: boolean) {
  for (const index of encodings.keys()) {
    for (const isMasked of masks) {
      const payload = bodies[index]!
      const mask = isMasked ? Buffer.from([1, 2, 3, 4]) : undefined
      // The first fragment ends within the secret.
      const middle = 17
      const bytes = Buffer.concat([
        frame(0x02, payload.subarray(0, middle), mask),
        frame(0x89, Buffer.from("ping"), mask),
        frame(0x80, payload.subarray(middle), mask)
      ])
      const before = bytes.length - payload.length
      // A mask has to be applied to each byte again and again.
      const some = overWire || isMasked ? { index, before } : undefined
      for (const split of splitsOf(bytes.length, some)) {
        yield { index, bytes, split, about: `${encodings[index]![0]}, split at ${split}` }
      }
    }
  }
}
