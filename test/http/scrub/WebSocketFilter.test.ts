import { assert, describe, it } from "@effect/vitest"
import { SecretSearch } from "../../../src/http/scrub/SecretSearch.ts"
import { closeForServer, WebSocketFilter } from "../../../src/http/scrub/WebSocketFilter.ts"
import { frameOf } from "../../../src/http/WebSocketFrames.ts"
import { WebSocketMessages } from "../../../src/http/WebSocketMessages.ts"
import { CANARY } from "../../support/Canary.ts"

const search = new SecretSearch([CANARY], "credsvc-proxy-managed")

/** What the client receives, and how often the frames were refused. */
const filtered = async (...parts: ReadonlyArray<Buffer>) => {
  let refused = 0
  const filter = new WebSocketFilter(() => search, true, () => refused++)
  for (const part of parts) filter.write(part)
  filter.end()
  let out = ""
  for await (const chunk of filter) out += (chunk as Buffer).toString("latin1")
  return { out, refused }
}

const frame = (first: number, text: string): Buffer =>
  Buffer.concat([Buffer.from([first, text.length]), Buffer.from(text)])

const REPLACED = "credsvc-proxy-managed-----------"
/** Status 1002 in a Close frame. */
const CLOSE = "\x88\x02\x03\xea"

describe("WebSocketFilter", () => {
  const invalid = [
    ["a continuation of no message", [frame(0x80, CANARY)]],
    ["a message within a message", [frame(0x01, "a"), frame(0x81, CANARY)]],
    ["a fragment of a control frame", [frame(0x09, CANARY)]],
    ["a compressed continuation", [frame(0x01, "a"), frame(0xc0, CANARY)]],
    ["an unknown opcode", [frame(0x83, CANARY)]],
    ["a reserved bit", [frame(0xa1, CANARY)]]
  ] as const
  for (const [what, frames] of invalid) {
    it(`searches the bytes of a server that sends ${what}`, async () => {
      const out = Buffer.concat(frames).toString("latin1").replace(CANARY, REPLACED)
      assert.deepStrictEqual(await filtered(...frames), { out, refused: 0 })
    })
  }

  for (const first of [0x41, 0xc1, 0x42, 0xc2]) {
    it(`closes the connection of a server that compresses a message (0x${first.toString(16)})`, async () => {
      const frames = [frame(0x81, "one"), frame(first, CANARY)]
      const expected = { out: "\x81\x03one" + CLOSE, refused: 1 }
      assert.deepStrictEqual(await filtered(...frames, frame(0x81, "more")), expected)
      const bytes = Array.from(Buffer.concat(frames), (byte) => Buffer.from([byte]))
      const { out, refused } = await filtered(...bytes)
      assert.deepStrictEqual([out.endsWith(CLOSE), out.includes("sk-"), refused], [true, false, 1])
    })
  }

  it("passes on valid frames unchanged", async () => {
    const frames = [frame(0x01, "a"), frame(0x89, "ping"), frame(0x80, "b"), frame(0x82, "c"), frame(0x88, "hi")]
    assert.deepStrictEqual(await filtered(...frames), { out: Buffer.concat(frames).toString("latin1"), refused: 0 })
  })

  it("passes on frames that arrive together in one chunk", () => {
    const frames = Buffer.concat([frame(0x81, "one"), frame(0x89, "ping"), frame(0x82, "two")])
    const filter = new WebSocketFilter(() => search, true, () => {})
    const chunks: Array<string> = []
    filter.on("data", (chunk: Buffer) => chunks.push(chunk.toString("latin1"))).write(frames)
    assert.deepStrictEqual(chunks, [frames.toString("latin1")])
  })

  it("holds no more of a client's message than may be changed, even in empty fragments", () => {
    const messages = new WebSocketMessages({ first: 1, maxBytes: 1000 }, () => undefined)
    const fragment = (opcode: number) =>
      Buffer.concat(frameOf({ fin: false, opcode, mask: Buffer.alloc(4) }, Buffer.alloc(0)))
    messages.write(fragment(1))
    for (let count = 0; count < 1000; count++) messages.write(fragment(0))
    assert.isAbove(messages.readableLength, 4000)
  })

  it("masks the Close frame for a server", () => {
    assert.strictEqual(closeForServer().toString("latin1"), "\x88\x82\0\0\0\0\x03\xea")
  })
})
