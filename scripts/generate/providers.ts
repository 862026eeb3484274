/**
 * Generates docs/providers.md: every bundled provider with its flows, the input of a login, and the hosts that may
 * receive the credential.
 */
import * as Result from "effect/Result"
import { pathToFileURL } from "node:url"
import {
  acceptsCustomDomain,
  credentialFields,
  definedBaseUrls,
  type FlowKind,
  type OAuthProvider,
  type ProviderDefinition
} from "../../src/domain/Provider.ts"
import { resolveBaseUrl } from "../../src/domain/Route.ts"
import { readJsonFiles } from "../../src/platform/PackageFiles.ts"
import { decodeFiles } from "../../src/providers/BundledProviders.ts"

const head = `# Bundled providers

Written by \`npm run generate\` from \`providers/*.json\`. A credential goes to the hosts below and nowhere else; \`*\` is exactly one
label, and what follows a slash is a path below which alone it is sent. \`credsvc inspect <provider>\` shows a definition in full.

An *OAuth app* is made once at the provider, on the page that is linked; a login asks for its client id, and for its secret
where there is one. MCP servers need none: credsvc registers itself there. \`--base-url\` names the address of your account where each
customer has one.

*Sources* are the documents and packages that a definition was checked against, and when.

Providers that share a host are alternatives: connect the one that you use. What is known about but not among these is in
[providers-left-out.md](providers-left-out.md).
`

const linked = (text: string, url: string | undefined): string => url === undefined ? text : `[${text}](${url})`

const oauthNeeds = ({ credentialsUrl, flows, oauth }: OAuthProvider): string => {
  const app = linked(
    oauth.clientAuthentication === "none" ? "OAuth app, without a secret" : "OAuth app",
    credentialsUrl
  )
  if (oauth.clientId !== undefined || flows.every((flow) => flow === "dcr_pkce")) return "nothing"
  return (flows as ReadonlyArray<FlowKind>).includes("dcr_pkce") ? `${app}, or nothing with --flow dcr_pkce` : app
}

const needs = (definition: ProviderDefinition): string => {
  const bases = definedBaseUrls(definition)
  // Some providers return the tenant's URL in the token response.
  const isTenant = Result.isFailure(resolveBaseUrl(definition))
  const credential = definition.authType === "oauth2"
    ? oauthNeeds(definition)
    : linked(credentialFields(definition).map(({ label }) => label).join(", "), definition.credentialsUrl)
  return isTenant
    ? `${credential}; ${
      (bases.length === 0 ? ["https://…"] : bases).map((base) => `\`--base-url ${base}\``).join(" or ")
    }`
    : credential
}

const hosts = (definition: ProviderDefinition): string => {
  const bases = definedBaseUrls(definition).map((base) => base.replace("https://", ""))
  if (bases.length === 0 || acceptsCustomDomain(definition)) bases.push("your server")
  return definition.hosts.flatMap((host) =>
    host.startsWith("{base_url}") ? bases.map((base) => host.replace("{base_url}", base)) : [host]
  ).map((host) => `\`${host}\``).join(", ")
}

/** The title of a source: the host of an address, with the repository on GitHub, or the package. */
const titleOf = (address: string): string => {
  const { hostname, pathname } = new URL(address)
  return hostname === "github.com" ? pathname.split("/", 3).slice(1).join("/") : hostname.replace(/^www\./, "")
}

const sources = ({ sources: read }: ProviderDefinition): string =>
  read.map(({ date, read: source }) =>
    `${source.startsWith("https:") ? `[${titleOf(source)}](${source})` : `\`${source}\``} (${date})`
  ).join("<br>")

const cell = (text: string): string => text.replaceAll("|", "\\|")

const row = (definition: ProviderDefinition): string => {
  const { alternatives, displayName, docsUrl, flows, name, notes } = definition
  const others = alternatives.length > 0
    ? [`Alternative: ${alternatives.map((other) => `\`${other}\``).join(", ")}.`]
    : []
  const cells = [
    `\`${name}\``,
    linked(displayName, docsUrl),
    flows.join(", "),
    [needs(definition), ...notes, ...others].join("<br>"),
    hosts(definition),
    sources(definition)
  ]
  return `| ${cells.map(cell).join(" | ")} |`
}

export const providers = (): string => {
  const { definitions } = decodeFiles(readJsonFiles(pathToFileURL(`${import.meta.dirname}/../../providers/`)))
  const all = [...definitions.values()].toSorted((left, right) => left.name < right.name ? -1 : 1)
  return [
    head,
    "| Name | Provider | Flows | What you need | Hosts | Sources |",
    "|---|---|---|---|---|---|",
    ...all.map(row),
    "",
    `${all.length} providers.`,
    ""
  ].join("\n")
}
