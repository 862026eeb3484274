/** Compares definitions with the facts of the packages that they cite. */
import * as fs from "node:fs"
import { getDomain } from "tldts"
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { definedBaseUrls, exportNames } from "../../src/domain/definition/ProviderFields.ts"
import type { PackageFacts } from "./PackageFacts.ts"

/** Facts by package, such as `npm:openai`. */
export type Facts = Readonly<Record<string, PackageFacts>>

/** Packages that contain every API of a vendor, most of which need no definition of their own. */
const catalogs = new Set(["pypi:botocore", "pypi:google-api-python-client"])

const packagesOf = ({ sources }: ProviderDefinition): ReadonlyArray<string> =>
  [
    ...new Set(sources.flatMap(({ read }) => /^((?:npm|pypi):.+)@[^@]+$/.exec(read)?.[1] ?? []))
  ].filter((name) => !catalogs.has(name))

/** The definitions that cite each package. */
export const citations = (
  definitions: Iterable<ProviderDefinition>
): ReadonlyMap<string, ReadonlyArray<ProviderDefinition>> => {
  const pairs = [...definitions].flatMap((definition) => packagesOf(definition).map((name) => ({ name, definition })))
  return new Map(
    [...Map.groupBy(pairs, ({ name }) => name)].map((
      [name, found]
    ) => [name, found.map(({ definition }) => definition)])
  )
}

const hostOf = (address: string): string => address.replace(/^https:\/\//, "").replace(/[/:].*$/s, "")

/** The hosts that get the credential, and those of endpoints and tenants. */
const ownHosts = (definition: ProviderDefinition): ReadonlyArray<string> => {
  const { oauth } = definition.authType === "oauth2" ? definition : { oauth: {} }
  const endpoints = [...JSON.stringify(oauth).matchAll(/"(https:\/\/[^"]+)"/g)].map(([, url]) => url!)
  return [...definition.hosts, definition.apiUrl ?? "", ...definedBaseUrls(definition), ...endpoints]
    .filter((entry) => entry !== "" && !entry.startsWith("{base_url}")).map(hostOf)
}

const domainOf = (host: string): string =>
  getDomain(host.replace(/^.*[*}]\.?/, ""), { allowPrivateDomains: true, validateHostname: false }) ?? host

/** Hosts of pages for people, files and statistics, by their first label, and of the vendor's own tests. */
const forOthers =
  /^(?:docs?|www|developers?|help|support|status|blog|community|learn|cdn|static|assets|images?|legal|trust|forum|schemas?|raw|telemetry|events?|metrics|cdn-\w+)\.|(?:^|[.-])(?:dev|test|testing|staging|stage|preprod|local|example)[.-]/

/** Sites for people that may have an API below a path. */
const sites = /^(?:app|dashboard|console|platform|studio|search|my)\./

/** Names of secrets that no request carries, and addresses of other programs. */
const forOtherUses = /WEBHOOK|SIGNING|ENCRYPTION|PUBLISHABLE|_PUBLIC_|PROXY|TELEMETRY|OTEL|SENTRY_DSN|_(?:TEST|DEBUG)_/

const isForApi = (address: string, domain: string): boolean => {
  const host = hostOf(address)
  if (domainOf(host) !== domain || forOthers.test(host)) return false
  return host !== address || (host !== domain && !sites.test(host))
}

const words = ({ name, ...definition }: ProviderDefinition): ReadonlyArray<string> => [
  name.split("-")[0]!.toUpperCase(),
  ...exportNames({ name, ...definition } as ProviderDefinition).map(({ variable }) => variable.split("_")[0]!)
]

/** The facts of a package that concern the definitions that cite it: the cache has only these. */
export const relevant = (facts: PackageFacts, definitions: ReadonlyArray<ProviderDefinition>): PackageFacts => {
  const domains = new Set(definitions.flatMap((definition) => ownHosts(definition).map(domainOf)))
  const names = new Set(definitions.flatMap(words))
  return {
    ...facts,
    hosts: facts.hosts.filter((host) => [...domains].some((domain) => isForApi(host, domain))),
    variables: facts.variables.filter((variable) => names.has(variable.split("_")[0]!) && !forOtherUses.test(variable))
  }
}

const covers = (entry: string): (host: string) => boolean => {
  const source = entry.replaceAll(/[.+]/g, "\\$&").replaceAll(/\*|\{\w+\}/g, "[a-z0-9.-]+")
  const pattern = RegExp(`^${source}$`)
  return (host) => pattern.test(host)
}

const cache = `${import.meta.dirname}/../provider-facts.jsonl`

/** The cached facts, of a package on each line. */
export const readFacts = (): Facts =>
  Object.fromEntries(
    fs.readFileSync(cache, "utf8").trim().split("\n").map((line) => JSON.parse(line) as [string, PackageFacts])
  )

export const writeFacts = (facts: Facts): void =>
  fs.writeFileSync(cache, Object.entries(facts).map((entry) => `${JSON.stringify(entry)}\n`).join(""))

/** The facts that none of the definitions has, about packages that the chosen definitions cite. */
export const differences = (
  definitions: ReadonlyMap<string, ProviderDefinition>,
  chosen: ReadonlyArray<ProviderDefinition>,
  facts: Facts
): ReadonlyArray<string> => {
  const all = [...definitions.values()]
  const known = [...new Set(all.flatMap(ownHosts))].map(covers)
  const variables = new Set(
    all.flatMap((each) => [...exportNames(each).map(({ variable }) => variable), ...Object.keys(each.export.baseUrls)])
  )
  return [...citations(all)].filter(([, citing]) => citing.some((each) => chosen.includes(each))).flatMap((
    [name, citing]
  ) => {
    const found = facts[name]
    const names = citing.map((each) => each.name).join(", ")
    if (found === undefined) return [`${names}: ${name} has no facts; run npm run providers:check -- --refresh ${name}`]
    const leftOut = citing.flatMap((each) => each.leftOut)
    const { checks, hosts, variables: read } = relevant(found, citing)
    const placeholders = citing.flatMap((each) => [
      ...exportNames(each).flatMap(({ placeholder }) => placeholder ?? []),
      ...Object.values(each.placeholderByPrefix)
    ])
    return [
      ...[...new Set(hosts.map(hostOf))].filter((host) => host.includes("."))
        .filter((host) => !known.some((isKnown) => isKnown(host)) && !leftOut.some((each) => each.host === host))
        .map((host) => `host ${host}`),
      ...read.filter((each) => !variables.has(each) && !leftOut.some(({ variable }) => variable === each))
        .map((variable) => `variable ${variable}`),
      ...checks.filter((check) => {
        const isMet = (text: string) => RegExp(check).test(text)
        return !placeholders.some(isMet) && !leftOut.some((each) => each.check === check)
      }).map((check) => `placeholder for ${check}`)
    ].map((missing) => `${names}: ${missing} of ${name}@${found.version}`)
  })
}
