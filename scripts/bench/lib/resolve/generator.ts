/**
 * Posts one body repeatedly, with `connections` concurrent requests, and prints the number of 200 responses per second.
 * It sends requests as the proxy of a run does, and registers the run if the home of a daemon is given: `node generator.ts
 * <port> <path> <body> <profile> <connections> <warm-up ms> <measured ms> [<home>]`.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import * as net from "node:net"
import { Paths } from "../../../../src/config/Paths.ts"
import { PeerOwner } from "../../../../src/platform/sockets/PeerOwner.ts"
import { register } from "../../../../test/support/RegisteredRun.ts"
import { repeat } from "../proxy/client.ts"

const [port = "", target = "", body = "", profile = "", connections = "", warmUp = "", measured = "", home] = process
  .argv.slice(2)

const run = randomBytes(16).toString("hex")
const scope = Scope.makeUnsafe()

if (home !== undefined) {
  const { status } = await Effect.runPromise(
    Effect.flatMap(
      Paths,
      (paths) => register({ url: `http://127.0.0.1:${port}`, paths }, run, {}, { "credsvc-profile": profile })
    ).pipe(
      Effect.provide([Paths.layerHome(home), PeerOwner.layer]),
      Scope.provide(scope)
    )
  )
  if (status !== 200) throw new Error(`the daemon responded with ${status} to the registration`)
}

const request = Buffer.from(
  `POST ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncredsvc-run: ${run}\r\n` +
    `credsvc-profile: ${profile}\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
)

let responses = 0

const open = (): net.Socket => {
  const socket = net.connect({ host: "127.0.0.1", port: Number(port), noDelay: true })
  repeat(socket, request, () => {
    responses++
    return true
  })
  return socket
}

const sockets = Array.from({ length: Number(connections) }, open)
const wait = (millis: string) => new Promise((resolve) => setTimeout(resolve, Number(millis)))

await wait(warmUp)
const [before, started] = [responses, performance.now()]
await wait(measured)
console.log(JSON.stringify((responses - before) / (performance.now() - started) * 1000))
for (const socket of sockets) socket.removeAllListeners("data").destroy()
await Effect.runPromise(Scope.close(scope, Exit.void))
