import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { testsWith } from "../../support/Fixture.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"

const inHome = testsWith(temporaryDirectory)

const available = (command: string) =>
  childProcess.spawnSync("sh", ["-c", `command -v ${command}`], { stdio: "ignore" }).status === 0

const missing = [
  ...(process.platform === "linux" ? [] : ["Linux"]),
  ...["dbus-run-session", "gnome-keyring-daemon"].filter((command) => !available(command))
]
if (missing.length > 0) console.warn(`skipped: the tests of the Secret Service need ${missing.join(" and ")}`)

interface Outcome {
  readonly value?: unknown
  readonly problem?: string
  readonly ms?: number
}

const runner = path.resolve("test/vault/keyringSession.ts")

const UNLOCKED = "printf %s password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; "
const LOCKED = "gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1; "

/** Configures a bus that starts only the given services. */
const busConfig = (directory: string, services: string) => {
  const file = path.join(directory, "session.conf")
  fs.writeFileSync(
    file,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
     <busconfig><type>session</type><listen>unix:tmpdir=${directory}</listen><auth>EXTERNAL</auth>
     <servicedir>${services}</servicedir>
     <policy context="default"><allow send_destination="*"/><allow receive_type="method_call"/><allow own="*"/></policy>
     </busconfig>`
  )
  return file
}

/** Runs operations in a separate session, whose keyring files are below `directory`. */
const session = (
  directory: string,
  before: string,
  operations: ReadonlyArray<string>,
  options: { readonly config?: string; readonly bus?: boolean } = {}
) =>
  Effect.callback<ReadonlyArray<Outcome>>((resume) => {
    const runtime = path.join(directory, "run")
    fs.mkdirSync(runtime, { recursive: true, mode: 0o700 })
    const script = `${before}exec "$@"`
    const command = [
      ...(options.bus === false
        ? []
        : ["dbus-run-session", ...(options.config === undefined ? [] : [`--config-file=${options.config}`]), "--"]),
      "sh",
      "-c",
      script,
      "sh",
      process.execPath,
      runner,
      ...operations
    ]
    const child = childProcess.spawn(command[0] ?? "", command.slice(1), {
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        PATH: process.env["PATH"],
        HOME: directory,
        XDG_RUNTIME_DIR: runtime,
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]
      }
    })
    let output = ""
    child.stdout.on("data", (chunk) => output += chunk)
    child.once("close", () => {
      const lines = output.split("\n").filter((line) => line.startsWith("{"))
      resume(Effect.sync(() => lines.map((line) => JSON.parse(line) as Outcome)))
    })
  })

const problems = (outcomes: ReadonlyArray<Outcome>) => outcomes.map(({ problem }) => problem)

describe.skipIf(missing.length > 0)("Keyring over the Secret Service", () => {
  inHome.effect("keeps an entry across sessions, and reports a missing entry", function*(directory) {
    assert.deepStrictEqual(yield* session(directory, UNLOCKED, ["get", "set=v1", "get", "set=v2", "get"]), [
      { value: null },
      { value: "done" },
      { value: "v1" },
      { value: "done" },
      { value: "v2" }
    ])
    // For the keyring, a new session is like a reboot: only the data on the disk remains.
    assert.deepStrictEqual(yield* session(directory, UNLOCKED, ["get"]), [{ value: "v2" }])
  })

  inHome.effect("distinguishes a locked keyring from an empty keyring", function*(directory) {
    yield* session(directory, UNLOCKED, ["set=v1"])
    assert.deepStrictEqual(problems(yield* session(directory, LOCKED, ["get", "set=v2"])), ["locked", "locked"])
    assert.deepStrictEqual(yield* session(directory, UNLOCKED, ["get"]), [{ value: "v1" }])
  })

  inHome.effect("is unavailable without a bus, and never falls back to the kernel's keyring", function*(directory) {
    const outcomes = yield* session(directory, "", ["get", "set=v1", "get"], { bus: false })
    assert.deepStrictEqual(problems(outcomes), ["unavailable", "unavailable", "unavailable"])
  })

  inHome.effect("is unavailable on a bus without a keyring", function*(directory) {
    const config = busConfig(directory, path.join(directory, "none"))
    assert.deepStrictEqual(problems(yield* session(directory, "", ["get", "set=v1"], { config })), [
      "unavailable",
      "unavailable"
    ])
  })

  inHome.effect("times out on a service that never responds", function*(directory) {
    const services = path.join(directory, "services")
    fs.mkdirSync(services)
    fs.writeFileSync(
      path.join(services, "secrets.service"),
      "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sleep 20\n"
    )
    const config = busConfig(directory, services)
    const [outcome] = yield* session(directory, "", ["get"], { config })
    assert.strictEqual(outcome?.problem, "unavailable")
    // Less time than the service takes to exit.
    assert.isBelow(outcome?.ms ?? Infinity, 15_000)
  })

  inHome.effect("stores the key of a vault, and the vault then requires the keyring", function*(directory) {
    const home = path.join(directory, "credsvc")
    const vault = [`vault=${home}`]
    const source = (outcomes: ReadonlyArray<Outcome>) => outcomes[0]?.value as Record<string, unknown> | undefined
    assert.deepStrictEqual(source(yield* session(directory, UNLOCKED, vault)), {
      mode: "auto",
      source: "keyring",
      description: "OS keyring (Secret Service)"
    })
    const locked = source(yield* session(directory, LOCKED, vault))
    assert.isNull(locked?.["source"])
    assert.include(String(locked?.["description"]), "is locked")
    const absent = source(yield* session(directory, "", vault, { bus: false }))
    assert.isNull(absent?.["source"])
    assert.include(String(absent?.["description"]), "does not respond")
    const emptied = source(yield* session(path.join(directory, "other"), UNLOCKED, vault))
    assert.isNull(emptied?.["source"])
    assert.include(String(emptied?.["description"]), "has no entry")
    assert.isFalse(fs.existsSync(path.join(home, "server", "master.key")))
    assert.strictEqual(source(yield* session(directory, UNLOCKED, vault))?.["source"], "keyring")
  })
})
