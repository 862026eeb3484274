/**
 * Creates the environment of a child process behind the proxy: configures the proxy and the certificate authority for each kind of
 * client.
 *
 * No single variable configures the proxy or the authority for all clients. The variables below cover a survey of 138 clients. Files
 * in the run directory contain certificates and settings, never a credential.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { runMark, unregisteredRun } from "../config/RunMark.ts"
import { withoutOwnSecrets } from "../config/Settings.ts"
import { PLACEHOLDER } from "../domain/injection/Placeholder.ts"
import * as TrustStore from "../outbound/TrustStore.ts"
import type { ParentProxy } from "../outbound/UpstreamDialer.ts"
import { requireAsset } from "../platform/files/PackageFiles.ts"
import { textOf } from "../platform/files/ReadOrEmpty.ts"
import { withOriginalAddresses } from "../proxy/listen/BaseUrlRoute.ts"
import { withoutOtherKeys } from "./AwsEnvironment.ts"
import * as BrowserHome from "./BrowserHome.ts"
import { overridingFiles, systemWgetrc } from "./ClientSettings.ts"
import * as JavaTrustStore from "./JavaTrustStore.ts"
import { LOOPBACK, mergeNoProxy } from "./NoProxy.ts"
import { PRELOAD_FILE, withWrappers } from "./RuntimeWrappers.ts"

/** The certificates that clients trust, in the directory of the run. */
export const BUNDLE_FILE = "bundle.pem"

/** The home directory for browsers, in the directory of the run. */
export const BROWSER_DIRECTORY = "browser"

/** A change to a runtime or browser of the child process, for clients that cannot be configured with variables. */
export type Hook = "python" | "bun" | "chromium" | "mcp"

export interface Adjustments {
  /** Whether to set `JAVA_TOOL_OPTIONS`, true by default. With that variable, every JVM prints a line when it starts. */
  readonly java?: boolean | undefined
  readonly hooks?: ReadonlyArray<Hook> | undefined
}

export interface ProxyEnvironmentInput extends Adjustments {
  readonly parent: Readonly<Record<string, string | undefined>>
  readonly proxyUrl: string
  readonly port: number
  readonly caPem: string
  readonly runDirectory: string
  /** The path of the run directory for the clients, if they see it elsewhere, such as in a container. */
  readonly mountedAt?: string | undefined
  /** Keys of the user's git configuration that git prefers to `http.proxy`. */
  readonly gitProxyKeys: ReadonlyArray<string>
  readonly placeholders: ReadonlyArray<Readonly<Record<"variable" | "value", string>> & { readonly provider?: string }>
  /** The patterns of routed hosts, including `*.suffix`, which `NO_PROXY` must not cover. */
  readonly patterns: ReadonlyArray<string>
  readonly ports: ReadonlyArray<number>
  readonly extraCaCerts: ReadonlyArray<string>
  /** The proxy of the parent process, which is passed on so that an inner run can use it. */
  readonly parentProxy?: ParentProxy | undefined
}

export interface ChildEnvironment {
  readonly variables: Readonly<Record<string, string>>
  /** Warnings for the user about settings that could not be applied, and their effects. */
  readonly notices: ReadonlyArray<string>
}

const PROXY_VARIABLES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "http_proxy",
  "https_proxy",
  // aiohttp derives the variable's name from the scheme of a WebSocket URL.
  "WS_PROXY",
  "WSS_PROXY",
  "ws_proxy",
  "wss_proxy",
  // These override a proxy in the user's .npmrc, pip.conf and .cargo/config.toml, which would override HTTPS_PROXY.
  "npm_config_proxy",
  "npm_config_https_proxy",
  "PIP_PROXY",
  "CARGO_HTTP_PROXY"
]

/** The variables that name the certificates that clients trust. Each may replace a client's own list, so each names the complete bundle. */
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
  "NIX_SSL_CERT_FILE",
  "SYSTEM_CERTIFICATE_PATH",
  "HEX_CACERTS_PATH"
]

/** Container registries that issue tokens. For such a token, a program gets a placeholder. */
const TOKEN_REGISTRIES = new Set(["docker-hub", "ghcr", "gitlab-registry"])

