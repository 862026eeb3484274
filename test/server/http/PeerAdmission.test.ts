import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as path from "node:path"
import { vi } from "vitest"
import { openDaemonConnection } from "../../../src/client/DaemonConnection.ts"
import {
  clientHeader,
  clientHello,
  endsOfClient,
  endsOfDaemon,
  helloWindow,
  proofHeader,
  serverProof
} from "../../../src/config/daemon/AccessKey.ts"
import { pathsOf } from "../../../src/config/Paths.ts"
import { apiVersion } from "../../../src/domain/wire/ApiVersion.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { type Ownership, PeerOwner } from "../../../src/platform/sockets/PeerOwner.ts"
import { PeerAdmission } from "../../../src/server/http/PeerAdmission.ts"
import { effect, live, promise, testsWith } from "../../support/Fixture.ts"
import { canBeOthers, curl, otherUser, runAsOther } from "../../support/OtherUser.ts"
import { runProgram } from "../../support/Programs.ts"
import { provedAgent } from "../../support/ProvedConnections.ts"
import { entry } from "../../support/Sandbox.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { startTestDaemon, type TestDaemonShape } from "../../support/TestDaemon.ts"
import { connected } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

/** Runs a script as another user until the test ends. Resolves with its output when a pattern has been printed. */
const scriptOfOther = (script: string) =>
  Effect.gen(function*() {
    const child = builtins.childProcess.spawn("setpriv", [...otherUser(), process.execPath, "-e", script], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    let output = ""
    child.stdout.on("data", (chunk) => output += String(chunk))
    const printed = (pattern: RegExp) => promise(() => until(() => pattern.exec(output) ?? false))
    return { output: () => output, printed }
  })

const connectTo = (url: string, accessKey: Uint8Array) =>
  Effect.gen(function*() {
    const address = { url: new URL(url), loopback: true, explicit: true, startable: false }
    const connection = openDaemonConnection(address, { accessKey, peerOwner: yield* PeerOwner })
    yield* Effect.addFinalizer(() => Effect.sync(connection.close))
    return connection
  })

const keyOf = (daemon: TestDaemonShape) => new Uint8Array(fs.readFileSync(daemon.paths.accessKey))

/** Sends a request, and returns what arrives first: the head of the response, or nothing if the daemon closes the connection. */
const exchanged = (socket: Net.Socket, line: string, headers = "") =>
  Effect.callback<string>((resume) => {
    socket.once("data", (chunk) => resume(Effect.succeed(String(chunk))))
    socket.once("close", () => resume(Effect.succeed("")))
    socket.write(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${socket.remotePort}\r\n${headers}\r\n`)
  })

const withDaemon = testsWith(startTestDaemon())
const withDaemonAndOwner = testsWith(startTestDaemon(), () => PeerOwner.layer)

describe.runIf(canBeOthers)("PeerAdmission, for another user of this machine", () => {
  withDaemon.live("sends no response, on any route and with any method", function*(daemon) {
    for (const target of ["/health", "/connections", "/nothing", "/openapi.json", "/ui/"]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const outcome = yield* runAsOther(curl("-i", "-X", method, `${daemon.url}${target}`))
        assert.strictEqual(outcome.stdout, "", `${method} ${target}`)
        assert.strictEqual(outcome.code, 56, "the connection is reset without a byte")
      }
    }
    assert.strictEqual((yield* daemon.request("/health")).status, 200)
  })

  withDaemon.live("sends no response to a request that is malformed or not for the daemon", function*(daemon) {
    const host = `Host: 127.0.0.1:${daemon.port}\r\n`
    const texts = [
      "no request\r\n\r\n",
      "GET /health HTTP/1.1\r\nHost: rebind.test\r\n\r\n",
      "GET /health HTTP/1.1\r\n\r\n",
      `GET /health HTTP/1.1\r\n${host}Origin: https://evil.test\r\n\r\n`,
      `PUT /health HTTP/1.1\r\n${host}\r\n`,
      `CONNECT 127.0.0.1:443 HTTP/1.1\r\n${host}\r\n`,
      `GET /health HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      "GET /health HTTP/1.1\r\nHost: rebind.test\r\nExpect: a-miracle\r\n\r\n",
      `GET /health HTTP/1.1\r\n${host}X-Long: ${"x".repeat(20_000)}\r\n\r\n`,
      `POST /auth/sessions HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`
    ]
    const script = `
        for (const text of ${JSON.stringify(texts)}) {
          const socket = require("node:net").connect(${daemon.port}, "127.0.0.1", () => socket.write(text))
          socket.on("error", () => {}).on("data", (chunk) => process.stdout.write(text.slice(0, 60) + " got " + chunk))
        }
      `
    const outcome = yield* runAsOther([process.execPath, "-e", script])
    assert.deepInclude(outcome, { code: 0, stdout: "" })
    for (const text of texts.slice(0, -1)) assert.match(yield* daemon.raw(text), /^HTTP\/1\.1 4/)
  })
})

describe.runIf(canBeOthers)("PeerAdmission, for root at another user's daemon", () => {
  live("sends no response, unless root proves that it has read the access key", function*() {
    const home = yield* temporaryDirectory
    fs.chmodSync(path.dirname(home), 0o755)
    fs.chownSync(home, 65534, 65534)
    const command = [process.execPath, entry, "daemon", "serve", "--port", "0", "--json"]
    const child = builtins.childProcess.spawn("setpriv", [...otherUser(), ...command], {
      cwd: "/",
      env: { CREDSVC_HOME: home, CREDSVC_MASTER_KEY_MODE: "local_key" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const ended = new Promise((resolve) => child.once("exit", resolve))
    yield* Effect.addFinalizer(() => Effect.promise(() => child.kill("SIGKILL") ? ended : Promise.resolve()))
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output += String(chunk))
    const [, port] = yield* promise(() =>
      until(() => /http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? false, () => output)
    )
    const url = `http://127.0.0.1:${port}/health`
    assert.strictEqual((yield* runProgram("curl", curl(url).slice(1))).stdout, "", "root")
    assert.include((yield* runAsOther(curl(url))).stdout, "\"ok\"", "the user of the daemon")
    const agent = provedAgent(Number(port), () => fs.readFileSync(pathsOf(home).accessKey), {})
    const proved = yield* Effect.callback<number>((resume) =>
      void builtins.http.get(url, { agent }, (response) => resume(Effect.succeed(response.resume().statusCode ?? 0)))
    )
    assert.strictEqual(proved, 200, "root with the access key")
  })
})

