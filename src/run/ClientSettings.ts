/** Finds settings in the user's files that clients prefer to the environment. */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { withoutOwnSecrets } from "../config/Settings.ts"
import { builtins } from "../platform/builtins.ts"
import { textOf } from "../platform/files/ReadOrEmpty.ts"

/** The time limit for git in milliseconds. It usually takes 3. */
const gitTimeout = 3000

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The proxy keys that git prefers to `http.proxy`. Asks git itself, which handles includes and linked worktrees. git is searched for in
 * the directories in `first` before `PATH`.
 */
export const gitProxyKeys = (
  parent: Variables,
  directory: string,
  first: ReadonlyArray<string> = []
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback((resume) => {
    const search = [...first, parent["PATH"] ?? ""]
    const git = builtins.childProcess.execFile(
      "git",
      ["-C", directory, "config", "--null", "--name-only", "--get-regexp", String.raw`^(http|remote)\..+\.proxy$`],
      {
        // Windows searches the working directory first, and a repository may contain a git.exe.
        cwd: path.dirname(process.execPath),
        env: withoutOwnSecrets({ ...parent, ...(first.length === 0 ? {} : { PATH: search.join(path.delimiter) }) }),
        timeout: gitTimeout
      },
      // Without git, or without such a key, the command fails and has no output.
      (_, output) => resume(Effect.succeed([...new Set(output.split("\0").filter((key) => key !== ""))]))
    )
    return Effect.sync(() => git.kill())
  })

export const overridingFiles = (parent: Variables): ReadonlyArray<string> => {
  const home = parent["HOME"] ?? ""
  const found: Array<string> = []
  const warn = (file: string, pattern: RegExp, client: string): void => {
    const setting = pattern.exec(textOf(file))?.[1]
    const shown = home !== "" && file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file
    if (setting !== undefined) {
      found.push(`${shown} sets ${setting}, which ${client} uses instead of the setting of this run`)
    }
  }
  const inHome = (name: string): string | undefined => home === "" ? undefined : path.join(home, name)
  const curlrc = parent["CURL_HOME"] ? path.join(parent["CURL_HOME"], ".curlrc") : inHome(".curlrc")
  const wgetrc = parent["WGETRC"] || inHome(".wgetrc")
  if (curlrc !== undefined) warn(curlrc, /^[ \t]*-{0,2}(proxy|cacert|noproxy|capath)\b/m, "curl")
  if (wgetrc !== undefined) warn(wgetrc, /^[ \t]*(https?_proxy|ca_certificate|no_proxy)[ \t]*=/m, "wget")
  return found
}

export const systemWgetrc = (file = "/etc/wgetrc"): string =>
  textOf(file).split("\n").filter((line) => !/^\s*(?:https?_proxy|no_proxy|use_proxy)\s*=/i.test(line)).join("\n")
