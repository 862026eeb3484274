import { assert, describe, it } from "@effect/vitest"
import { RequestBody } from "../../src/http/RequestBody.ts"

const KIBIBYTE = Buffer.alloc(1024, "0123456789")

const collect = (body: RequestBody): Promise<ReadonlyArray<Buffer>> =>
  new Promise((resolve) => {
    const parts: Array<Buffer> = []
    body.on("data", (part: Buffer) => parts.push(part)).on("end", () => resolve(parts))
  })

describe("RequestBody", () => {
  it("joins short parts that wait for a reader, so that they cost little more memory than their bytes", async () => {
    const body = new RequestBody(() => {})
    for (let sent = 0; sent < 10_000; sent++) body.receive(Buffer.of(sent % 10))
    body.receivedAll()
    const parts = await collect(body)
    assert.isTrue(Buffer.concat(parts).equals(Buffer.alloc(10_000, Uint8Array.from({ length: 10 }, (_, at) => at))))
    assert.isBelow(parts.length, 32)
  })

  it("pauses the source at 64 KiB, and resumes it when all of that is read", async () => {
    let wanted = 0
    const body = new RequestBody(() => wanted++)
    const results = Array.from({ length: 66 }, () => body.receive(KIBIBYTE))
    assert.deepStrictEqual([results.indexOf(false), results.lastIndexOf(true)], [63, 62])
    wanted = 0
    const parts = collect(body)
    await new Promise(setImmediate)
    assert.isAbove(wanted, 0)
    assert.isTrue(body.receive(KIBIBYTE))
    body.receivedAll()
    assert.lengthOf(Buffer.concat(await parts), 67 * KIBIBYTE.length)
  })
})
