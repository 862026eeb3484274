/** The instructions for an agent, sent when it connects. They do not repeat the descriptions of the tools. */
import { containMark, isInsideRun } from "../../config/RunMark.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { lineageOf } from "../../platform/process/Lineage.ts"

/**
 * Whether this program is in a contained run, from which no daemon can be reached. Some agents start their servers with
 * an environment of their own, so on Linux the environments of the ancestors are checked, too.
 */
export const isContained = (): boolean => {
  const lineage = lineageOf(process.pid, { variable: containMark, isMarker: () => false })
  return process.env[containMark] !== undefined || (lineage?.marks.size ?? 0) > 0
}

export const containedMessage =
  "The tools of this server do not work inside a contained run, which cannot reach the daemon. The " +
  "credentials of the run work: commands send requests as usual, with the placeholders in their environment. Start the " +
  "server outside of the run to list connections or to ask for a login."

const sending = (): string =>
  isInsideRun()
    ? "Commands that you run in this environment are already behind that proxy. After a new login, set the variables that " +
      "list_connections returns."
    : "To put a command behind that proxy, run it as `credsvc run -- <command>`. The command finds the variables in its " +
      "environment."

export const instructions = (): string =>
  isContained()
    ? containedMessage
    : `credsvc stores the user's API credentials and lets programs use them without seeing them. You never get a credential, \
and you need none: programs get a placeholder, a value that contains "${PLACEHOLDER}", and a proxy replaces it \
with the credential in https requests to the hosts of the provider. ${sending()}

- Before you call an API, look for it with list_connections or explain_url.
- If there is no connection, call request_login and show the user the URL. Do not open it yourself.
- Never ask the user for a key, a token or a password, and never write one to a file or a command.
- A placeholder is not a mistake. Do not replace it, and do not report it as an invalid key.
- If a provider responds with 401 or 403, look at the connection's status with list_connections.`
