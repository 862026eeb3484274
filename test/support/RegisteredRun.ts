/** Registers runs with a daemon, as `credsvc run` does. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { openDaemonConnection } from "../../src/client/DaemonConnection.ts"
import { findAccessKey } from "../../src/config/daemon/AccessKey.ts"
import { RunRegistration } from "../../src/domain/wire/Run.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { testsWith } from "./Fixture.ts"
import { runProgram } from "./Programs.ts"
import { loggedIn } from "./ResolveQueries.ts"
import type { TestDaemonShape } from "./TestDaemon.ts"
import { eventually } from "./Until.ts"

const encode = Schema.encodeSync(RunRegistration)

export type Changes = Partial<Record<keyof typeof RunRegistration.Encoded, unknown>>

/** The body of a registration by this process. */
export const bodyOf = (changes: Changes = {}): string =>
  JSON.stringify({
    ...encode({ providers: null, connections: {}, unmatched: "allow", pid: process.pid, contained: false }),
    ...changes
  })

/** Registers a run from this process until the scope closes. */
export const register = (
  daemon: Pick<TestDaemonShape, "url" | "paths">,
  id: string,
  changes?: Changes,
  headers: Record<string, string> = {}
) =>
  Effect.gen(function*() {
    const address = { url: new URL(daemon.url), loopback: true, explicit: false, startable: false }
    const accessKey = yield* findAccessKey(daemon.paths)
    const connection = openDaemonConnection(address, { accessKey, peerOwner: yield* PeerOwner })
    yield* Effect.addFinalizer(() => Effect.sync(connection.close))
    const { body, ended, lines, status } = yield* connection.hold({
      method: "POST",
      path: "/runs",
      headers: { "content-type": "application/json", "credsvc-run": id, ...headers },
      body: bodyOf(changes)
    })
    const notices: Array<string> = []
    lines((line) => notices.push(JSON.parse(line).notice))
    return { status, json: JSON.parse(body), ended, notices }
  })

/** Waits until the daemon has sent a notice to a run. */
export const noticed = (notices: ReadonlyArray<string>, notice: string) =>
  eventually(Effect.sync(() => notices), (all) => all.includes(notice))

export const first = "first-run-0123456789"
export const second = "second-run-0123456789"
export const third = "third-run-0123456789"

export const runsOf = (daemon: TestDaemonShape) => Effect.map(daemon.request("/runs"), ({ json }) => json)

/** Tests with a daemon that has one connection, for processes that register runs. */
export const withDaemon = testsWith(loggedIn, () => PeerOwner.layer)

/** Sends a request from another process. Returns the JSON body of the response. */
export const curl = (daemon: TestDaemonShape, target: string, ...options: ReadonlyArray<string>) =>
  Effect.map(
    runProgram("curl", ["-sS", "--noproxy", "*", ...options, daemon.url + target]),
    ({ output }) => JSON.parse(output)
  )

/** The same with a JSON body. */
export const curlJson = (daemon: TestDaemonShape, target: string, body: object, ...options: ReadonlyArray<string>) =>
  curl(daemon, target, "-H", "content-type: application/json", ...options, "-d", JSON.stringify(body))
