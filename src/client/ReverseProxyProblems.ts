/** Explains responses of a reverse proxy of the daemon. Only a command that fails loads this module. */
import { headersCommandVariable, headersVariable } from "../config/Settings.ts"
import type { DaemonAddress } from "./DaemonAddress.ts"
import type { DaemonResponse } from "./DaemonConnection.ts"

const authentication = ({ headerVariables }: DaemonAddress): string =>
  headerVariables === undefined
    ? `Set ${headersVariable} to the header fields by which you authenticate to it, or ${headersCommandVariable} to a ` +
      "program that prints them"
    : `Correct the header fields in ${headerVariables}`

const redirection = ({ from, headers: { location = "" } }: DaemonResponse): string => {
  const target = URL.canParse(location, from.url.href) ? new URL(location, from.url.href) : undefined
  return target !== undefined && target.origin !== from.url.origin
    ? `redirects to ${target.origin}, probably to log in. ${authentication(from)}`
    : "sent a redirect, which is not followed. Check the path in CREDSVC_DAEMON_URL"
}

/** Describes a response by which a reverse proxy requires that its clients authenticate. */
export const refusalProblem = ({ from, status }: DaemonResponse): string =>
  `refused the request (status ${status}). ${authentication(from)}`

/** Describes what another response of a reverse proxy means, and what to correct. Returns undefined for responses of a daemon. */
export const reverseProxyProblem = (response: DaemonResponse): string | undefined => {
  const { status } = response
  if (status >= 300 && status < 400) return redirection(response)
  if (status === 404) {
    return "has no daemon at this address (status 404). Check the path in CREDSVC_DAEMON_URL: it must equal the path in " +
      "CREDSVC_SERVER_BASE_URL, which is set for the daemon"
  }
  if (status === 502 || status === 503 || status === 504) {
    return `cannot reach the daemon (status ${status}). Start the daemon there, or correct the address or the socket to ` +
      "which that server passes requests"
  }
  return undefined
}