/** Variables that some clients prefer to `BUNDLE_VARIABLES`. They are unset; certificates that they name are kept in the bundle. */
const OVERRIDING_BUNDLES = ["COMPOSER_CAFILE", "HTTPS_CA_FILE", "YARN_HTTPS_CA_FILE_PATH"]

const UNSET: ReadonlySet<string> = new Set([
  ...OVERRIDING_BUNDLES,
  "ALL_PROXY", // some clients fail on a socks:// URL in it
  "all_proxy",
  "grpc_proxy",
  "no_grpc_proxy",
  "YARN_HTTP_PROXY",
  "YARN_HTTPS_PROXY",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "CREDSVC_BASE_URL",
  "CREDSVC_BROWSER_HOME",
  "CREDSVC_PARENT_PROXY",
  "CREDSVC_PARENT_NO_PROXY"
])

/** More variables to unset: npm reads its variables in any spelling; gcloud combines several variables into its proxy setting. */
const UNSET_FAMILIES = /^(?:npm_config_(?:https?[-_]proxy|proxy|noproxy|ca|cafile|strict[-_]ssl)|CLOUDSDK_PROXY_\w+)$/i

/** The environment for a command that cannot reach the user's own proxy, whose address may contain a password. */
export const withoutProxies = (parent: ProxyEnvironmentInput["parent"]): ProxyEnvironmentInput["parent"] => {
  const isOther = (name: string): boolean => !/^(?:all|ftp|grpc|rsync|yarn_https?)_proxy$|^cloudsdk_proxy_/i.test(name)
  return Object.fromEntries(Object.entries(parent).filter(([name]) => !PROXY_VARIABLES.includes(name) && isOther(name)))
}

