/**
 * A directory for its user alone on Windows, where modes mean nothing.
 *
 * The access list is replaced by one that names the user and the system, and everything below inherits it. The programs are
 * Windows' own, named by their place because Windows looks in the current directory first.
 */
import * as Effect from "effect/Effect"
import { builtins } from "./builtins.ts"
import { SecureFileError } from "./SecureFiles.ts"

/** The security identifier of the system itself, by which backups and indexing run. */
const SYSTEM = "S-1-5-18"

/** Runs a program and answers what it printed; throws when it fails. */
export type RunProgram = (program: string, args: ReadonlyArray<string>) => string

const run: RunProgram = (program, args) =>
  builtins.childProcess.execFileSync(program, args, {
    encoding: "utf8",
    timeout: 10_000,
    windowsHide: true,
    stdio: ["ignore", "pipe", "ignore"]
  })

const system32 = (env: NodeJS.ProcessEnv, program: string): string =>
  `${env["SystemRoot"] ?? "C:\\Windows"}\\System32\\${program}`

/** By identifier, since the names of users are spelled differently in other languages and domains. */
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
