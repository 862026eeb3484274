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

/** `http.<url>.proxy` of the user beats `http.proxy`, so each such key is set too. Reads what needs no include. */
export const gitProxyKeys = (home: string | undefined, configHome: string | undefined): ReadonlyArray<string> => {
  if (home === undefined || home === "") return []
  const keys = new Set<string>()
  for (
    const file of [path.join(home, ".gitconfig"), path.join(configHome || path.join(home, ".config"), "git", "config")]
  ) {
    let url: string | undefined
    for (const line of readText(file).split("\n")) {
      const section = /^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
      if (section !== null) {
        url = section[1]?.toLowerCase() === "http" ? section[2]?.replace(/\\(.)/g, "$1") : undefined
      }
      if (url !== undefined && /(?:^|\])\s*proxy\s*=/i.test(line)) keys.add(`http.${url}.proxy`)
    }
  }
  return [...keys]
}

type Variables = Readonly<Record<string, string | undefined>>

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
