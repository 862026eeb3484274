/** A client in the table: a program, and how it sends a request to the API that replaces a provider's. */

import type { Hook } from "../../src/run/ProxyEnvironment.ts"

export const API_HOST = "api.clients.test"
export const KEY_VARIABLE = "CLIENTS_API_KEY"

/**
 * A client works if it exits with 0 and prints `served`, the response to a request with the real secret and without the
 * placeholder. `CLIENT_URL` is the URL to request, `CLIENT_BASE` the same without a path; the placeholder is in
 * `CLIENTS_API_KEY`.
 */
export interface Client {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** A script for `sh`, which replaces `command` and `args`. The command must still be installed. */
  readonly script?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Files to write into the client's working directory. */
  readonly files?: Readonly<Record<string, string>> | undefined
  /** A required module of the command's language, such as Python's `requests`. */
  readonly module?: string | undefined
  /** A required file of the system. */
  readonly needs?: string | undefined
  /** The package of `packages/` that it is or needs. */
  readonly installed?: string | undefined
  /** For an agent: the bundled provider of its model. */
  readonly agent?: "anthropic" | "openai" | "gemini" | undefined
  /** An option of `credsvc run`. */
  readonly option?: `--hook ${Hook}` | "--base-url" | undefined
  /** Runs only with `npm run clients -- --all`. */
  readonly heavy?: boolean | undefined
  /** Also runs behind a corporate proxy and certificate authority. */
  readonly corporate?: boolean | undefined
  /** Also runs in a contained run whenever the tests run. The others do with `npm run clients -- --contain`. */
  readonly contained?: boolean | undefined
  /** Why a client that no variable reaches fails. It must fail, without sending the placeholder anywhere. */
  readonly fails?: string | undefined
  /** Why it also fails in a contained run, where programs need no variables and no hooks. */
  readonly failsContained?: string | undefined
}
