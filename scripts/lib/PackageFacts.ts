/** Extracts facts from the published packages of vendors: hosts, environment variables, and tests of the form of a key. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { succeed, temporaryDirectory } from "./Programs.ts"

export interface PackageFacts {
  readonly version: string
  readonly hosts: ReadonlyArray<string>
  readonly variables: ReadonlyArray<string>
  /** Regular expressions that the package tests a key with. */
  readonly checks: ReadonlyArray<string>
}

const matches = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map((found) => found.slice(1).find((group) => group !== undefined) ?? "")

/** A host with an API path counts even if it is the domain itself, which otherwise has only pages for people. */
const address = /\b(?:https?|wss?):\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)(\/(?:api|v\d|graphql|oauth2?|mcp)\b)?/g

const quotedHost = /["'`]([a-z0-9-]+(?:\.[a-z0-9-]+){1,4}\.[a-z]{2,})["'`]/g

const variable =
  /(?:\benv|environ|getenv|getEnv|readEnv|ENV|EnvironmentVariable)\w*(?:\.get)?\s*(?:\.|\?\.|[[(]\s*["'`])([A-Z][A-Z0-9]*_[A-Z0-9_]+)/g

const secretOrAddress = /_(?:TOKEN|API_?KEY|ACCESS_KEY|SECRET|PAT|KEY|URL|URI|HOST|ENDPOINT|API_BASE)$/

const keyName = String
  .raw`(?:\w*(?:[aA]pi|[aA]ccess|[aA]uth|[sS]ecret|[pP]ersonal|API|ACCESS|AUTH|SECRET)_?)(?:[kK]ey|[tT]oken|KEY|TOKEN)`

const prefixCheck = RegExp(String.raw`\b${keyName}\??\.starts?_?[wW]ith\(\s*["']([A-Za-z]\w*[-_][\w-]*)["']`, "g")

const patternCheck = RegExp(
  String
    .raw`/(\^[A-Za-z(\[][^/\n]{3,80})/[a-z]*\.(?:test|exec)\(\s*(?:\w+\.)*${keyName}\s*\)|\b${keyName}\??\.(?:match|search)\(\s*/(\^[^/\n]{4,80})/`,
  "g"
)

/** Removes comment lines, whose links are for people. */
const withoutComments = (text: string): string => text.replaceAll(/^\s*(?:\*|\/\/|#).*$/gm, "")

const isCode = (name: string): boolean =>
  /\.(?:[cm]?js|[cm]?tsx?|py|go|json)$/.test(name) && !/\.d\.[cm]?ts$|\.min\.js$|package(?:-lock)?\.json$/.test(name) &&
  !/(?:^|\/)(?:tests?|__tests__|examples?|docs?|node_modules|fixtures|mocks?|__mocks__)\//.test(name)

const sorted = (values: Iterable<string>): ReadonlyArray<string> => [...new Set(values)].toSorted()

const factsOf = (version: string, texts: ReadonlyArray<string>): PackageFacts => {
  const all = texts.map((text) => withoutComments(text).replaceAll(/\$\{[^{}]*\}/g, "any"))
  const found = (read: (text: string) => ReadonlyArray<string>) => sorted(all.flatMap(read))
  return {
    version,
    hosts: found((text) => [
      ...matches(text, quotedHost),
      ...[...text.matchAll(address)].map(([, host = "", api = ""]) => `${host}${api}`)
    ]),
    variables: found((text) => matches(text, variable).filter((name) => secretOrAddress.test(name))),
    checks: found((text) => [
      ...matches(text, prefixCheck).map((prefix) => `^${prefix}`),
      ...matches(text, patternCheck).filter((pattern) => !/\\s|bearer|^\^https/i.test(pattern))
    ])
  }
}

/** Downloads the newest version of a package, such as `npm:openai` or `pypi:openai`. */
export const downloadFacts = async (name: string): Promise<PackageFacts> => {
  const [registry = "", subject = ""] = name.split(/:(.*)/s)
  using temporary = temporaryDirectory("facts")
  const directory = temporary.path
  const options = { cwd: directory, env: process.env }
  if (registry === "npm") succeed("npm", ["pack", subject, "--silent"], options)
  else succeed("pip", ["download", subject, "--no-deps", "--quiet"], options)
  const [archive = ""] = await fs.readdir(directory)
  if (archive.endsWith("gz")) succeed("tar", ["-xzf", archive], options)
  else succeed("python3", ["-m", "zipfile", "-e", archive, "."], options)
  const files = (await fs.readdir(directory, { recursive: true })).filter(isCode)
  const texts = await Promise.all(files.map((file) => fs.readFile(path.join(directory, file), "utf8").catch(() => "")))
  return factsOf(/-(\d[\w.+-]*?)(?:\.tgz|\.tar\.gz|-py|-cp)/.exec(archive)?.[1] ?? "unknown", texts)
}
