/** Requests are read as Node's server reads the same bytes, however they are split. */
import { requestReadings } from "../../support/RequestReaders.ts"
import { smugglingCorpus } from "../../support/SmugglingCorpus.ts"
import { pieces, same, type Target, whole } from "../Target.ts"

export const seeds: Target["seeds"] = [
  whole("GET / HTTP/1.1\r\nHost: example\r\n\r\nGET /2 HTTP/1.0\r\n\r\n"),
  whole(
    "POST /a?b HTTP/1.1\r\nHost: example\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"
  ),
  whole(
    "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabcGET / HTTP/1.1\r\n\r\n"
  ),
  whole("CONNECT a:1 HTTP/1.1\r\n\r\nrest"),
  whole("GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello"),
  ...smugglingCorpus("example").map(({ bytes }) => whole(bytes)).filter((text) => text.length < 1000)
]

export const fuzz: Target["fuzz"] = async (data) => {
  const readings = await requestReadings(pieces(data))
  if (readings !== undefined) same(...readings)
}
