/** A daemon with one connection, and queries about it, over HTTP and over the resolve channel. */
import * as Effect from "effect/Effect"
import { logIn, startTestDaemon, type TestDaemonOptions, type TestDaemonShape } from "./TestDaemon.ts"

export const key = "sk-proj-0123456789abcdefABCDEF0123456789"
export const asked = {
  host: "api.openai.com",
  port: 443,
  scheme: "https",
  provider: "openai",
  connection: "default"
}

/** What a run gets: the header field, or the status and the reason. */
export const resolveIn = (
  daemon: TestDaemonShape,
  id: string,
  more: object = {},
  headers: Record<string, string> = {}
) =>
  Effect.map(
    daemon.post("/credentials/resolve", { ...asked, ...more }, { "credsvc-run": id, ...headers }),
    ({ json, status }) => status === 200 ? json.headers.Authorization as string : `${status} ${json.detail}`
  )

export const loggedInWith = (options: TestDaemonOptions) =>
  Effect.tap(startTestDaemon(options), (daemon) => logIn(daemon, key))

export const loggedIn = loggedInWith({})

interface ExpectedReply {
  readonly body: string
  readonly status: number
  readonly error?: string | undefined
}

const refused = (status: number, error: string, ...requests: ReadonlyArray<unknown>): ReadonlyArray<ExpectedReply> =>
  requests.map((request) => ({
    body: typeof request === "string" ? request : JSON.stringify(request),
    status,
    error
  }))

/** Valid and invalid bodies, with the reply over HTTP and over the channel. */
export const queries: ReadonlyArray<ExpectedReply> = [
  { body: JSON.stringify(asked), status: 200, error: undefined },
  { body: JSON.stringify({ host: "api.openai.com" }), status: 200, error: undefined },
  { body: `  ${JSON.stringify({ ...asked, method: "GET" })}`, status: 200, error: undefined },
  ...refused(403, "OperationNotAllowedError", { ...asked, host: "api.evil.test" }, { ...asked, port: 8443 }, {
    ...asked,
    scheme: "http"
  }),
  ...refused(404, "CredentialMissingError", { ...asked, connection: "work" }),
  ...refused(404, "ProviderNotFoundError", { ...asked, provider: "absent" }),
  ...refused(
    400,
    "InvalidRequestError",
    { ...asked, provider: "../etc" },
    { ...asked, extra: 1 },
    { port: 443 },
    "{\"host\":\"api.openai.com\",\"host\":\"api.evil.test\"}",
    "{\"host\":",
    "[]",
    "null",
    ""
  )
]
