/**
 * A daemon in this process whose providers are the test's own servers, driven through its HTTP API.
 *
 * For `it.live`: the daemon's fibers run on the live clock.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
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

export interface OAuthHarness {
  readonly home: string
  readonly daemon: TestDaemonShape
  readonly register: (definition: object, insecureLoopback?: boolean) => Effect.Effect<Answer, Error>
  /** Starts a login. Dies if it is rejected. */
  readonly start: (login: object) => Effect.Effect<SessionDocument, Error>
  readonly session: (id: string) => Effect.Effect<SessionDocument, Error>
  /** Waits until the session has ended. */
  readonly ended: (id: string) => Effect.Effect<SessionDocument, Error>
  /** Does what the browser does when the provider redirects it back. */
  readonly callback: (url: string) => Effect.Effect<Answer, Error>
  readonly connection: (provider: string, name?: string) => Effect.Effect<Answer, Error>
  readonly resolve: (host: string, more?: object) => Effect.Effect<Answer, Error>
}

const FINAL = new Set(["completed", "failed", "expired", "cancelled"])

const gone = (id: string): SessionDocument => ({
  session_id: id,
  status: "expired",
  message: "",
  error: null,
  next_action: { type: "none", url: "" }
})

const privateDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-oauth-")))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

export const harnessOf = (daemon: TestDaemonShape): OAuthHarness => {
  const accepted = (answer: Answer): Effect.Effect<any> =>
    answer.status < 300
      ? Effect.succeed(answer.json)
      : Effect.die(new Error(`answered ${answer.status}: ${answer.body}`))
  /** An expired session is deleted, so the response says only that. */
  const session = (id: string, wait = 0): Effect.Effect<SessionDocument, Error> =>
    Effect.flatMap(
      daemon.request(`/auth/sessions/${id}?wait=${wait}`),
      (answer) => answer.status === 410 ? Effect.succeed(gone(id)) : accepted(answer)
    )
  const ended = (id: string): Effect.Effect<SessionDocument, Error> =>
    Effect.flatMap(
      session(id, 25),
      (document) => FINAL.has(document.status) ? Effect.succeed(document) : ended(id)
    )
  return {
    home: daemon.home,
    daemon,
    register: (definition, insecureLoopback = false) =>
      daemon.request(`/providers?force=true${insecureLoopback ? "&allow_insecure_loopback=true" : ""}`, {
        method: "POST",
        body: definition
      }),
    start: (login) => Effect.flatMap(daemon.request("/auth/sessions", { method: "POST", body: login }), accepted),
    session,
    ended,
    callback: (url) => {
      const { pathname, search } = new URL(url)
      return daemon.request(pathname + search)
    },
    connection: (provider, name = "default") => daemon.request(`/connections/${provider}/${name}`),
    resolve: (host, more = {}) => daemon.request("/credentials/resolve", { method: "POST", body: { host, ...more } })
  }
}

export const startOAuthHarness = (
  sites: ReadonlyArray<Site>,
  options: TestDaemonOptions = {}
): Effect.Effect<OAuthHarness, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const home = options.home ?? (yield* privateDirectory)
    writeConfig(home, sites)
    return harnessOf(yield* startTestDaemon({ ...options, home }))
  })