describe.runIf(process.platform === "linux")("PeerAdmission, for the same user", () => {
  withDaemon.live("admits 200 connections that open at the same time", function*(daemon) {
    const responses = yield* Effect.all(
      Array.from({ length: 200 }, () => daemon.request("/health")),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(responses.filter((response) => response.status === 200).length, 200)
  })

  withDaemon.live("proves to the client that the listener is its home's daemon", function*(daemon) {
    const key = keyOf(daemon)
    const nonce = builtins.crypto.randomBytes(32).toString("hex")
    const socket = yield* connected(daemon.port)
    const head = yield* exchanged(socket, `GET /health?nonce=${nonce}`)
    const proof = new RegExp(`^${proofHeader}: (.*)$`, "im").exec(head)?.[1]
    assert.strictEqual(proof, serverProof(key, nonce, endsOfClient(socket)))
    assert.notStrictEqual(proof, serverProof(key, nonce, endsOfClient(yield* connected(daemon.port))))
    assert.notInclude(yield* exchanged(socket, "GET /health"), proofHeader)
  })
})

describe("PeerAdmission handshake", () => {
  withDaemon.live(
    "admits a client that can read the access key, once and only on its own connection",
    function*(daemon) {
      const key = keyOf(daemon)
      const nonce = builtins.crypto.randomBytes(32).toString("hex")
      const socket = yield* connected(daemon.port)
      const hello = clientHello(key, nonce, endsOfClient(socket), Date.now())
      const introduction = `GET /health?nonce=${nonce}`
      assert.match(yield* exchanged(socket, introduction, `${clientHeader}: ${hello}\r\n`), /^HTTP\/1.1 200/)
      if (!canBeOthers) return
      const replayed = yield* runAsOther(
        curl("-i", "-H", `${clientHeader}: ${hello}`, `${daemon.url}/health?nonce=${nonce}`)
      )
      assert.strictEqual(replayed.stdout, "", "a used hello is rejected")
    }
  )

  if (!canBeOthers) return
  withDaemonAndOwner.live(
    "sends no API key to another user who listened on the port before the daemon",
    function*(daemon) {
      const key = keyOf(daemon)
      // Accepts one connection, closes the listener, waits until another process listens on the port, and then responds.
      const squat = `
        const net = require("node:net"), fs = require("node:fs")
        const server = net.createServer((socket) => {
          const { port } = server.address()
          let shaken = false
          socket.on("error", () => {}).on("data", (chunk) => {
            if (shaken) return fs.writeSync(1, "received " + JSON.stringify(String(chunk)) + "\\n")
            shaken = true
            server.close()
            const row = ":" + port.toString(16).toUpperCase().padStart(4, "0") + " 00000000:0000 0A"
            const body = JSON.stringify({ version: "9.9.9", api_version: ${apiVersion} })
            const wait = () => {
              if (!fs.readFileSync("/proc/self/net/tcp", "latin1").includes(row)) return setTimeout(wait, 5)
              socket.write("HTTP/1.1 200 OK\\r\\nContent-Length: " + body.length + "\\r\\n\\r\\n" + body)
            }
            fs.writeSync(1, "closed\\n")
            wait()
          })
        }).listen(0, "127.0.0.1", () => fs.writeSync(1, server.address().port + "\\n"))
      `
      const squatter = yield* scriptOfOther(squat)
      const port = Number((yield* squatter.printed(/^(\d+)\n/))[1])
      const connection = yield* connectTo(`http://127.0.0.1:${port}`, key)
      const body = JSON.stringify({ provider: "openai", data: { api_key: "sk-squat-canary" } })
      const headers = { "content-type": "application/json" }
      const sent = yield* Effect.forkChild(
        Effect.flip(connection.send({ method: "POST", path: "/auth/sessions", headers, body })),
        { startImmediately: true }
      )
      yield* squatter.printed(/closed/)
      yield* startTestDaemon({ port }).pipe(Effect.retry({ times: 50, schedule: Schedule.spaced("20 millis") }))
      const error = yield* Fiber.join(sent)
      assert.strictEqual(error.reason, "untrusted")
      assert.include(error.message, "another user")
      assert.notInclude(squatter.output(), "received")
    }
  )

  withDaemonAndOwner.live("cannot be relayed by another user on the same port of another address", function*(daemon) {
    const key = keyOf(daemon)
    const relay = `
        const net = require("node:net")
        net.createServer((near) => {
          const far = net.connect(${daemon.port}, "127.0.0.1")
          near.on("error", () => {}).on("data", (chunk) => {
            far.write(chunk.toString("latin1").replace("Host: 127.0.0.2", "Host: 127.0.0.1"), "latin1")
          })
          far.on("error", () => {}).pipe(near)
          far.on("close", () => near.destroy())
        }).listen(${daemon.port}, "127.0.0.2", () => console.log("listening"))
      `
    yield* (yield* scriptOfOther(relay)).printed(/listening/)
    const connection = yield* connectTo(`http://127.0.0.2:${daemon.port}`, key)
    const error = yield* Effect.flip(
      connection.send({ method: "GET", path: "/connections", headers: {}, body: undefined })
    )
    assert.strictEqual(error.reason, "untrusted")
  })
})

describe("PeerAdmission, without a daemon", () => {
  const accessKey = new Uint8Array(32).fill(7)
  const port = 7998
  const ends = { localAddress: "127.0.0.1", localPort: port, remoteAddress: "127.0.0.1", remotePort: 40_000 }

  /** Returns whether a new connection is admitted whose remote end has this owner. */
  const admission = (owner: Ownership) =>
    Effect.gen(function*() {
      const { admit } = yield* PeerAdmission
      return (target: string, rawHeaders: ReadonlyArray<string> = []) =>
        Effect.suspend(() => admit({ ...ends } as Net.Socket, { target, rawHeaders }))
    }).pipe(
      Effect.provide(
        PeerAdmission.layerNoDeps({ accessKey, startedAt: 0, checksOwner: true }).pipe(
          Layer.provide(Layer.succeed(
            PeerOwner,
            PeerOwner.of({
              listener: () => Effect.die("not used"),
              peer: () => Effect.succeed(owner),
              process: () => Effect.die("not used")
            })
          ))
        )
      )
    )

  for (const owner of ["own", "other", "unknown", "unsupported"] as const) {
    effect(
      `${owner === "own" ? "admits" : "rejects"} a peer without a handshake whose owner is "${owner}"`,
      function*() {
        assert.strictEqual(yield* (yield* admission(owner))("/health"), owner === "own")
      }
    )
  }

  effect("rejects a repeated handshake for as long as its timestamp is accepted", function*() {
    const now = vi.spyOn(Date, "now").mockReturnValue(1_000_000)
    yield* Effect.addFinalizer(() => Effect.sync(() => now.mockRestore()))
    const admit = yield* admission("other")
    const nonce = "0".repeat(64)
    // The client's clock is ahead.
    const hello = clientHello(accessKey, nonce, endsOfDaemon(ends), 1_000_000 + helloWindow)
    const introduce = admit(`/health?nonce=${nonce}`, [clientHeader, hello])
    assert.isTrue(yield* introduce)
    now.mockReturnValue(1_000_000 + 2 * helloWindow)
    assert.isFalse(yield* introduce)
  })
})
