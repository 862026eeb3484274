/**
 * Access to the operating system's keyring.
 *
 * The library's calls are synchronous and can block for seconds on an unavailable service, so each call runs in a
 * short-lived process, which is killed on a timeout.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { builtins } from "../../platform/builtins.ts"
import { embeddedKeyring } from "../../platform/files/EmbeddedFiles.ts"
import { nodeArguments } from "../../platform/process/OwnProgram.ts"

/** The keyring did not respond or denied access. A missing entry is not an error. */
export class KeyringError extends Schema.TaggedError<KeyringError>()("KeyringError", {
  problem: Schema.Literals(["locked", "unavailable"]),
  backend: Schema.String
}) {
  override get message(): string {
    return this.problem === "locked" ? `the ${this.backend} is locked` : `the ${this.backend} does not respond`
  }
}

const SERVICE = "credsvc"
const DEADLINE = 3000

// Only the variables that the library needs to find the session's keyring and to show its unlock prompt.
const ENVIRONMENT = [
  "HOME",
  "USER",
  "LOGNAME",
  "PATH",
  "LANG",
  "TMPDIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "XDG_DATA_HOME",
  "XDG_CONFIG_HOME",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "SystemRoot",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA"
]

const Reply = Schema.Struct({
  value: Schema.optionalKey(Schema.NullOr(Schema.String)),
  error: Schema.optionalKey(Schema.String)
})
type Reply = typeof Reply.Type
const decodeReply = Schema.decodeUnknownOption(Schema.fromJsonString(Reply))

// The request with the secret is sent through stdin, because other processes can read arguments and environment.
// Without a pinned store the library falls back to the kernel's keyutils, which lose everything at reboot.
const CHILD = `
let text = ""
process.stdin.on("data", (chunk) => text += chunk).on("end", () => {
  let reply
  try {
    const { account, module, operation, secret, service } = JSON.parse(text)
    const { Entry } = require(module)
    const entry = new Entry(service, account, { linux: { store: "secret-service" } })
    if (operation === "set") entry.setPassword(secret)
    reply = { value: entry.getPassword() }
  } catch (error) {
    reply = { error: String(error && error.message) }
  }
  process.stdout.write(JSON.stringify(reply))
})`

const backends: Partial<Record<NodeJS.Platform, string>> = {
  linux: "Secret Service",
  darwin: "macOS Keychain",
  win32: "Windows Credential Manager"
}

type Request =
  | { readonly operation: "get"; readonly account: string }
  | { readonly operation: "set"; readonly account: string; readonly secret: string }

interface Library {
  readonly file: string
  readonly release: () => void
}

/** Resolved here, because the child process runs code without a file to resolve from. Throws if there is none. */
const findLibrary = (): Library => {
  if (embeddedKeyring === undefined) {
    return { file: createRequire(import.meta.url).resolve("@napi-rs/keyring"), release: () => {} }
  }
  // A library can be loaded only from a file.
  const directory = fs.mkdtempSync(path.join(builtins.os.tmpdir(), "credsvc-keyring-"))
  const file = path.join(directory, "keyring.node")
  fs.writeFileSync(file, embeddedKeyring(), { mode: 0o600 })
  return { file, release: () => fs.rmSync(directory, { recursive: true, force: true }) }
}

const ask = (backend: string, request: Request): Effect.Effect<Reply, KeyringError> =>
  Effect.callback<Reply, KeyringError>((resume) => {
    const unavailable = Effect.fail(new KeyringError({ backend, problem: "unavailable" }))
    let library: Library
    try {
      library = findLibrary()
    } catch {
      return resume(unavailable)
    }
    const child = builtins.childProcess.spawn(process.execPath, nodeArguments(["--disable-sigusr1"], ["-e", CHILD]), {
      env: Object.fromEntries(ENVIRONMENT.flatMap((name) => {
        const value = process.env[name]
        return value === undefined ? [] : [[name, value]]
      })),
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true
    })
    let output = ""
    const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE)
    child.once("error", () => resume(unavailable))
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
    })
    // A child process that dies before reading its request is reported by its exit.
    child.stdin.on("error", () => {})
    child.once("close", () => {
      clearTimeout(deadline)
      library.release()
      const reply = decodeReply(output)
      if (Option.isNone(reply)) return resume(unavailable)
      const { error } = reply.value
      if (error === undefined) return resume(Effect.succeed(reply.value))
      // The library has one error class. Only the message distinguishes an ignored prompt from a missing service.
      const locked = /prompt was dismissed|is locked|interaction is not allowed/i.test(error)
      resume(Effect.fail(new KeyringError({ backend, problem: locked ? "locked" : "unavailable" })))
    })
    child.stdin.end(JSON.stringify({ ...request, module: library.file, service: SERVICE }))
    return Effect.sync(() => {
      clearTimeout(deadline)
      child.kill("SIGKILL")
    })
  })

export class Keyring extends Context.Service<Keyring, {
  /** The name for the user. */
  readonly backend: string

  /** None if the keyring is open and has no such entry. */
  readonly get: (account: string) => Effect.Effect<Option.Option<Redacted.Redacted<string>>, KeyringError>

  /** Succeeds only after reading the value back. */
  readonly set: (account: string, secret: Redacted.Redacted<string>) => Effect.Effect<void, KeyringError>
}>()("credsvc/vault/Keyring") {
  private static readonly absent = Keyring.of({
    backend: "OS keyring",
    get: () => Effect.fail(new KeyringError({ backend: "OS keyring", problem: "unavailable" })),
    set: () => Effect.fail(new KeyringError({ backend: "OS keyring", problem: "unavailable" }))
  })

  /** No keyring, as on a server without a desktop session. */
  static readonly layerAbsent: Layer.Layer<Keyring> = Layer.sync(Keyring, () => Keyring.absent)

  /** The session's keyring. */
  static readonly layer: Layer.Layer<Keyring> = Layer.sync(Keyring, () => {
    const backend = backends[process.platform]
    if (backend === undefined) return Keyring.absent
    return Keyring.of({
      backend,
      get: (account) =>
        Effect.map(
          ask(backend, { operation: "get", account }),
          ({ value }) => typeof value === "string" ? Option.some(Redacted.make(value)) : Option.none()
        ),
      set: (account, secret) =>
        Effect.gen(function*() {
          const text = Redacted.value(secret)
          const { value } = yield* ask(backend, { operation: "set", account, secret: text })
          if (value !== text) return yield* new KeyringError({ backend, problem: "unavailable" })
        })
    })
  })
}
