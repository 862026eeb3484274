/**
 * For any bytes of a client, the upstream gets requests that the strictest parser accepts, each of which Node's server would
 * have read too, in order, with exactly the run's credential and for exactly the routed host.
 */
import { CREDENTIAL, HOST, openRelay } from "../../support/InProcessRelay.ts"
import { readByNode } from "../../support/RequestReaders.ts"
import { smugglingCorpus } from "../../support/SmugglingCorpus.ts"
import { readStrictly, type RecordedRequest } from "../../support/StrictRecorder.ts"
import type { FakeSocket } from "../../support/UpstreamPeer.ts"
import { hold, pieces, same, type Target, whole } from "../Target.ts"

/** Responds to every complete request. */
const record = (requests: Array<RecordedRequest>) => (upstream: FakeSocket): void => {
  let read = 0
  upstream.onWritten = () => {
    for (;;) {
      const found = readStrictly(upstream.written.slice(read))
      if (found === undefined) return
      hold(!("violation" in found), () => `the upstream got ${JSON.stringify(found)}`)
      if ("violation" in found) return
      read = upstream.written.length - found.rest.length
      requests.push(found.request)
      const response = found.request.line.startsWith("HEAD ")
        ? "204 No Content\r\n\r\n"
        : "200 OK\r\nContent-Length: 2\r\n\r\nok"
      setImmediate(() => void upstream.receive(`HTTP/1.1 ${response}`))
    }
  }
}

const check = ({ headers, line }: RecordedRequest): void => {
  const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
  same(valuesOf("host"), [HOST])
  same(valuesOf("authorization"), line.startsWith("OPTIONS ") ? [] : [CREDENTIAL])
}

/** Whether a request may be relayed, according to the written rules and independent of their implementation. */
const isAdmissible = (
  { headers, line }: { readonly headers: ReadonlyArray<string>; readonly line: string }
): boolean => {
  const valuesOf = (name: string) => headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name)
  const [method = "", target = "", version] = line.split(" ")
  const [hosts, codings, lengths] = [valuesOf("host"), valuesOf("transfer-encoding"), valuesOf("content-length")]
  return (hosts.length === 1 || (hosts.length === 0 && version === "1.0")) &&
    hosts.every((host) => /^api\.example\.?(?::443)?$/i.test(host)) &&
    codings.length + lengths.length <= 1 &&
    (codings.length === 0 || version === "1.1") &&
    (target === "*" ? method === "OPTIONS" : /^\/[^#]*$/.test(target)) &&
    !["TRACE", "TRACK", "CONNECT"].includes(method)
}

export const seeds: Target["seeds"] = [
  whole(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer credsvc-proxy-managed\r\n\r\n`.repeat(3)),
  whole(`POST /a HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 3\r\n\r\nabcDELETE /b HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`),
  whole(
    `POST / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: authorization, x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n`
  ),
  whole(`POST / HTTP/1.0\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`),
  whole("GET / HTTP/1.1\r\nHost: other.example\r\nAuthorization: Bearer own\r\n\r\n"),
  whole(`GET /a#b HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Basic own\r\n\r\n`),
  whole(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nauthorization: own\r\nAUTHORIZATION: own\r\n\r\n`),
  whole(`GET https://${HOST}/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\nTRACE / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`),
  whole(`OPTIONS * HTTP/1.1\r\nHost: ${HOST}\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na`),
  whole(`GET / HTTP/1.1\r\nHost: ${HOST}:443\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`),
  ...smugglingCorpus(HOST).map(({ bytes }) => whole(bytes)).filter((text) => text.length < 1000)
]

export const fuzz: Target["fuzz"] = async (data) => {
  const parts = pieces(data)
  const requests: Array<RecordedRequest> = []
  const problems: Array<unknown> = []
  const relay = openRelay((upstream) => {
    record(requests)(upstream)
    const { onWritten } = upstream
    // Collected, because the engine would treat an exception as an error of the connection.
    upstream.onWritten = () => {
      try {
        onWritten()
      } catch (problem) {
        problems.push(problem)
      }
    }
  })
  for (const part of parts) {
    if (relay.client.destroyed || relay.client.readableEnded) break
    await relay.client.receive(part)
  }
  await relay.settle()
  hold(!relay.client.written.includes(CREDENTIAL), () => "the client got the credential")
  await relay.close()
  for (const problem of problems) throw problem

  const { messages } = await readByNode(parts)
  let at = 0
  for (const request of requests) {
    check(request)
    const [method, target] = request.line.split(" ")
    const isThis = (message: (typeof messages)[number]) =>
      message.line.startsWith(`${method} ${target} `) && message.whole?.[0] === request.body && isAdmissible(message)
    while (at < messages.length && !isThis(messages[at]!)) at++
    hold(at++ < messages.length, () => `must not be relayed: ${JSON.stringify(request)}`)
  }
}
