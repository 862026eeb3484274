import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import * as Daemon from "../../src/server/EmbeddedDaemon.ts"
import { KeyResolver } from "../../src/vault/keys/KeyResolver.ts"
import { live, testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { logIn, startTestDaemon } from "../support/TestDaemon.ts"
import { listen } from "../support/TestServer.ts"
import { permissiveUmask } from "../support/Umask.ts"

const isBroad = (mode: number): boolean => (mode & 0o077) !== 0

const inHome = testsWith(temporaryDirectory)
const withDaemon = testsWith(startTestDaemon())

/** What an embedding program provides to the daemon. */
const environmentOf = (home: string) => {
  const masterKey = Redacted.make(Buffer.alloc(32, 7).toString("base64"))
  const settings = Settings.layerOf({ home, masterKey: Option.some(masterKey) })
  return Layer.mergeAll(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(settings))
}

const keyResolver = KeyResolver.layerKey(() => new Uint8Array(32).fill(7), "a key of the test")

describe("Daemon", () => {
  inHome.live("responds to /health, and leaves only its key and its log behind when it stops", function*(home) {
    const seen = yield* Effect.scoped(Effect.gen(function*() {
      const daemon = yield* startTestDaemon({ home })
      const health = yield* daemon.request("/health")
      assert.strictEqual(health.status, 200)
      assert.strictEqual(health.json.status, "ok")
      assert.strictEqual(health.json.instance, daemon.instance)
      const state = JSON.parse(fs.readFileSync(daemon.paths.daemonState, "utf8"))
      assert.deepInclude(state, { pid: process.pid, port: daemon.port, instance: daemon.instance, host: "127.0.0.1" })
      assert.strictEqual(fs.readFileSync(daemon.paths.daemonPid, "utf8").trim(), String(process.pid))
      for (const name of fs.readdirSync(daemon.home, { recursive: true, encoding: "utf8" })) {
        assert.isFalse(isBroad(fs.statSync(`${daemon.home}/${name}`).mode), name)
      }
      return daemon
    }))
    assert.isFalse(fs.existsSync(seen.paths.daemonState))
    assert.isFalse(fs.existsSync(seen.paths.daemonPid))
    const refused = yield* Effect.flip(seen.request("/health"))
    assert.match(refused.message, /ECONNREFUSED/)
  })

  withDaemon.live("reveals nothing about itself beyond the API, and nothing about the key", function*(daemon) {
    const key = ["master_key_description", "master_key_mode", "master_key_source"]
    const health = (yield* daemon.request("/health")).json
    assert.deepStrictEqual(Object.keys(health).toSorted(), [
      "api_version",
      "exposed",
      "instance",
      ...key,
      "status",
      "version"
    ])
    const whoami = (yield* daemon.request("/whoami")).json
    assert.deepStrictEqual(
      Object.keys(whoami).toSorted(),
      ["daemon_url", "home", "identity", ...key, "profile", "version"]
    )
    const stored = fs.readFileSync(daemon.paths.masterKey, "utf8").trim().split(":")[1]!
    const identifier = builtins.crypto.createHmac("sha256", Buffer.from(stored, "base64")).update("credsvc/key-id/v1")
      .digest("hex")
    for (const text of [stored, identifier.slice(0, 16)]) assert.notInclude(JSON.stringify([health, whoami]), text)
  })

  inHome.live("starts if a directory cannot be searched for abandoned files, and reports the problem", function*(home) {
    fs.writeFileSync(`${home}/providers`, "")
    const daemon = yield* startTestDaemon({ home })
    const { checks } = (yield* daemon.request("/ready")).json
    assert.strictEqual(checks.providers.status, "failed")
    assert.include(checks.providers.message, `${home}/providers`)
  })

  withDaemon.live("reports a port in use without touching the vault", function*(daemon) {
    const home = yield* temporaryDirectory
    const error = yield* Effect.flip(startTestDaemon({ home, port: daemon.port })) as Effect.Effect<any>
    assert.strictEqual(error._tag, "DaemonUnavailableError")
    assert.include(error.message, `port ${daemon.port} on 127.0.0.1 is in use`)
    assert.isFalse(fs.existsSync(`${home}/server/credsvc.db`))
    assert.isFalse(fs.existsSync(`${home}/server/master.key`))
  })

  live("finishes requests in progress when it stops, and does not wait for idle connections", function*() {
    const agent = new builtins.http.Agent({ keepAlive: true })
    const started = yield* Effect.scoped(Effect.gen(function*() {
      const daemon = yield* startTestDaemon()
      for (let round = 0; round < 3; round++) yield* daemon.request("/health", { agent })
      return Date.now()
    }))
    // Less than the five-second timeout of an idle connection.
    assert.isBelow(Date.now() - started, 4500)
    agent.destroy()
  })

  withDaemon.live("forbids caches to store responses, and other sites to read them", function*(daemon) {
    for (const target of ["/health", "/ready", "/connections", "/nothing"]) {
      for (const method of ["GET", "OPTIONS", "POST", "HEAD"]) {
        const response = yield* daemon.request(target, { method })
        assert.strictEqual(response.headers["cache-control"], "no-store", `${method} ${target}`)
        assert.strictEqual(response.headers["x-content-type-options"], "nosniff")
        assert.strictEqual(response.headers["cross-origin-resource-policy"], "same-origin")
        for (const name of Object.keys(response.headers)) assert.isFalse(name.startsWith("access-control"), name)
      }
    }
  })

  inHome.live("runs with a server and a key that the embedding program provides", function*(home) {
    const server = builtins.http.createServer()
    const { port } = yield* listen(server)
    const context = yield* Layer.build(
      Daemon.layer({ host: "127.0.0.1", port, keyResolver }).pipe(Layer.provide(environmentOf(home)))
    )
    server.on("request", Context.get(context, Daemon.RequestListener))
    const response = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/whoami`))
    assert.strictEqual(response.status, 200)
    const body = (yield* Effect.promise(() => response.json())) as Record<string, unknown>
    assert.deepInclude(body, { home, master_key_source: "env" })
    assert.isFalse(fs.existsSync(`${home}/server/master.key`))
    assert.isFalse(fs.existsSync(`${home}/server/daemon.json`))
  })

  withDaemon.live("refuses to serve a home that another daemon serves, and names that daemon", function*(daemon) {
    const layer = Daemon.layer({ host: "127.0.0.1", port: 1, keyResolver }).pipe(
      Layer.provide(environmentOf(daemon.home))
    )
    const refused = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
    assert.strictEqual(refused._tag, "DaemonUnavailableError")
    assert.include(refused.message, `another credsvc daemon (pid ${process.pid}) already serves ${daemon.home}`)
    assert.strictEqual((yield* daemon.request("/health")).status, 200)
  })

  inHome.live("creates private files without changing the umask of its process", function*(home) {
    yield* permissiveUmask
    yield* Effect.scoped(Effect.gen(function*() {
      const daemon = yield* startTestDaemon({ home })
      yield* logIn(daemon, "sk-private-0123456789abcdef")
      assert.strictEqual(process.umask(), 0)
      for (const name of fs.readdirSync(home, { recursive: true, encoding: "utf8" })) {
        assert.isFalse(isBroad(fs.statSync(`${home}/${name}`).mode), name)
      }
    }))
    assert.strictEqual(process.umask(), 0)
  })

  inHome.live("starts in a program that is being debugged", function*(home) {
    const { inspector } = builtins
    yield* Effect.acquireRelease(
      Effect.sync(() => inspector.open(0, "127.0.0.1")),
      () => Effect.sync(() => inspector.close())
    )
    const daemon = yield* startTestDaemon({ home })
    assert.strictEqual((yield* daemon.request("/health")).status, 200)
  })
})
