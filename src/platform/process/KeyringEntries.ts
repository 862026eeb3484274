/**
 * Entries in the operating system's keyring. The library's calls are synchronous and can block for seconds if the
 * service is unavailable, so each call runs in a short-lived process, which is killed on a timeout.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { builtins } from "../builtins.ts"
import { embeddedKeyring } from "../files/EmbeddedFiles.ts"
import { readOr } from "../files/ReadOrEmpty.ts"
import { ownVariables } from "./CommandOutput.ts"
import { keyringLibrary } from "./KeyringLibrary.ts"
import { nodeArguments } from "./OwnProgram.ts"

/** The failure of a keyring that did not respond or denied access. A missing entry is not an error. */
export class KeyringError extends Schema.TaggedError<KeyringError>()("KeyringError", {
  problem: Schema.Literals(["locked", "unavailable"]),
  backend: Schema.String
}) {
  override get message(): string {
    return this.problem === "locked" ? `the ${this.backend} is locked` : `the ${this.backend} does not respond`
  }
}

const DEADLINE = 3000

// Passes only the variables that the library needs to find the user's keyring and to show its unlock prompt.
const ENVIRONMENT = ("HOME USER LOGNAME PATH LANG TMPDIR DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_DATA_HOME " +
  "XDG_CONFIG_HOME DISPLAY WAYLAND_DISPLAY XAUTHORITY SystemRoot USERPROFILE APPDATA LOCALAPPDATA").split(" ")

const Reply = Schema.Struct({
  value: Schema.optionalKey(Schema.NullOr(Schema.String)),
  error: Schema.optionalKey(Schema.String)
})
type Reply = typeof Reply.Type
const decodeReply = Schema.decodeUnknownOption(Schema.fromJsonString(Reply))

// The request with the secret is sent through stdin, because other processes can read arguments and environment. The
// store is fixed, because the library could fall back to the kernel's keyutils, which lose everything at reboot.
const CHILD = `
let text = ""
process.stdin.on("data", (chunk) => text += chunk).on("end", () => {
  let reply
  try {
    const { account, module, secret, service } = JSON.parse(text)
    const { Entry } = require(module)
    const entry = new Entry(service, account, { linux: { store: "secret-service" } })
    if (secret !== undefined) entry.setPassword(secret)
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

/** The name of the keyring, for messages to the user. */
export const keyringName = backends[process.platform] ?? "OS keyring"

/** Identifies an entry. */
export interface KeyringEntry {
  readonly service: string
  readonly account: string
}

/** Finds the library for the child process, whose code is not in a file and so cannot resolve it. Throws if it is missing. */
const findLibrary = () => {
  if (embeddedKeyring === undefined) {
    return { file: keyringLibrary(), release: () => {} }
  }
  // A native library can be loaded only from a file.
  const directory = fs.mkdtempSync(path.join(builtins.os.tmpdir(), "credsvc-keyring-"))
  const file = path.join(directory, "keyring.node")
  fs.writeFileSync(file, embeddedKeyring(), { mode: 0o600 })
  return { file, release: () => fs.rmSync(directory, { recursive: true, force: true }) }
}

const unavailable = Effect.fail(new KeyringError({ backend: keyringName, problem: "unavailable" }))

/** Writes the secret, if there is one, and then reads the entry. */
const ask = (entry: KeyringEntry, secret?: string): Effect.Effect<Reply, KeyringError> =>
  Effect.callback<Reply, KeyringError>((resume) => {
    if (!(process.platform in backends)) return resume(unavailable)
    const library = readOr(findLibrary, undefined)
    if (library === undefined) return resume(unavailable)
    const child = builtins.childProcess.spawn(process.execPath, nodeArguments(["--disable-sigusr1"], ["-e", CHILD]), {
      env: ownVariables(ENVIRONMENT),
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true
    })
    let output = ""
    const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE)
    child.once("error", () => resume(unavailable))
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
    })
    // If the child process ends before it reads its request, its exit is reported instead.
    child.stdin.on("error", () => {})
    child.once("close", () => {
      clearTimeout(deadline)
      library.release()
      const reply = decodeReply(output)
      if (Option.isNone(reply)) return resume(unavailable)
      const { error } = reply.value
      if (error === undefined) return resume(Effect.succeed(reply.value))
      // The library has only one error class. Only the message distinguishes a dismissed prompt from a missing service.
      const locked = /prompt was dismissed|is locked|interaction is not allowed/i.test(error)
      resume(Effect.fail(new KeyringError({ backend: keyringName, problem: locked ? "locked" : "unavailable" })))
    })
    child.stdin.end(JSON.stringify({ ...entry, secret, module: library.file }))
    return Effect.sync(() => {
      clearTimeout(deadline)
      child.kill("SIGKILL")
    })
  })

/** Reads the secret of an entry. Returns undefined if the keyring is open and has no such entry. */
export const readEntry = (entry: KeyringEntry): Effect.Effect<string | undefined, KeyringError> =>
  Effect.map(ask(entry), ({ value }) => value ?? undefined)

/** Writes the secret of an entry. Succeeds only after reading it back. */
export const writeEntry = (entry: KeyringEntry, secret: string): Effect.Effect<void, KeyringError> =>
  Effect.flatMap(ask(entry, secret), ({ value }) => value === secret ? Effect.void : unavailable)
