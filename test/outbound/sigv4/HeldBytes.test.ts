/** The memory of bodies that wait for their signature, over all requests. */
import { assert, describe, it } from "@effect/vitest"
import { PassThrough } from "node:stream"
import { ChunkedPayload } from "../../../src/outbound/sigv4/ChunkedPayload.ts"
import {
  HeldBudget,
  HeldBytes,
  MAX_HELD,
  MAX_HELD_BY_SANDBOX,
  readWhole,
  TooManyHeldError
} from "../../../src/outbound/sigv4/HeldBytes.ts"
import { MAX_UNDECLARED_BODY } from "../../../src/outbound/sigv4/RequestSigner.ts"
import { SignedBody } from "../../../src/outbound/sigv4/SignedBody.ts"

const mebibyte = Buffer.alloc(1024 * 1024)

const chunks = () =>
  new ChunkedPayload(
    {
      _tag: "Chunks",
      hash: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
      trailers: new Set(),
      length: undefined
    },
    { key: Buffer.alloc(32), time: "20261123T000000Z", scope: "20261123/us-east-1/s3/aws4_request", signature: "0" },
    new HeldBudget()
  )

/** Begins a chunk of 15 MiB, of which all but the end has arrived. */
const beginChunk = (payload: Pick<ChunkedPayload, "write">) => {
  payload.write(Buffer.from(`${(15 * mebibyte.length + 1).toString(16)};chunk-signature=${"0".repeat(64)}\r\n`))
  for (let i = 0; i < 15; i++) payload.write(mebibyte)
}

const read = (memory: HeldBytes, mebibytes: number) => {
  const source = new PassThrough({ highWaterMark: MAX_UNDECLARED_BODY })
  return new Promise<Buffer | string | Error>((resolve) => {
    readWhole(source, MAX_UNDECLARED_BODY, memory, resolve)
    for (let i = 0; i < mebibytes; i++) source.write(mebibyte)
    source.end()
  })
}

describe("HeldBytes", () => {
  it("refuses bytes over the limit of the process, until another request ends", () => {
    const [first, second] = [new HeldBytes(new HeldBudget()), new HeldBytes(new HeldBudget())]
    assert.isTrue(first.reserve(MAX_HELD))
    assert.isFalse(second.reserve(1))
    first.release()
    first.release()
    assert.isTrue(second.reserve(MAX_HELD))
    assert.isFalse(first.reserve(1))
    second.release()
  })

  it("refuses bytes over the limit of one sandbox, without affecting others", () => {
    const [one, other] = [new HeldBudget(MAX_HELD_BY_SANDBOX), new HeldBudget(MAX_HELD_BY_SANDBOX)]
    const [first, second, third] = [new HeldBytes(one), new HeldBytes(one), new HeldBytes(other)]
    assert.isTrue(first.reserve(MAX_HELD_BY_SANDBOX))
    assert.isFalse(second.reserve(1))
    assert.isTrue(third.reserve(MAX_HELD_BY_SANDBOX))
    first.release()
    second.reserve(MAX_HELD_BY_SANDBOX)
    for (const held of [second, third]) held.release()
  })

  it("counts bodies that are read as a whole", async () => {
    const [other, memory] = [new HeldBytes(new HeldBudget()), new HeldBytes(new HeldBudget())]
    other.reserve(MAX_HELD - 2 * mebibyte.length)
    assert.instanceOf(await read(memory, 3), TooManyHeldError)
    memory.release()
    assert.lengthOf(await read(memory, 2) as Buffer, 2 * mebibyte.length)
    assert.instanceOf(await read(new HeldBytes(new HeldBudget()), 1), TooManyHeldError)
    memory.release()
    other.release()
    assert.strictEqual(await read(memory, 33), "too long")
    memory.release()
  })

  it("counts signed chunks until their signature is sent", () => {
    const other = new HeldBytes(new HeldBudget())
    other.reserve(MAX_HELD - 16 * mebibyte.length)
    const payload = chunks()
    beginChunk(payload)
    const next = chunks()
    assert.throws(() => beginChunk(next), TooManyHeldError)
    next.release()
    payload.write(Buffer.from("x\r\n"))
    const last = chunks()
    beginChunk(last)
    last.release()
    other.release()
  })

  it("no longer counts the chunks of an aborted request", async () => {
    const other = new HeldBytes(new HeldBudget())
    other.reserve(MAX_HELD - 16 * mebibyte.length)
    const source = new PassThrough()
    const payload = chunks()
    const body = new SignedBody(source, payload, () => {})
    beginChunk(payload)
    body.destroy()
    await new Promise((resolve) => body.once("close", resolve))
    const next = chunks()
    beginChunk(next)
    next.release()
    other.release()
  })
})
