/** Responses are read as Node's client reads the same bytes, or truncated where that fails. */
import { responseOutcomes } from "../../support/ResponseReaders.ts"
import { pieces, same, type Target, whole } from "../Target.ts"

const METHODS = ["GET", "HEAD", "POST"]

export const responses: ReadonlyArray<string> = [
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

export const seeds: Target["seeds"] = responses.flatMap((text) =>
  METHODS.map((_, at) => `${String.fromCharCode(at)}${whole(text)}`)
)

export const fuzz: Target["fuzz"] = async (data) => {
  const [first = 0] = data
  const method = METHODS[first % METHODS.length]!
  const outcomes = await responseOutcomes({ method, pieces: pieces(data.subarray(1)), ends: true })
  if (outcomes !== undefined) same(...outcomes)
}
