/** The files that may contain keys, and how their programs read them. */
import { withoutComments } from "../../domain/text/JsonComments.ts"
import { withStrings } from "../../domain/text/StrictJson.ts"
import { envAssignments, parseEnvFile } from "./EnvFile.ts"

type Variables = Iterable<readonly [variable: string, value: string]>

/** Reads the `env` and the `headers` of MCP servers from the JSON configuration of agents, which may contain comments. */
const serverVariables = (content: string): Variables => {
  const found: Array<readonly [string, string]> = []
  withStrings(withoutComments(content), (pointer, value) => {
    const [end, variable] = /\/(?:env|environment|headers)\/([\w-]+)$/.exec(pointer) ?? []
    const isOfServer = /\/(?:mcpServers|servers|mcp|context_servers)\//.test(pointer.slice(0, -(end?.length ?? 0)))
    if (variable !== undefined && isOfServer) found.push([variable, value])
    return undefined
  })
  return found
}

/** Reads the `env` of MCP servers from the TOML of Codex: a table or an inline table. */
const codexVariables = (content: string): Variables => {
  let table = ""
  return content.split(/\r?\n/).flatMap((line) => {
    table = /^\s*\[([^\]]+)\]/.exec(line)?.[1]?.trim() ?? table
    const [, inner = ""] = /^mcp_servers\.(.+)/.exec(table) ?? []
    const text = inner.endsWith(".env") ? line : inner === "" ? "" : /^\s*env\s*=\s*\{(.*)\}/.exec(line)?.[1] ?? ""
    return [...text.matchAll(/(?:^|,)\s*"?(\w+)"?\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')/g)].map(
      ([, variable, word]) =>
        [variable!, word!.slice(1, -1).replace(word!.startsWith("\"") ? /\\(["\\])/g : /$^/, "$1")] as const
    )
  })
}

/** Reads the npm token of `.npmrc`. npm reads the key up to the first `=`, and removes quotes around a value. */
const npmTokens = (content: string): Variables =>
  content.split(/\r?\n/).flatMap((line) => {
    const [, value = ""] = /^[ \t]*\/\/registry\.npmjs\.org\/:_authToken[ \t]*=(.*)$/.exec(line) ?? []
    return value.trim() === "" ? [] : [["NPM_TOKEN", value.trim().replace(/^(["'])(.*)\1$/, "$2")] as const]
  })

/** The token of each account of github.com, as gh writes it: a plain or quoted scalar. */
const ghTokens = (content: string): Variables => {
  const [, block = ""] = /^github\.com:[ \t]*\r?\n((?:[ \t]+.*(?:\r?\n|$)|[ \t]*\r?\n)*)/m.exec(content) ?? []
  return [...block.matchAll(/^[ \t]+oauth_token:[ \t]*(["']?)(\S+?)\1[ \t]*(?:#.*)?$/gm)].map(([, , token]) => [
    "GITHUB_TOKEN",
    token!
  ])
}

const machines: Readonly<Record<string, string>> = {
  "api.github.com": "GITHUB_TOKEN",
  "github.com": "GITHUB_TOKEN",
  "api.heroku.com": "HEROKU_API_KEY"
}

/** Reads the passwords of a netrc file. The body of a macro ends at an empty line, and a comment at the end of its line. */
const netrcPasswords = (content: string): Variables => {
  const found: Array<readonly [string, string]> = []
  const text = content.replace(/^[ \t]*#.*$/gm, "").replace(/^macdef[^]*?(?:\n[ \t]*\n|$(?![^]))/gm, "")
  let machine = ""
  let before = ""
  for (const [, quoted, plain] of text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)) {
    const word = quoted ?? plain!
    if (before === "machine" || word === "default") machine = word
    const variable = before === "password" && Object.hasOwn(machines, machine) ? machines[machine] : undefined
    if (variable !== undefined) found.push([variable, word])
    before = ["machine", "password", "login", "account"].includes(before) ? "" : word
  }
  return found
}

/** The tokens of a shell script: blanks, comments, command separators, words, and the rest of a line with an open quote. */
const shellToken =
  /[ \t]+|#.*|[\n;&|()<>]+|(?:"(?:\\[^]|\$\((?:[^()\n]|\([^()\n]*\))*\)|\$(?!\()|[^"\\$])*"|'[^']*'|`[^`]*`|\$\((?:[^()\n]|\([^()\n]*\))*\)|\$\(.*|\\[^]|[^\s;&|()<>"'`\\])+|.+/g

/** The words that may precede an assignment in a shell command. */
const beforeAssignments = /^(?:export|declare|typeset|readonly|local|env|-\w+|then|else|do|if|[!{])$/

/** Removes the quotes of a shell word. Keeps command substitutions, including those in backticks. */
const removeQuotes = (word: string): string =>
  word.replace(
    /\$?"((?:\\[^]|[^"\\])*)"|\$?'([^']*)'|\\([^])/g,
    (_, double?: string, single?: string, escaped?: string) =>
      double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? escaped!
  )

/** Reads the assignments of a shell script. A line may have several. */
const shellAssignments = (content: string): Variables => {
  const found: Array<readonly [string, string]> = []
  let mayAssign = true
  for (const [token] of content.replace(/\r\n?/g, "\n").replaceAll("\\\n", "").matchAll(shellToken)) {
    const [, variable, word] = /^([A-Za-z_]\w*)=([^]*)$/.exec(token) ?? []
    if (/^[\n;&|()<>]/.test(token)) mayAssign = true
    else if (variable === undefined) mayAssign &&= /^[ \t#]/.test(token) || beforeAssignments.test(token)
    else if (mayAssign) found.push([variable, removeQuotes(word!)])
  }
  return found
}

const shellVariables = (content: string): Variables => new Map(shellAssignments(content))

const registries: Readonly<Record<string, readonly [user: string, password: string]>> = {
  "index.docker.io": ["DOCKERHUB_USERNAME", "DOCKERHUB_TOKEN"],
  "ghcr.io": ["GHCR_USERNAME", "CR_PAT"]
}

/**
 * Replaces the logins of a Docker configuration, which are `user:password` in Base64. Skips a login without a password,
 * which belongs to a credential helper or an ID token.
 */
const withLogins = (content: string, replaced: (login: string, registry: string) => string) =>
  withStrings(content, (pointer, value) => {
    const registry = /^\/auths\/(?:https:~1~1)?([^/~]+)(?:~1v[12])?(?:~1)?\/auth$/.exec(pointer)?.[1]
    if (registry === undefined) return undefined
    const login = Buffer.from(value, "base64").toString("utf8")
    const changed = replaced(login, registry)
    return changed === login ? undefined : Buffer.from(changed).toString("base64")
  })

const registryLogins = (content: string): Variables => {
  const found: Array<readonly [string, string]> = []
  withLogins(content, (login, registry) => {
    const [, user, password] = /^([^:]*):([^\0]+)/.exec(login) ?? []
    const variables = Object.hasOwn(registries, registry) ? registries[registry] : undefined
    if (variables !== undefined && password !== undefined) {
      found.push([variables[0], user!], [variables[1], password])
    }
    return login
  })
  return found
}

type Read = (content: string) => Variables

interface Format {
  readonly path: RegExp
  readonly read: Read
  /** Reads all assignments, even those that later assignments override. */
  readonly all?: Read
  /** Replaces text in encoded values. Returns undefined for content that cannot be parsed. */
  readonly decoded?: (content: string, replace: (text: string) => string) => string | undefined
}

const formats: ReadonlyArray<Format> = [
  { path: /(?:^|\/)\.env(?:\.[^/]*)?$/, read: parseEnvFile, all: envAssignments },
  { path: /(?:^|\/)\.envrc$/, read: shellVariables, all: shellAssignments },
  { path: /(?:^|\/)\.dev\.vars(?:\.[^/]*)?$/, read: parseEnvFile, all: envAssignments },
  {
    path: /(?:^|\/)(?:\.?mcp|\.claude|(?:cline_)?mcp_(?:settings|config)|claude_desktop_config|opencode)\.jsonc?$/,
    read: serverVariables
  },
  { path: /(?:^|\/)\.(?:gemini|qwen|claude|vscode|zed)\/settings\.json$/, read: serverVariables },
  { path: /(?:^|\/)\.codex\/config\.toml$/, read: codexVariables },
  { path: /(?:^|\/)\.npmrc$/, read: npmTokens },
  { path: /(?:^|\/)[._]netrc$/, read: netrcPasswords },
  { path: /(?:^|\/)gh\/hosts\.yml$/, read: ghTokens },
  { path: /(?:^|\/)(?:\.?docker\/config|containers\/auth)\.json$/, read: registryLogins, decoded: withLogins }
]

const formatOf = (path: string): Format | undefined => formats.find((format) => format.path.test(path))

/** Finds the reader for a file, or returns undefined if its format is unknown. The path has forward slashes. */
export const readerOf = (path: string): Read | undefined => formatOf(path)?.read

/** Finds the reader that yields every assignment of a file, even if a later assignment overrides it. */
export const assignmentsOf = (path: string): Read | undefined => formatOf(path)?.all ?? readerOf(path)

/** Replaces text of a file, including text that the format encodes. */
export const replaceText = (path: string, content: string, replace: (text: string) => string): string =>
  replace(formatOf(path)?.decoded?.(content, replace) ?? content)
