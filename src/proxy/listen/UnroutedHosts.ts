/** Checks whether a client may reach a host without a route. Such requests get no credential. */
import { type Authority, formatAuthority } from "../../outbound/Authority.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import type { RunContext } from "../exchange/RunContext.ts"

/** The port of a URL of the daemon. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === "https:" ? 443 : 80))

/** Why a host without a route cannot be reached; undefined if it can. */
export const unroutedRefusal = (
  { client, daemonUrl, rules, unmatched }: Pick<RunContext, "client" | "daemonUrl" | "rules" | "unmatched">,
  authority: Authority
): Refusal | undefined => {
  const { host, port } = authority
  if (daemonUrl !== undefined && daemonUrl.hostname.toLowerCase() === host && portOf(daemonUrl) === port) {
    return requestRefusal(403, `${formatAuthority(authority)} is an address of credsvc itself`)
  }
  if (rules?.mentions(host, port) === true) {
    return requestRefusal(
      403,
      `the rules of this run name ${host}, which belongs to none of the run's providers, so the proxy cannot apply these rules: ` +
        "add the provider to the run or remove these rules"
    )
  }
  if (unmatched !== "deny") return undefined
  return requestRefusal(
    403,
    `${host} does not belong to a provider of this ${client === "sandbox" ? "sandbox" : "run"} ` +
      "and is blocked by --unmatched deny"
  )
}

/** The refusal of a request without TLS to a host of a provider. */
export const unencryptedRefusal = (host: string): Refusal =>
  requestRefusal(403, `${host} requires https: credentials are never sent over an unencrypted connection`)
