/** Every request that Node's parser accepts reaches the upstream as exactly that request, for almost valid messages. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import { builtins } from "../../../src/platform/builtins.ts"
import * as fc from "../../support/FastCheck.ts"
import { live } from "../../support/Fixture.ts"
import { programTimeout } from "../../support/ProgramTimeout.ts"
import { certificate, HOST, proxyTo } from "../../support/ProxiedHost.ts"
import { dial, SECRET, secureTunnel } from "../../support/ProxyHarness.ts"
import { DELIMITERS, FRAMINGS, mutated, requestText, split } from "../../support/RequestText.ts"
import { smugglingCorpus } from "../../support/SmugglingCorpus.ts"
import * as StrictRecorder from "../../support/StrictRecorder.ts"
import { listen } from "../../support/TestServer.ts"

interface Message {
  readonly method: string
  readonly target: string
  readonly body: string
}

const body = fc.string({ unit: fc.constantFrom("a", "0", "\r", "\n", ":", " ", "G"), maxLength: 12 })

const chunked = (text: string, cut: number): string => {
  const pieces = [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== "")
  return pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("") + "0\r\n\r\n"
}

const message = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"),
  target: fc.constantFrom("/", "/a?b=c", "/x/y"),
  version: fc.constantFrom("1.1", "1.1", "1.1", "1.0"),
  body,
  framing: fc.constantFrom(...FRAMINGS),
  cut: fc.nat(12)
}).map((given) => {
  const head = `${given.method} ${given.target} HTTP/${given.version}\r\nHost: ${HOST}\r\n`
  return requestText(head, given.framing, given.body, () => chunked(given.body, given.cut))
})

const lines = [
  "Content-Length: 3",
  "Content-Length: 0",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: identity",
  "Host: x",
  "Connection: close",
  "Connection: content-length",
  "X: y",
  "3;a=b",
  "Expect: 100-continue",
  "TRACE / HTTP/1.1"
].map((line) => `${line}\r\n`)
const inserted = fc.constantFrom(...DELIMITERS, ...lines, "a", "/", "#", " HTTP/1.0", "chunked", "0\r\n\r\n")
const ambiguous = fc.constantFrom(
  ...smugglingCorpus(HOST).map(({ bytes }) => bytes).filter(({ length }) => length < 1000)
)
const messages = fc.oneof({ weight: 4, arbitrary: message }, { weight: 1, arbitrary: ambiguous })
const conversation = fc.tuple(mutated(messages, inserted), fc.nat())

const collected = (request: Http.IncomingMessage): Promise<string | undefined> =>
  new Promise((resolve) => {
    let text = ""
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1")
    })
    request.on("end", () => resolve(text))
    request.on("error", () => resolve(undefined))
    request.on("close", () => resolve(undefined))
  })

/** The complete requests that Node's own server receives. */
const readByNode = (
  port: number,
  seen: Map<number, Array<Promise<Message | undefined>>>,
  bytes: string
) =>
  dial(port).then((socket) =>
    new Promise<ReadonlyArray<Message>>((resolve) => {
      const own = socket.localPort ?? 0
      socket.on("error", () => {})
      socket.on("data", () => {})
      socket.on("close", async () => {
        const messages = await Promise.all(seen.get(own) ?? [])
        seen.delete(own) // the port may be that of a later connection
        resolve(messages.filter((each) => each !== undefined))
      })
      socket.end(bytes, "latin1")
    })
  )

const nodeServer = Effect.gen(function*() {
  const seen = new Map<number, Array<Promise<Message | undefined>>>()
  const server = builtins.http.createServer({ requireHostHeader: false }, (request, response) => {
    const port = request.socket.remotePort ?? 0
    const found = collected(request).then((text) =>
      text === undefined ? undefined : { method: request.method ?? "", target: request.url ?? "", body: text }
    )
    seen.set(port, [...seen.get(port) ?? [], found])
    void found.then(() => response.end("ok"))
  })
  server.on("clientError", (_error, socket) => socket.destroy())
  return { ...yield* listen(server), seen }
})

describe("the framing of requests", () => {
  live("reaches the upstream as Node's parser reads it, for any mutation of up to three requests", function*() {
    const { port, seen } = yield* nodeServer
    const recorder = yield* StrictRecorder.make(certificate)
    const { proxy } = yield* proxyTo(recorder.port)
    const property = fc.asyncProperty(conversation, async ([bytes, cut]) => {
      const expected = await readByNode(port, seen, bytes)
      const before = recorder.requests.length
      const { socket, wire } = await secureTunnel(proxy, `${HOST}:443`)
      for (const piece of split(bytes, [cut])) wire.send(piece)
      let served = 0
      for (const { method } of expected) {
        let response = await wire.response(method)
        while (response.status === 100) response = await wire.response(method)
        if (response.status === 200 || response.status === 204) served++
        if (!response.complete || response.headers.get("connection") === "close") break
      }
      socket.destroy()
      const reached = recorder.requests.slice(before)
      assert.deepStrictEqual(recorder.violations, [])
      assert.lengthOf(reached, served)
      // The requests arrive in order, each as Node reads it; the proxy refused the missing ones.
      let at = 0
      for (const { body: text, headers, line } of reached) {
        const [method, target] = line.split(" ")
        const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
        assert.deepStrictEqual(valuesOf("host"), [HOST])
        assert.deepStrictEqual(valuesOf("authorization"), method === "OPTIONS" ? [] : [`Bearer ${SECRET}`], line)
        const same = (each: Message) => each.method === method && each.target === target && each.body === text
        while (at < expected.length && !same(expected[at]!)) at++
        assert.isBelow(at++, expected.length, line)
      }
    })
    yield* Effect.promise(() => fc.assert(property, { numRuns: 400, timeout: programTimeout }))
    assert.isAbove(recorder.requests.length, 100)
  })
})
