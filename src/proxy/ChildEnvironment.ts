/**
 * The environment of a child behind the proxy: how each kind of client learns where the proxy is and whom to trust.
 *
 * There is no one variable for either. The list below is what a survey of 138 clients needed; a comment says who, where
 * that is not obvious. Files go into the run directory and hold certificates and settings, never a credential.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { runMark } from "../config/RunMark.ts"
import * as TrustStore from "../outbound/TrustStore.ts"
import type { ParentProxy } from "../outbound/UpstreamDialer.ts"
import { PLACEHOLDER } from "./HeaderInjection.ts"
import * as JavaTrustStore from "./JavaTrustStore.ts"
import { nodePreload } from "./preload/NodePreload.ts"
import { coveredBy } from "./RouteTable.ts"

export interface Adjustments {
  /** Leaves `JAVA_TOOL_OPTIONS` alone: with it every JVM prints a line on stderr when it starts. */
  readonly java?: boolean | undefined
}

export interface ChildEnvironmentInput extends Adjustments {
  readonly parent: Readonly<Record<string, string | undefined>>
  readonly proxyUrl: string
  readonly port: number
  readonly caPem: string
  readonly runDirectory: string
  readonly placeholders: ReadonlyArray<{ readonly variable: string; readonly value: string }>
  /** Routed hosts, `*.suffix` included: what `NO_PROXY` must not cover. */
  readonly patterns: ReadonlyArray<string>
  readonly extraCaCerts: ReadonlyArray<string>
  /** Handed on, so that a run inside this run finds the way out of the network too. */
  readonly parentProxy?: ParentProxy | undefined
}

export interface ChildEnvironment {
  readonly variables: Readonly<Record<string, string>>
  /** Entries of the parent's `NO_PROXY` that would have turned the proxy off for a routed host. */
  readonly droppedNoProxy: ReadonlyArray<string>
  /** Sentences for a person: what could not be arranged, and what it means. */
  readonly notices: ReadonlyArray<string>
}

const PROXY_VARIABLES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "http_proxy",
  "https_proxy",
  // aiohttp looks up the scheme of a WebSocket.
  "WS_PROXY",
  "WSS_PROXY",
  "ws_proxy",
  "wss_proxy",
  // These beat a proxy in the user's .npmrc and pip.conf, which would beat HTTPS_PROXY.
  "npm_config_proxy",
  "npm_config_https_proxy",
  "PIP_PROXY"
]

/** All of these replace the client's own list (or might), so each names the whole bundle. */
const BUNDLE_VARIABLES = [
  "SSL_CERT_FILE",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "NODE_EXTRA_CA_CERTS",
  "npm_config_cafile",
  "CARGO_HTTP_CAINFO",
  "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
  "PERL_LWP_SSL_CA_FILE",
  "HTTPLIB2_CA_CERTS",
  "AWS_CA_BUNDLE",
  "PIP_CERT",
  "DENO_CERT",
  "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
  "WEBSOCKET_CLIENT_CA_BUNDLE",
  "CODEX_CA_CERTIFICATE",
  "NIX_SSL_CERT_FILE"
]

const UNSET: ReadonlySet<string> = new Set([
  "ALL_PROXY", // some clients die of a socks:// address in it
  "all_proxy",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "npm_config_noproxy",
  "npm_config_strict_ssl",
  "CREDSVC_MASTER_KEY",
  "CREDSVC_PARENT_PROXY",
  "CREDSVC_PARENT_NO_PROXY"
])

const LOOPBACK = ["localhost", "127.0.0.1", "::1"]

const list = (value: string | undefined): ReadonlyArray<string> =>
  (value ?? "").split(/[\s,]+/).filter((entry) => entry !== "")

/**
 * The proxy that our own environment names, to be used for what leaves this machine. Inside another run that is the
 * outer run's way out rather than the outer run's proxy, which would try to intercept what we have encrypted (D14).
 */
