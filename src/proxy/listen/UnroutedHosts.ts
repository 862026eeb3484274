/** Checks whether a client may reach a host without a route. Such requests get no credential. */
import { type Authority, formatAuthority } from "../../outbound/Authority.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import type { RunContext } from "../exchange/RunContext.ts"

/** Why a host without a route cannot be reached; undefined if it can. */
export const unroutedRefusal = (
  { client, daemonUrl, rules, unmatched }: Pick<RunContext, "client" | "daemonUrl" | "rules" | "unmatched">,
  authority: Authority
): Refusal | undefined => {
  if (daemonUrl !== undefined && daemonUrl.hostname.toLowerCase() === authority.host) {
    const port = Number(daemonUrl.port || (daemonUrl.protocol === "https:" ? 443 : 80))
    if (port === authority.port) {
      return requestRefusal(403, `${formatAuthority(authority)} is an address of credsvc itself`)
    }
  }
  if (rules?.mentions(authority.host, authority.port) === true) {
    return requestRefusal(
      403,
      `the rules of this run name ${authority.host}, which belongs to none of the run's providers, so the proxy cannot apply these rules: ` +
        "add the provider to the run or remove these rules"
    )
  }
  if (unmatched !== "deny") return undefined
  return requestRefusal(
    403,
    `${authority.host} does not belong to a provider of this ${client === "sandbox" ? "sandbox" : "run"} ` +
      "and is blocked by --unmatched deny"
  )
}

/** The refusal of a request without TLS to a host of a provider. */
export const unencryptedRefusal = (host: string): Refusal =>
  requestRefusal(403, `${host} requires https: credentials are never sent over an unencrypted connection`)
