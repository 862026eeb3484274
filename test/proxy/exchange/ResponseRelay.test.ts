/**
 * For any response of an upstream, the client reads exactly that response or sees an error, and the response to the next request
 * is not affected.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "../../support/FastCheck.ts"
import { HOST, openRelay } from "../../support/InProcessRelay.ts"
import { DELIMITERS, mutated, split } from "../../support/RequestText.ts"
import { isRepaired, readByNode, type Script } from "../../support/ResponseReaders.ts"

const RESPONSES = [
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\nuntil the end",
  "HTTP/1.1 204 No Content\r\n\r\n",
  "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\nConnection: close\r\n\r\n",
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nContent-Length: 3\r\n\r\nabc",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: \r\nContent-Length: 3\r\n\r\nabc",
  "HTTP/2.0 199 OK\r\n\r\n",
  "HTTP/2.0 200 OK\r\n\r\n",
  "HTTP/1.1 99 Odd\r\n\r\n"
]
const SECOND = "the second response"

const inserted = fc.constantFrom(...DELIMITERS, "#", "%", "0\r\n\r\n", "HTTP/1.0", "credsvc-proxy-managed")
const script = fc.record({
  method: fc.constantFrom("GET", "HEAD", "DELETE"),
  text: mutated(fc.constantFrom(...RESPONSES), inserted, 1),
  cuts: fc.array(fc.nat(), { maxLength: 2 }),
  ends: fc.boolean()
}).map(({ cuts, ends, method, text }): Script => ({ method, pieces: split(text, cuts), ends }))

const relayed = async (script: Script): Promise<void> => {
  let asked = 0
  const { client, close, settle } = openRelay((upstream) => {
    upstream.onWritten = () => {
      // Requests without a body are written at once.
      setImmediate(async () => {
        if (asked++ > 0) {
          return void upstream.receive(`HTTP/1.1 200 OK\r\nContent-Length: ${SECOND.length}\r\n\r\n${SECOND}`)
        }
        const isOpen = () => !upstream.destroyed && !upstream.readableEnded
        for (const piece of script.pieces) if (isOpen()) await upstream.receive(piece)
        if (script.ends && isOpen()) await upstream.receive(null)
      })
    }
  })
  const exchange = async (method: string) => {
    const before = client.written.length
    await client.receive(`${method} / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    await settle()
    const ends = client.destroyed || client.writableEnded
    return readByNode({ method, pieces: [client.written.slice(before)], ends })
  }
  const ours = await exchange(script.method)
  const theirs = await readByNode(script)
  if (ours.trailers !== undefined && ours.head?.[0] !== 502 && !isRepaired(script.pieces.join(""))) {
    assert.isDefined(theirs.trailers, "the upstream's response is incomplete")
    assert.deepStrictEqual([ours.head?.[0], ours.body], [theirs.head?.[0], theirs.body])
  }
  if (ours.trailers !== undefined && !client.destroyed && !client.writableEnded) {
    const second = await exchange("GET")
    assert.deepStrictEqual([second.head?.[0], second.body, second.trailers], [200, SECOND, []])
  }
  await close()
}

describe("a response of an upstream", () => {
  it("reaches the client unchanged or as an incomplete response, however it is damaged and split", async () => {
    for (const text of RESPONSES) await relayed({ method: "GET", pieces: [text], ends: true })
    await fc.assert(fc.asyncProperty(script, relayed), { numRuns: 500 })
  })
})
