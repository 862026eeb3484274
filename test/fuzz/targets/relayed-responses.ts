/**
 * For any response of an upstream, the client reads exactly that response or sees an error, and the response to the next request
 * is not affected.
 */
import { HOST, openRelay } from "../../support/InProcessRelay.ts"
import { readByNode } from "../../support/ResponseReaders.ts"
import { hold, pieces, same, type Target, whole } from "../Target.ts"
import { responses } from "./response-reading.ts"

const METHODS = ["GET", "HEAD", "DELETE"]
const SECOND = "the second response"

export const seeds: Target["seeds"] = responses.flatMap((text, at) =>
  METHODS.map((_, method) => `${String.fromCharCode(method + 3 * (at % 2))}${whole(text)}`)
)

const request = (method: string) => `${method} / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`

export const fuzz: Target["fuzz"] = async (data) => {
  const [first = 0] = data
  const method = METHODS[first % METHODS.length]!
  const script = { method, pieces: pieces(data.subarray(1)), ends: first % 2 === 1 }
  let asked = 0
  const relay = openRelay((upstream) => {
    upstream.onWritten = () => {
      // Requests without a body are written at once.
      setImmediate(async () => {
        if (asked++ > 0) {
          return void upstream.receive(`HTTP/1.1 200 OK\r\nContent-Length: ${SECOND.length}\r\n\r\n${SECOND}`)
        }
        for (const piece of script.pieces) {
          if (!upstream.destroyed && !upstream.readableEnded) await upstream.receive(piece)
        }
        if (script.ends && !upstream.destroyed && !upstream.readableEnded) await upstream.receive(null)
      })
    }
  })
  const { client } = relay
  const exchange = async (method: string) => {
    const before = client.written.length
    await client.receive(request(method))
    await relay.settle()
    return readByNode({
      method,
      pieces: [client.written.slice(before)],
      ends: client.destroyed || client.writableEnded
    })
  }
  const ours = await exchange(method)
  const theirs = await readByNode(script)
  const isOver = ours.trailers !== undefined
  if (isOver && ours.head?.[0] !== 502) {
    hold(
      theirs.trailers !== undefined,
      () => `the upstream response is incomplete, but the client got a complete one: ${JSON.stringify(ours)}`
    )
    same([ours.head?.[0], ours.body], [theirs.head?.[0], theirs.body])
  }
  if (isOver && !client.destroyed && !client.writableEnded) {
    const second = await exchange("GET")
    same([second.head?.[0], second.body, second.trailers], [200, SECOND, []])
  }
  await relay.close()
}