export const parentProxy = (parent: Readonly<Record<string, string | undefined>>): ParentProxy | undefined => {
  const nested = parent[runMark] !== undefined
  const url = nested
    ? parent["CREDSVC_PARENT_PROXY"]
    : parent["https_proxy"] || parent["HTTPS_PROXY"] || parent["all_proxy"] || parent["ALL_PROXY"]
  if (url === undefined || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined
  const noProxy = nested ? parent["CREDSVC_PARENT_NO_PROXY"] : parent["no_proxy"] || parent["NO_PROXY"]
  return { url, noProxy: list(noProxy) }
}

/** Whether an entry of `NO_PROXY` would exempt some host of a routed pattern, by the widest reading any client has. */
const exempts = (entry: string, pattern: string): boolean => {
  const name = entry.toLowerCase().replace(/:\d+$/, "").replace(/^\*?\./, "")
  if (name === "*" || name === "") return true
  const routed = pattern.replace(/^\*\./, "")
  return routed === name || routed.endsWith("." + name) || coveredBy(pattern, name)
}

export const mergeNoProxy = (
  parent: Readonly<Record<string, string | undefined>>,
  patterns: ReadonlyArray<string>
): { readonly value: string; readonly dropped: ReadonlyArray<string> } => {
  const kept = new Set(LOOPBACK)
  const dropped = new Set<string>()
  for (const entry of [...list(parent["NO_PROXY"]), ...list(parent["no_proxy"])]) {
    if (patterns.some((pattern) => exempts(entry, pattern))) dropped.add(entry)
    else kept.add(entry)
  }
  return { value: [...kept].join(","), dropped: [...dropped] }
}

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

/** Files of the user that beat the environment, and that nothing given to the child can beat in turn. */
export const overridingFiles = (home: string | undefined): ReadonlyArray<string> => {
  if (home === undefined || home === "") return []
  const found: Array<string> = []
  const warn = (name: string, pattern: RegExp, client: string): void => {
    const setting = pattern.exec(readText(path.join(home, name)))?.[1]
    if (setting !== undefined) found.push(`~/${name} sets ${setting}, which ${client} uses in place of this run's`)
  }
  warn(".curlrc", /^[ \t]*-{0,2}(proxy|cacert|noproxy|capath)\b/m, "curl")
  warn(".wgetrc", /^[ \t]*(https?_proxy|ca_certificate|no_proxy)[ \t]*=/m, "wget")
  return found
}

const quoted = (text: string): string => /[\s"\\]/.test(text) ? `"${text.replace(/(["\\])/g, "\\$1")}"` : text

const derOf = (pem: string): Uint8Array => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64")

/** Writes the files, and answers with the variables that point to them. */
export const make = (input: ChildEnvironmentInput): ChildEnvironment => {
  const { parent, patterns, proxyUrl, runDirectory } = input
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && !UNSET.has(name)) variables[name] = value
  }
  const notices: Array<string> = []
  const write = (name: string, content: string | Uint8Array): string => {
    const file = path.join(runDirectory, name)
    fs.writeFileSync(file, content, { mode: 0o600 })
    return file
  }
  const append = (name: string, separator: string, text: string): void => {
    const before = variables[name]
    variables[name] = before === undefined || before === "" ? text : before + separator + text
  }

  // What the user trusted by a variable stays trusted; clients replace their list by this file.
  const named = [...new Set(BUNDLE_VARIABLES.flatMap((name) => parent[name] ?? []))].filter((file) => file !== "")
  const { certificates } = TrustStore.rootsOf([...named, ...input.extraCaCerts])
  const system = TrustStore.systemRoots()
  const bundled = TrustStore.distinct([
    ...certificates,
    ...(system.length > 0 ? system : TrustStore.nodeRoots()),
    ...TrustStore.blocks(input.caPem)
  ])
  const bundle = write("bundle.pem", bundled.join(""))
  for (const name of BUNDLE_VARIABLES) variables[name] = bundle
  variables["CREDSVC_CA_FILE"] = write("ca.pem", input.caPem)

  for (const name of PROXY_VARIABLES) variables[name] = proxyUrl
  const noProxy = mergeNoProxy(parent, patterns)
  variables["NO_PROXY"] = noProxy.value
  variables["no_proxy"] = noProxy.value
  if (noProxy.dropped.length > 0) {
    notices.push(
      `NO_PROXY covered hosts that credsvc injects for; left out for this run: ${noProxy.dropped.join(", ")}`
    )
  }
  variables[runMark] = `http://127.0.0.1:${input.port}`
  if (input.parentProxy !== undefined) {
    variables["CREDSVC_PARENT_PROXY"] = input.parentProxy.url
    variables["CREDSVC_PARENT_NO_PROXY"] = input.parentProxy.noProxy.join(",")
  }

  variables["NODE_USE_ENV_PROXY"] = "1"
  append("NODE_OPTIONS", " ", `--require=${quoted(write("credsvc-preload.cjs", nodePreload))}`)
  variables["PERL_LWP_ENV_PROXY"] = "1"

  // git asks its configuration before the environment; what stands in the environment's configuration wins.
  const count = /^\d+$/.test(variables["GIT_CONFIG_COUNT"] ?? "") ? Number(variables["GIT_CONFIG_COUNT"]) : 0
  variables[`GIT_CONFIG_KEY_${count}`] = "http.proxy"
  variables[`GIT_CONFIG_VALUE_${count}`] = proxyUrl
  let added = 1
  for (const key of gitProxyKeys(parent["HOME"], parent["XDG_CONFIG_HOME"])) {
    variables[`GIT_CONFIG_KEY_${count + added}`] = key
    variables[`GIT_CONFIG_VALUE_${count + added}`] = proxyUrl
    added++
  }
  variables["GIT_CONFIG_COUNT"] = String(count + added)
  notices.push(...overridingFiles(parent["HOME"]))

  const oldWgetrc = parent["SYSTEM_WGETRC"] ?? "/etc/wgetrc"
  let wgetrc = ""
  try {
    wgetrc = fs.readFileSync(oldWgetrc, "utf8")
  } catch {
    // Most machines have none.
  }
  variables["SYSTEM_WGETRC"] = write("wgetrc", `${wgetrc}\nca_certificate = ${bundle}\n`)

  const php = path.join(runDirectory, "php")
  fs.mkdirSync(php, { recursive: true, mode: 0o700 })
  write(path.join("php", "credsvc.ini"), `curl.cainfo=${bundle}\nopenssl.cafile=${bundle}\n`)
  // An empty first entry is PHP's own directory.
  variables["PHP_INI_SCAN_DIR"] = `${parent["PHP_INI_SCAN_DIR"] ?? ""}:${php}`

  if (input.java !== false) {
    const store = write("truststore.jks", JavaTrustStore.make(bundled.map(derOf)))
    const exceptions = LOOPBACK.map((host) => host === "127.0.0.1" ? "127.*" : host === "::1" ? "[::1]" : host).join(
      "|"
    )
    append(
      "JAVA_TOOL_OPTIONS",
      " ",
      [
        "-Dhttp.proxyHost=127.0.0.1",
        `-Dhttp.proxyPort=${input.port}`,
        "-Dhttps.proxyHost=127.0.0.1",
        `-Dhttps.proxyPort=${input.port}`,
        `-Dhttp.nonProxyHosts=${exceptions}`,
        quoted(`-Djavax.net.ssl.trustStore=${store}`)
      ].join(" ")
    )
  }

  // A definition has no say in what the run itself arranges.
  const arranged = new Set(Object.keys(variables).filter((name) => variables[name] !== parent[name]))
  for (const { value, variable } of input.placeholders) {
    if (!arranged.has(variable)) variables[variable] = value === "" ? PLACEHOLDER : value
  }

  return { variables, droppedNoProxy: noProxy.dropped, notices }
}
