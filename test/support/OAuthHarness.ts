/**
 * A daemon in this process whose providers are the test's own servers, driven through its HTTP API.
 *
 * For `it.live`: the daemon's fibers run on the live clock.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { type Answer, startTestDaemon, type TestDaemonOptions, type TestDaemonShape } from "./TestDaemon.ts"
import { type Site, writeConfig } from "./TestSites.ts"

/** A session as the HTTP API returns it. */
export interface SessionDocument {
  readonly session_id: string
  readonly status: string
  readonly message: string
  readonly warning?: string | null
  readonly error: { readonly error: string; readonly message: string } | null
  readonly next_action: {
    readonly type: string
    readonly url: string
    readonly user_code?: string
    readonly verification_uri?: string
    readonly verification_uri_complete?: string | null
    readonly fields?: ReadonlyArray<{ readonly name: string }>
  }
}

const FINAL = new Set(["completed", "failed", "expired", "cancelled"])

const gone = (id: string): SessionDocument => ({
  session_id: id,
  status: "expired",
  message: "",
  error: null,
  next_action: { type: "none", url: "" }
})

export const harnessOf = (daemon: TestDaemonShape) => {
  const accepted = ({ body, json, status }: Answer): Effect.Effect<any> =>
    status < 300 ? Effect.succeed(json) : Effect.die(new Error(`the daemon responded ${status}: ${body}`))
  const post = (target: string, body: object): Effect.Effect<SessionDocument, Error> =>
    Effect.flatMap(daemon.post(target, body), accepted)
  /** Starts a login. Dies if it is rejected. */
  const start = (login: object) => post("/auth/sessions", login)
  /** Submits the fields of a form. Dies if they are rejected. */
  const resume = (id: string, data: object) => post(`/auth/sessions/${id}/resume`, { data })
  /** Reads a session. An expired session is deleted, so the result only says that it has expired. */
  const session = (id: string, wait = 0): Effect.Effect<SessionDocument, Error> =>
    Effect.flatMap(
      daemon.request(`/auth/sessions/${id}?wait=${wait}`),
      (response) => response.status === 410 ? Effect.succeed(gone(id)) : accepted(response)
    )
  /** Waits until the session has ended. */
  const ended = (id: string): Effect.Effect<SessionDocument, Error> =>
    Effect.flatMap(
      session(id, 25),
      (document) => FINAL.has(document.status) ? Effect.succeed(document) : ended(id)
    )
  return {
    home: daemon.home,
    daemon,
    register: (definition: object, insecureLoopback = false) =>
      daemon.post(`/providers?force=true${insecureLoopback ? "&allow_insecure_loopback=true" : ""}`, definition),
    start,
    resume,
    /** Stores an API key. */
    connect: (provider: string, connection = "default", key = "sk-0123456789") =>
      start({ provider, connection }).pipe(
        Effect.flatMap(({ session_id }) => resume(session_id, { api_key: key })),
        Effect.tap(({ message, status }) => status === "completed" ? Effect.void : Effect.die(new Error(message)))
      ),
    session,
    ended,
    /** Does what the browser does when the provider redirects it back. */
    callback: (url: string) => {
      const { pathname, search } = new URL(url)
      return daemon.request(pathname + search)
    },
    connection: (provider: string, name = "default") => daemon.request(`/connections/${provider}/${name}`),
    revoke: (provider: string) => daemon.request(`/connections/${provider}/revoke`, { method: "POST" }),
    logout: (provider: string) => daemon.request(`/connections/${provider}/default/logout`, { method: "POST" }),
    resolve: (host: string, more: object = {}) => daemon.post("/credentials/resolve", { host, ...more })
  }
}

export type OAuthHarness = ReturnType<typeof harnessOf>

export const startOAuthHarness = (
  sites: ReadonlyArray<Site>,
  options: TestDaemonOptions = {}
): Effect.Effect<OAuthHarness, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const home = options.home ?? (yield* temporaryDirectory)
    writeConfig(home, sites)
    return harnessOf(yield* startTestDaemon({ ...options, home }))
  })
