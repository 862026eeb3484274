/** Computes which hosts bypass a proxy: the parent proxy's exceptions, and `NO_PROXY` for the child process. */
import * as Effect from "effect/Effect"
import { PROXY_FORMS, proxyUrl, uselessEntry } from "../config/ProxyAddress.ts"
import { runMark } from "../config/RunMark.ts"
import { matchesHost } from "../domain/definition/HostPattern.ts"
import type { InvalidRequestError } from "../domain/Errors.ts"
import type { ParentProxy } from "../outbound/UpstreamDialer.ts"

export const LOOPBACK = ["localhost", "127.0.0.1", "::1"]

const list = (value: string | undefined): ReadonlyArray<string> =>
  (value ?? "").split(/[\s,]+/).filter((entry) => entry !== "")

const invalid = (variable: string, problem: string): Effect.Effect<never, InvalidRequestError> =>
  Effect.flatMap(
    Effect.promise(() => import("../domain/Errors.ts")),
    (errors) => errors.InvalidRequestError.at(variable, problem)
  )

/**
 * Reads the proxy from credsvc's own environment. An inner run uses the proxy that the outer run has read, because the proxy of the
 * outer run itself would intercept the TLS connections of the inner run. A failure names the variable that cannot be used.
 */
export const parentProxy = (
  parent: Readonly<Record<string, string | undefined>>
): Effect.Effect<ParentProxy | undefined, InvalidRequestError> => {
  const nested = parent[runMark] !== undefined
  const first = (...names: ReadonlyArray<string>): string => names.find((name) => (parent[name] ?? "") !== "") ?? ""
  const variable = nested ? "CREDSVC_PARENT_PROXY" : first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
  const value = parent[variable] ?? ""
  if (value === "") return Effect.succeed(undefined)
  const url = proxyUrl(value)
  if (url === undefined) {
    return invalid(variable, `names no proxy that credsvc can use: set it to ${PROXY_FORMS}, or unset it`)
  }
  const exceptions = nested ? "CREDSVC_PARENT_NO_PROXY" : first("no_proxy", "NO_PROXY")
  const noProxy = list(parent[exceptions])
  const useless = uselessEntry(noProxy)
  return useless === undefined
    ? Effect.succeed({ url: value, noProxy })
    : invalid(exceptions, `"${useless}" is not a range such as 10.0.0.0/8: correct or remove it`)
}

/** Whether an entry of `NO_PROXY` exempts a host of a routed pattern, in the widest interpretation of any client. */
const exempts = (entry: string, pattern: string): boolean => {
  const name = entry.toLowerCase().replace(/:\d+$/, "").replace(/^\*?\./, "")
  if (name === "*" || name === "") return true
  // An entry covers its own name and every name below it.
  const labels = pattern.split(".")
  const count = name.split(".").length
  return count <= labels.length && matchesHost(labels.slice(-count).join("."), name)
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
