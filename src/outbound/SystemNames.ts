/**
 * Resolves names as the system does, without its blocking resolver where that is possible. `getaddrinfo` waits in one of the few
 * threads that the whole process shares, so names for which no server responds would delay all others. On Linux, where names come
 * from `/etc/hosts` and DNS only, c-ares resolves names with a dot. `getaddrinfo`, which also uses search domains, resolves all
 * other names and those that DNS does not know. Lookups of the same name share one response.
 */
import type * as Dns from "node:dns"
import { builtins } from "../platform/builtins.ts"
import { errorCode } from "../platform/ErrorCode.ts"
import { textOf } from "../platform/files/ReadOrEmpty.ts"

type Addresses = ReadonlyArray<Dns.LookupAddress>

/** The ways to resolve a name. */
export interface NameSources {
  /** Whether `getaddrinfo` uses only the hosts file and DNS. */
  readonly isPlain: () => boolean
  readonly hosts: () => string
  /** Creates a resolver for each lookup, because the servers may change. */
  readonly resolver: () => Pick<Dns.promises.Resolver, "resolve4" | "resolve6">
  readonly lookup: (host: string) => Promise<Addresses>
}

/** How long to wait for addresses of the other family once one family has addresses. */
const GRACE_MILLISECONDS = 1000
const QUERY_MILLISECONDS = 2500
const QUERIES = 2

const PLAIN_SOURCES: ReadonlySet<string> = new Set(["files", "dns", "myhostname"])

/** Whether a glibc configuration (nsswitch.conf) names no sources other than the hosts file and DNS. */
export const isPlainConfiguration = (nsswitch: string): boolean => {
  const [, sources = "files dns"] = /^\s*hosts:([^#\n]*)/m.exec(nsswitch) ?? []
  return sources.trim().split(/\s+/).every((source) => PLAIN_SOURCES.has(source))
}

const SYSTEM: NameSources = {
  isPlain: () => process.platform === "linux" && isPlainConfiguration(textOf("/etc/nsswitch.conf")),
  hosts: () => textOf("/etc/hosts"),
  resolver: () => new builtins.dns.promises.Resolver({ timeout: QUERY_MILLISECONDS, tries: QUERIES }),
  lookup: (host) => builtins.dns.promises.lookup(host, { all: true })
}

const isListed = (hosts: string, host: string): boolean =>
  hosts.split("\n").some((line) => line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/).slice(1).includes(host))

/** The errors of DNS for a name that it does not know. */
const UNKNOWN: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"])

const afterGrace = (): Promise<Addresses> =>
  new Promise((resolve) => setTimeout(resolve, GRACE_MILLISECONDS, []).unref())

/** The addresses of both families, or of one family if the other takes much longer. */
const addressesByDns = async (resolver: ReturnType<NameSources["resolver"]>, host: string): Promise<Addresses> => {
  const families = [
    resolver.resolve6(host).then((found) => found.map((address) => ({ address, family: 6 }))),
    resolver.resolve4(host).then((found) => found.map((address) => ({ address, family: 4 })))
  ]
  await Promise.any(families).catch(() => {})
  const settled = await Promise.allSettled(families.map((family) => Promise.race([family, afterGrace()])))
  const found = settled.flatMap((result) => result.status === "fulfilled" ? result.value : [])
  if (found.length > 0) return found
  const errors = settled.flatMap((result) => result.status === "rejected" ? [result.reason] : [])
  throw errors.find((error) => !UNKNOWN.has(errorCode(error))) ?? errors[0]
}

/** Creates a function that resolves names. */
export const systemNames = (sources: NameSources = SYSTEM): (host: string) => Promise<Addresses> => {
  const pending = new Map<string, Promise<Addresses>>()
  const find = async (host: string): Promise<Addresses> => {
    const isSpecial = !host.includes(".") || /(?:^|\.)(?:local|localhost)$/.test(host)
    if (isSpecial || !sources.isPlain() || isListed(sources.hosts(), host)) return sources.lookup(host)
    try {
      return await addressesByDns(sources.resolver(), host)
    } catch (error) {
      if (!UNKNOWN.has(errorCode(error))) throw error
      return sources.lookup(host)
    }
  }
  return (host) => {
    let lookup = pending.get(host)
    if (lookup === undefined) {
      lookup = find(host).finally(() => pending.delete(host))
      pending.set(host, lookup)
    }
    return lookup
  }
}
