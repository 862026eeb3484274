/**
 * Restricts a directory to its user on Windows, where file modes have no effect.
 *
 * Replaces the access control list by one that names only the user and the system, and makes everything below inherit
 * it. Runs Windows' own programs by absolute path, because Windows searches the current directory first.
 */
import * as Effect from "effect/Effect"
import { builtins } from "./builtins.ts"
import { SecureFileError } from "./SecureFiles.ts"

/** The security identifier of the system account, which runs backups and indexing. */
const SYSTEM = "S-1-5-18"

/** Runs a program and returns its output. Throws if it fails. */
type RunProgram = (program: string, args: ReadonlyArray<string>) => string

const run: RunProgram = (program, args) =>
  builtins.childProcess.execFileSync(program, args, {
    encoding: "utf8",
    timeout: 10_000,
    windowsHide: true,
    stdio: ["ignore", "pipe", "ignore"]
  })

const system32 = (env: NodeJS.ProcessEnv, program: string): string =>
  `${env["SystemRoot"] ?? "C:\\Windows"}\\System32\\${program}`

/** The user's security identifier, since user names are spelled differently in other languages and domains. */
export const closeToOthers = (
  directory: string,
  options: { readonly run: RunProgram; readonly env: NodeJS.ProcessEnv } = { run, env: process.env }
): Effect.Effect<void, SecureFileError> =>
  Effect.try({
    try: () => {
      const said = options.run(system32(options.env, "whoami.exe"), ["/user", "/fo", "csv", "/nh"])
      const user = /"(S-1-[\d-]+)"\s*$/.exec(said.trim())?.[1]
      if (user === undefined) throw new Error("whoami did not name the user")
      options.run(system32(options.env, "icacls.exe"), [
        directory,
        "/inheritance:r",
        ...[user, SYSTEM].flatMap((identifier) => ["/grant:r", `*${identifier}:(OI)(CI)F`]),
        "/q"
      ])
    },
    catch: () => new SecureFileError({ path: directory, problem: "open_to_others" })
  })