const withoutOverrides = (parent: ProxyEnvironmentInput["parent"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(withoutOwnSecrets(parent)).filter(([name]) => !UNSET.has(name) && !UNSET_FAMILIES.test(name))
  )

const quoteOption = (text: string): string => /[\s"\\]/.test(text) ? `"${text.replace(/(["\\])/g, "\\$1")}"` : text

const FIREFOX_POLICIES = "PLAYWRIGHT_FIREFOX_POLICIES_JSON"

/** Adds an authority to the policies of Firefox under Playwright, which has no variable for certificates. */
const firefoxPolicies = (file: string | undefined, authority: string): string => {
  let policies
  try {
    ;({ policies } = JSON.parse(textOf(file ?? "")))
  } catch {
  }
  const { Certificates, ...others } = policies ?? {}
  const { Install, ...more } = Certificates ?? {}
  const install = [...(Array.isArray(Install) ? Install : []), authority]
  return JSON.stringify({ policies: { ...others, Certificates: { ...more, Install: install } } })
}

const derOf = (pem: string): Uint8Array => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64")

/** The options for JVMs, which read none of the other variables and have their own format for host lists. */
const javaOptions = (port: number, store: string): string => {
  const forms: Readonly<Record<string, string>> = { "127.0.0.1": "127.*", "::1": "[::1]" }
  const exceptions = LOOPBACK.map((host) => forms[host] ?? host).join("|")
  return [
    ...["http", "https"].flatMap((scheme) => [`-D${scheme}.proxyHost=127.0.0.1`, `-D${scheme}.proxyPort=${port}`]),
    `-Dhttp.nonProxyHosts=${exceptions}`,
    quoteOption(`-Djavax.net.ssl.trustStore=${store}`)
  ].join(" ")
}

/** The options that an outer run has added to `JAVA_TOOL_OPTIONS`. They are removed, because every JVM prints the variable. */
const OUTER_JAVA_OPTIONS =
  / ?-Dhttp\.proxyHost=127\.0\.0\.1 -Dhttp\.proxyPort=\d+ \S+ \S+ \S+ -Djavax\.net\.ssl\.trustStore=\S*\/credsvc-run-[\w-]+\/truststore\.jks/g

/** The environment while it is created. */
interface Draft {
  readonly input: ProxyEnvironmentInput
  /** The run directory as the clients see it. */
  readonly mounted: string
  readonly parent: ProxyEnvironmentInput["parent"]
  readonly variables: Record<string, string>
  readonly notices: Array<string>
}

/** Writes a file into the directory of the run. Returns the path for clients. */
const write = ({ input, mounted }: Draft, name: string, content: string | Uint8Array): string => {
  fs.writeFileSync(path.join(input.runDirectory, name), content, { mode: 0o600 })
  return path.join(mounted, name)
}

const copy = (draft: Draft, asset: string, name: string): string =>
  write(draft, name, requireAsset(asset, import.meta.url))

const append = ({ variables }: Draft, name: string, text: string): void => {
  variables[name] = [variables[name] ?? "", text].filter((part) => part !== "").join(" ")
}

/** Returns the certificates that clients trust, and the file that contains them. */
const setCertificates = (draft: Draft): { readonly bundle: string; readonly bundled: ReadonlyArray<string> } => {
  const { input, parent, variables } = draft
  // Clients replace their own list with this file, so it includes the certificates that the user's variables name.
  const named = [...new Set([...BUNDLE_VARIABLES, ...OVERRIDING_BUNDLES].flatMap((name) => parent[name] || []))]
  const { certificates } = TrustStore.rootsOf([...named, ...input.extraCaCerts])
  const system = TrustStore.systemRoots()
  const bundled = TrustStore.withoutDuplicates([
    ...certificates,
    ...(system.length > 0 ? system : TrustStore.nodeRoots()),
    ...TrustStore.pemBlocks(input.caPem)
  ])
  const bundle = write(draft, BUNDLE_FILE, bundled.join(""))
  for (const name of BUNDLE_VARIABLES) variables[name] = bundle
  const authority = write(draft, "ca.pem", input.caPem)
  variables["CREDSVC_CA_FILE"] = authority
  variables[FIREFOX_POLICIES] = write(draft, "firefox.json", firefoxPolicies(parent[FIREFOX_POLICIES], authority))
  return { bundle, bundled }
}

const setProxy = ({ input, notices, parent, variables }: Draft): void => {
  for (const name of PROXY_VARIABLES) variables[name] = input.proxyUrl
  const noProxy = mergeNoProxy(parent, input.patterns)
  variables["NO_PROXY"] = variables["no_proxy"] = noProxy.value
  if (noProxy.dropped.length > 0) {
    notices.push(`NO_PROXY covers hosts that need the proxy; ignored in this run: ${noProxy.dropped.join(", ")}`)
  }
  if (input.parentProxy !== undefined) {
    variables["CREDSVC_PARENT_PROXY"] = input.parentProxy.url
    variables["CREDSVC_PARENT_NO_PROXY"] = input.parentProxy.noProxy.join(",")
  }
}

/** Sets the variables of programs that need more than the proxy and the certificates. */
const setPrograms = (draft: Draft, bundle: string): void => {
  const { input, mounted, notices, parent, variables } = draft
  // Otherwise docker build would request a token here, get a placeholder, and send it to the engine, which is outside of the run.
  if (input.placeholders.some(({ provider = "" }) => TOKEN_REGISTRIES.has(provider))) {
    variables["BUILDKIT_NO_CLIENT_TOKEN"] = "1"
  }

  variables["NODE_USE_ENV_PROXY"] = "1"
  write(draft, "credsvc-ports.json", JSON.stringify(input.ports))
  append(draft, "NODE_OPTIONS", `--require=${quoteOption(copy(draft, "node-preload.cjs", PRELOAD_FILE))}`)
  variables["PERL_LWP_ENV_PROXY"] = "1"
  // litellm passes this setting on to aiohttp.
  variables["AIOHTTP_TRUST_ENV"] = "True"

  // git prefers its configuration files to the proxy variables, and GIT_CONFIG_* variables to its files. Always set, as for npm
  // and pip above: every repository that the child process visits may configure a proxy.
  let count = /^\d+$/.test(variables["GIT_CONFIG_COUNT"] ?? "") ? Number(variables["GIT_CONFIG_COUNT"]) : 0
  for (const key of ["http.proxy", ...input.gitProxyKeys]) {
    variables[`GIT_CONFIG_KEY_${count}`] = key
    variables[`GIT_CONFIG_VALUE_${count}`] = input.proxyUrl
    count++
  }
  variables["GIT_CONFIG_COUNT"] = String(count)
  notices.push(...overridingFiles(parent))

  const wgetrc = `${systemWgetrc(parent["SYSTEM_WGETRC"])}\nca_certificate = ${bundle}\n`
  variables["SYSTEM_WGETRC"] = write(draft, "wgetrc", wgetrc)

  fs.mkdirSync(path.join(input.runDirectory, "php"), { recursive: true, mode: 0o700 })
  write(draft, path.join("php", "credsvc.ini"), `curl.cainfo=${bundle}\nopenssl.cafile=${bundle}\n`)
  // An empty first entry stands for PHP's default directory.
  variables["PHP_INI_SCAN_DIR"] = `${parent["PHP_INI_SCAN_DIR"] ?? ""}:${path.join(mounted, "php")}`
}

const setJava = (draft: Draft, bundled: ReadonlyArray<string>): void => {
  const { input, notices, variables } = draft
  const before = (variables["JAVA_TOOL_OPTIONS"] ?? "").replace(OUTER_JAVA_OPTIONS, "")
  variables["JAVA_TOOL_OPTIONS"] = before
  const store = write(draft, "truststore.jks", JavaTrustStore.make(bundled.map(derOf)))
  append(draft, "JAVA_TOOL_OPTIONS", javaOptions(input.port, store))
  if (before.includes("-Djavax.net.ssl.trustStore")) {
    append(draft, "JAVA_TOOL_OPTIONS", JavaTrustStore.OPTIONS)
    notices.push("the run replaces the trust store that JAVA_TOOL_OPTIONS names")
  }
}

/** Sets up the hooks other than `mcp`. */
const setHooks = (draft: Draft, hooks: ReadonlyArray<Hook>): void => {
  const { input: { caPem, runDirectory }, notices, parent, variables } = draft
  if (hooks.includes("python")) {
    const directory = path.join(runDirectory, "python")
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
    copy(draft, "sitecustomize.py", path.join("python", "sitecustomize.py"))
    variables["PYTHONPATH"] = [directory, variables["PYTHONPATH"]].filter(Boolean).join(path.delimiter)
  }
  if (hooks.includes("bun")) {
    append(draft, "BUN_OPTIONS", `--preload=${quoteOption(copy(draft, "bun-preload.cjs", "credsvc-bun.cjs"))}`)
  }
  if (!hooks.includes("chromium")) return
  if (process.platform !== "linux") {
    notices.push("--hook chromium has no effect here: Chromium reads authorities from a home directory on Linux only")
    return
  }
  const directory = path.join(runDirectory, BROWSER_DIRECTORY)
  BrowserHome.make(directory, parent["HOME"] ?? "", derOf(caPem))
  variables["CREDSVC_BROWSER_HOME"] = directory
}

/** Makes the variables of the run also reach MCP servers, whose clients clean the environment. */
const setMcpWrappers = ({ input, notices, parent, variables }: Draft, names: Iterable<string>): void => {
  // Without its credential, which no file contains, the proxy admits only processes of the user, and only on Linux.
  if (process.platform !== "linux") return void notices.push("--hook mcp has no effect here: it needs Linux")
  const { host } = new URL(input.proxyUrl)
  const settings = [...names].map((name) =>
    [name, variables[name]!.replaceAll(input.proxyUrl, `http://${host}`)] as const
  )
  try {
    variables["PATH"] = withWrappers(input.runDirectory, parent, settings)
  } catch (error) {
    notices.push(`MCP servers with a cleaned environment get no settings of this run: ${(error as Error).message}`)
  }
}

export const make = (input: ProxyEnvironmentInput): ChildEnvironment => {
  const { hooks = [], placeholders } = input
  const parent = withOriginalAddresses(input.parent)
  const variables = withoutOverrides(parent)
  const notices: Array<string> = []
  const draft: Draft = { input, mounted: input.mountedAt ?? input.runDirectory, parent, variables, notices }
  const { bundle, bundled } = setCertificates(draft)
  setProxy(draft)
  variables[runMark] = unregisteredRun
  setPrograms(draft, bundle)
  if (input.java !== false) setJava(draft, bundled)
  setHooks(draft, hooks)
  // A provider definition cannot override variables that the run itself sets.
  const arranged = new Set(Object.keys(variables).filter((name) => variables[name] !== parent[name]))
  if (hooks.includes("mcp")) setMcpWrappers(draft, arranged)
  for (const { value, variable } of placeholders) {
    if (!arranged.has(variable)) variables[variable] = value === "" ? PLACEHOLDER : value
  }
  notices.push(...withoutOtherKeys(variables, placeholders))
  return { variables, notices }
}
