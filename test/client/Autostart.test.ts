import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { daemonEnvironment, startDaemon } from "../../src/client/Autostart.ts"
import { pathsOf } from "../../src/config/Paths.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { live } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { permissiveUmask } from "../support/Umask.ts"

const startedBy = (script: string, inHome?: string) =>
  Effect.gen(function*() {
    const home = inHome ?? (yield* temporaryDirectory)
    const entry = path.join(home, "entry.cjs")
    fs.writeFileSync(entry, script)
    return yield* startDaemon(
      {
        settings: { daemonUrl: Option.none(), masterKey: Option.none() },
        paths: pathsOf(home),
        peerOwner: yield* PeerOwner
      },
      entry
    )
  }).pipe(Effect.provide(PeerOwner.layer))

describe("Autostart", () => {
  live("reports the signal that killed a daemon during startup, and the daemon's last output", function*() {
    const error = yield* Effect.flip(startedBy(
      "process.stderr.write('the disk\\x1b[2J is full\\n'); process.kill(process.pid, 'SIGBUS')"
    ))
    assert.include(error.detail, "The daemon exited during startup (SIGBUS): the disk[2J is full. Its log is ")
  })

  live("starts Node without a debugger, and with a young generation of 4 MiB", function*() {
    const error = yield* Effect.flip(startedBy(
      `const spaces = require("node:v8").getHeapSpaceStatistics()
      const { space_size } = spaces.find(({ space_name }) => space_name === "new_space")
      process.kill(process.pid, "SIGUSR1")
      setTimeout(() => {
        process.stderr.write(require("node:inspector").url() + ", " + space_size / 2 ** 20 + " MiB")
        process.exit(1)
      }, 200)`
    ))
    assert.include(error.detail, "undefined, 4 MiB")
  })

  live("reports the daemon as unavailable if it cannot open the log", function*() {
    const home = yield* temporaryDirectory
    fs.mkdirSync(path.join(home, "server", "logs", "daemon.log"), { recursive: true, mode: 0o700 })
    const error = yield* Effect.flip(startedBy("", home))
    assert.strictEqual(error._tag, "DaemonUnavailableError")
    assert.include(error.detail, "The daemon cannot be started: ")
    assert.include(error.detail, "daemon.log")
  })

  live("creates private files under every umask of the program that starts the daemon", function*() {
    yield* permissiveUmask
    const home = yield* temporaryDirectory
    yield* Effect.flip(startedBy("process.exit(1)", home))
    const created = Object.fromEntries(
      fs.readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => name !== "entry.cjs")
        .map((name) => [name, fs.statSync(path.join(home, name)).mode & 0o077])
    )
    assert.containsAllKeys(created, ["server", "server/start.lock", "server/logs/daemon.log"])
    assert.deepStrictEqual(Object.values(created).filter((mode) => mode !== 0), [])
  })

  it("passes none of a run's proxy, certificate, debugger or key variables to the daemon", () => {
    const environment = daemonEnvironment({
      HOME: "/home/ada",
      PATH: "/usr/bin",
      LC_ALL: "C.UTF-8",
      XDG_RUNTIME_DIR: "/run/user/1000",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus",
      CREDSVC_HOME: "/elsewhere",
      CREDSVC_MASTER_KEY: "c2VjcmV0",
      CREDSVC_MASTER_KEY_FILE: "secrets/../key",
      CREDSVC_MASTER_KEY_MODE: "keyring",
      CREDSVC_DATABASE_URL_FILE: "secrets/../url",
      CREDSVC_METRICS_TOKEN: "token",
      CREDSVC_LOG_FORMAT: "json",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      CREDSVC_DAEMON_URL: "http://127.0.0.1:1",
      CREDSVC_PROFILE: "work",
      HTTPS_PROXY: "http://credsvc:token@127.0.0.1:5",
      NODE_OPTIONS: "--inspect",
      NODE_EXTRA_CA_CERTS: "/tmp/evil.pem",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      SSL_CERT_FILE: "/tmp/bundle.pem",
      OPENAI_API_KEY: "sk-real"
    }, "/home/ada/.credsvc")
    assert.deepStrictEqual(environment, {
      HOME: "/home/ada",
      PATH: "/usr/bin",
      LC_ALL: "C.UTF-8",
      XDG_RUNTIME_DIR: "/run/user/1000",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus",
      CREDSVC_MASTER_KEY_MODE: "keyring",
      CREDSVC_MASTER_KEY_FILE: path.resolve("key"),
      CREDSVC_DATABASE_URL_FILE: path.resolve("url"),
      CREDSVC_METRICS_TOKEN: "token",
      CREDSVC_LOG_FORMAT: "json",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      ...(process.platform === "linux" ? { MALLOC_MMAP_THRESHOLD_: "32768" } : {}),
      CREDSVC_HOME: "/home/ada/.credsvc"
    })
  })
})
