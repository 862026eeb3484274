import { assert, describe, it } from "@effect/vitest"
import { SecretSearch } from "../../../src/http/scrub/SecretSearch.ts"
import { WebSocketFilter } from "../../../src/http/scrub/WebSocketFilter.ts"
import { CANARY } from "../../support/Canary.ts"

const search = new SecretSearch([CANARY], "credsvc-proxy-managed")
const REPLACED = "credsvc-proxy-managed-----------"

const filtered = async (...parts: ReadonlyArray<Buffer>): Promise<string> => {
  const filter = new WebSocketFilter(() => search, true)
  for (const part of parts) filter.write(part)
  filter.end()
  let out = ""
  for await (const chunk of filter) out += (chunk as Buffer).toString("latin1")
  return out
}

const frame = (first: number, text: string): Buffer =>
  Buffer.concat([Buffer.from([first, text.length]), Buffer.from(text)])

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
      const out = await filtered(...frames)
      assert.strictEqual(out, Buffer.concat(frames).toString("latin1").replace(CANARY, REPLACED))
    })
  }
})
