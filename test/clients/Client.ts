/** What a client of the table is: a program, and how it is made to ask the API that stands in for a provider's. */

import type { Hook } from "../../src/run/ChildEnvironment.ts"

export const API_HOST = "api.clients.test"
export const KEY_VARIABLE = "CLIENTS_API_KEY"

/**
 * A client has worked when it exits with 0 and has printed `served`, which the API says only to a request with the real
 * secret and without the placeholder. `CLIENT_URL` is the address to ask, `CLIENT_BASE` that without a path; the
 * placeholder is in `CLIENTS_API_KEY`.
 */
export interface Client {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** For `sh`, in the place of `command` and `args`; the command must be there all the same. */
  readonly script?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Written into the directory that it runs in. */
  readonly files?: Readonly<Record<string, string>> | undefined
  /** A module that the command's language must have: `requests` of Python. */
  readonly module?: string | undefined
  /** A file of the system that it needs. */
  readonly needs?: string | undefined
  /** A package of `packages/` that it is, or needs. */
  readonly installed?: string | undefined
  /** An agent, whose model is behind the host of this bundled provider. */
  readonly agent?: "anthropic" | "openai" | "gemini" | undefined
  /** Of `credsvc run`. */
  readonly option?: `--hook ${Hook}` | "--base-url" | undefined
  /** Run by `npm run clients -- --all` alone. */
  readonly heavy?: boolean | undefined
  /** Also run where a company's proxy and authority stand between. */
  readonly corporate?: boolean | undefined
  /** Why it fails, for one that no variable reaches: it must fail, and not by sending the placeholder somewhere. */
  readonly fails?: string | undefined
}
