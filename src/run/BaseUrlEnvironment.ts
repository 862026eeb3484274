/** Creates the environment of a child process that uses base URLs instead of a proxy and a certificate authority. */
import { runMark, unregisteredRun } from "../config/RunMark.ts"
import { withoutOwnSecrets } from "../config/Settings.ts"
import type { ProxyPlaceholder } from "../domain/wire/ProxyRoutes.ts"
import { parseAbsoluteTarget } from "../outbound/Authority.ts"
import type { ParentProxy } from "../outbound/UpstreamDialer.ts"
import { withOriginalAddresses } from "../proxy/listen/BaseUrlRoute.ts"
import { withoutOtherKeys } from "./AwsEnvironment.ts"
import { LOOPBACK } from "./NoProxy.ts"
import type { ChildEnvironment } from "./ProxyEnvironment.ts"

interface BaseUrlEnvironmentInput {
  readonly parent: Readonly<Record<string, string | undefined>>
  /** The base URL of the reverse route, without a trailing slash. */
  readonly base: string
  readonly placeholders: ReadonlyArray<Pick<ProxyPlaceholder, "variable" | "value">>
  /** Variables from which SDKs read the base URL of a provider, with the provider's own URL. */
  readonly baseUrls: ReadonlyArray<Pick<ProxyPlaceholder, "variable" | "value">>
  readonly isRouted: (host: string, port: number) => boolean
  readonly parentProxy?: ParentProxy | undefined
}

const PROXIES = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
const OWN: ReadonlySet<string> = new Set(["CREDSVC_PARENT_PROXY", "CREDSVC_PARENT_NO_PROXY"])

/** A URL for display, without userinfo, path or query, because these may contain a secret. */
const shown = (address: string): string => {
  const { host, protocol } = URL.canParse(address) ? new URL(address) : { host: "", protocol: "" }
  return host === "" ? "another address" : `${protocol}//${host}`
}

export const make = (input: BaseUrlEnvironmentInput): ChildEnvironment => {
  const { base, parentProxy } = input
  const parent = withOriginalAddresses(input.parent)
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(withoutOwnSecrets(parent))) {
    if (!OWN.has(name)) variables[name] = value
  }

  /** Converts the URL of a routed host, such as a customer's URL from a definition, to a URL below `base`. Returns others unchanged. */
  const through = (address: string): string => {
    const target = parseAbsoluteTarget(address)
    if (target === undefined || target.scheme !== "https") return address
    const { authority } = target
    return authority.kind === "name" && input.isRouted(authority.host, authority.port)
      ? base + address.slice("https:/".length)
      : address
  }
  const notices: Array<string> = []
  for (const { value, variable } of input.placeholders) variables[variable] = through(value)
  notices.push(...withoutOtherKeys(variables, input.placeholders))
  for (const { value, variable } of input.baseUrls) {
    const before = parent[variable] ?? ""
    if (before !== "" && before !== value) {
      notices.push(
        `${variable} pointed to ${shown(before)}; in this run it points to ${shown(value)}, with your credential`
      )
    }
    variables[variable] = through(value)
  }
  variables["CREDSVC_BASE_URL"] = base

  // Otherwise clients would send requests for the loopback URL to the inherited proxy.
  if (PROXIES.some((name) => (parent[name] ?? "") !== "")) {
    const kept = (parent["no_proxy"] || parent["NO_PROXY"] || "").split(/[\s,]+/).filter((entry) => entry !== "")
    variables["NO_PROXY"] = variables["no_proxy"] = [...new Set([...LOOPBACK, ...kept])].join(",")
  }
  variables[runMark] = unregisteredRun
  if (parentProxy !== undefined) {
    variables["CREDSVC_PARENT_PROXY"] = parentProxy.url
    variables["CREDSVC_PARENT_NO_PROXY"] = parentProxy.noProxy.join(",")
  }
  return { variables, notices }
}
