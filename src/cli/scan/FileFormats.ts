/** The files that may contain keys, and how their programs read them. */
import { withStrings } from "../../domain/text/StrictJson.ts"
import { envAssignments, parseEnvFile } from "./EnvFile.ts"

type Variables = Iterable<readonly [variable: string, value: string]>

/** Reads the `env` of MCP servers from the JSON configuration of agents. Files with comments are not supported. */
const serverVariables = (content: string): Variables => {
  const found: Array<readonly [string, string]> = []
  withStrings(content, (pointer, value) => {
    const variable = /\/(?:mcpServers|servers|mcp|context_servers)\/.*\/(?:env|environment)\/(\w+)$/.exec(pointer)?.[1]
    if (variable !== undefined) found.push([variable, value])
    return undefined
  })
  return found
}

/** Lines of INI without sections: npm reads the key up to the first `=`, and removes quotes around a value. */
const npmTokens = (content: string): Variables =>
  content.split(/\r?\n/).flatMap((line) => {
    const [, value = ""] = /^[ \t]*\/\/registry\.npmjs\.org\/:_authToken[ \t]*=[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    return value === "" ? [] : [["NPM_TOKEN", value.replace(/^(["'])(.*)\1$/, "$2")] as const]
  })

/** The token of each account of github.com, as gh writes it: a plain scalar, or one in quotes. */
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

/** Reads assignments of a shell script. The shell runs a text in backticks, so such a value keeps them. */
const shellAssignments = (content: string): Variables =>
  envAssignments(content, { shell: true }).map(([variable, value]) =>
    [variable, content.includes(`\`${value}\``) ? `\`${value}\`` : value] as const
  )

const shellVariables = (content: string): Variables => new Map(shellAssignments(content))

type Read = (content: string) => Variables

/** `all` also reads the assignments that later ones override. */
const formats: ReadonlyArray<readonly [path: RegExp, read: Read, all?: Read]> = [
  [/(?:^|\/)\.env(?:\.[^/]*)?$/, parseEnvFile, envAssignments],
  [/(?:^|\/)\.envrc$/, shellVariables, shellAssignments],
  [/(?:^|\/)\.dev\.vars(?:\.[^/]*)?$/, parseEnvFile, envAssignments],
  [/(?:^|\/)(?:\.?mcp|claude_desktop_config|opencode)\.json$/, serverVariables],
  [/(?:^|\/)\.(?:gemini|qwen|claude|vscode|zed)\/settings\.json$/, serverVariables],
  [/(?:^|\/)\.npmrc$/, npmTokens],
  [/(?:^|\/)[._]netrc$/, netrcPasswords],
  [/(?:^|\/)gh\/hosts\.yml$/, ghTokens]
]

/** Finds the reader for a file, or returns undefined if its format is unknown. The path has forward slashes. */
export const readerOf = (path: string): Read | undefined => formats.find(([form]) => form.test(path))?.[1]

/** Finds the reader for a file that yields every assignment, even if a later one overrides it. */
export const assignmentsOf = (path: string): Read | undefined => {
  const found = formats.find(([form]) => form.test(path))
  return found?.[2] ?? found?.[1]
}
