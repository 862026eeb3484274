/** Computes which hosts bypass a proxy: the parent proxy's exceptions, and `NO_PROXY` for the child process. */
import { runMark } from "../config/RunMark.ts"
import { matchesHost } from "../domain/definition/HostPattern.ts"
import type { ParentProxy } from "../outbound/UpstreamDialer.ts"

export const LOOPBACK = ["localhost", "127.0.0.1", "::1"]

const list = (value: string | undefined): ReadonlyArray<string> =>
  (value ?? "").split(/[\s,]+/).filter((entry) => entry !== "")

/**
 * The proxy in credsvc's own environment. A nested run uses that of the outer run, whose own would intercept its TLS.
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

/** Whether an entry of `NO_PROXY` exempts a host of a routed pattern, in the widest interpretation of any client. */
const exempts = (entry: string, pattern: string): boolean => {
  const name = entry.toLowerCase().replace(/:\d+$/, "").replace(/^\*?\./, "")
  if (name === "*" || name === "") return true
  // An entry covers itself and every name below it.
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
