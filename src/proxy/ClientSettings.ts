/** Settings in files of the user that clients prefer to the environment. */
import * as fs from "node:fs"
import * as path from "node:path"

const readText = (file: string): string => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

type Variables = Readonly<Record<string, string | undefined>>

/** The configuration of the repository that a directory is in. Of a linked worktree, that of the repository. */
const repositoryConfig = (directory: string): string => {
  for (let above = directory;; above = path.dirname(above)) {
    const git = path.join(above, ".git")
    const linked = /^gitdir: (.+)$/m.exec(readText(git))?.[1]
    const gitDirectory = linked === undefined ? git : path.resolve(above, linked)
    const common = path.resolve(gitDirectory, readText(path.join(gitDirectory, "commondir")).trim())
    const config = path.join(common, "config")
    if (fs.existsSync(config) || above === path.dirname(above)) return config
  }
}

const gitConfigFiles = (parent: Variables, directory: string): ReadonlyArray<string> => {
  const home = parent["HOME"] ?? ""
  const ofUser = home === ""
    ? []
    : [
      path.join(home, ".gitconfig"),
      path.join(parent["XDG_CONFIG_HOME"] || path.join(home, ".config"), "git", "config")
    ]
  const global = parent["GIT_CONFIG_GLOBAL"]
  return [
    parent["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig",
    ...(global === undefined ? ofUser : [global]),
    repositoryConfig(directory)
  ]
}

/**
 * The keys by which git knows of a proxy beside `http.proxy`, and before it: `http.<url>.proxy` and
 * `remote.<name>.proxy`. Looks into the environment, and into files but not into those that they include.
 */
export const gitProxyKeys = (parent: Variables, directory: string): ReadonlyArray<string> => {
  const keys = new Set<string>()
  for (const [name, key] of Object.entries(parent)) {
    if (/^GIT_CONFIG_KEY_\d+$/.test(name) && /^(?:http|remote)\..+\.proxy$/i.test(key ?? "")) keys.add(key!)
  }
  for (const file of gitConfigFiles(parent, directory)) {
    let section: string | undefined
    for (const line of readText(file).split("\n")) {
      const header = /^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
      if (header !== null) {
        const [, name = "", subsection] = header
        section = /^(?:http|remote)$/i.test(name) && subsection !== undefined
          ? `${name.toLowerCase()}.${subsection.replace(/\\(.)/g, "$1")}`
          : undefined
      }
      if (section !== undefined && /(?:^|\])\s*proxy\s*=/i.test(line)) keys.add(`${section}.proxy`)
    }
  }
  return [...keys]
}

/** Files of the user that beat the environment, and that nothing given to the child can beat in turn. */
export const overridingFiles = (parent: Variables): ReadonlyArray<string> => {
  const home = parent["HOME"] ?? ""
  const found: Array<string> = []
  const warn = (file: string, pattern: RegExp, client: string): void => {
    const setting = pattern.exec(readText(file))?.[1]
    const shown = home !== "" && file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file
    if (setting !== undefined) found.push(`${shown} sets ${setting}, which ${client} uses in place of this run's`)
  }
  const inHome = (name: string): string | undefined => home === "" ? undefined : path.join(home, name)
  const curlrc = parent["CURL_HOME"] ? path.join(parent["CURL_HOME"], ".curlrc") : inHome(".curlrc")
  const wgetrc = parent["WGETRC"] || inHome(".wgetrc")
  if (curlrc !== undefined) warn(curlrc, /^[ \t]*-{0,2}(proxy|cacert|noproxy|capath)\b/m, "curl")
  if (wgetrc !== undefined) warn(wgetrc, /^[ \t]*(https?_proxy|ca_certificate|no_proxy)[ \t]*=/m, "wget")
  return found
}

/** wget's system-wide settings without what would beat the proxy variables. */
export const systemWgetrc = (file = "/etc/wgetrc"): string =>
  readText(file).split("\n").filter((line) => !/^\s*(?:https?_proxy|no_proxy|use_proxy)\s*=/i.test(line)).join("\n")
