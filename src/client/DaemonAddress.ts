/** Determines the daemon's address: from the environment, this home's state file, or the default. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DaemonState } from "../config/daemon/DaemonState.ts"
import { baseUrlText, daemonUrl } from "../config/daemon/DaemonUrl.ts"
import type { HomePaths } from "../config/Paths.ts"
import { type DaemonHeaderSettings, headerVariables, type SettingsShape } from "../config/Settings.ts"
import { unavailable } from "../domain/FailWith.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { isLoopback } from "../platform/sockets/IpAddress.ts"

export const defaultHost = "127.0.0.1"
export const defaultPort = 7998

const isDaemonState = (state: DaemonState | null): state is DaemonState =>
  Number.isInteger(state?.pid) && Number.isInteger(state?.port) &&
  [state?.host, state?.started_at, state?.version, state?.instance].every((text) => typeof text === "string")

/** Reads the state file, unless it is absent or not trustworthy. The daemon may have ended. */
export const readDaemonState = (paths: HomePaths): Effect.Effect<Option.Option<DaemonState>> =>
  SecureFiles.readFile(paths.daemonState, { maxBytes: 65_536 }).pipe(
    Effect.flatMap((bytes) => Effect.try(() => JSON.parse(new TextDecoder().decode(bytes)))),
    Effect.filterOrFail(isDaemonState),
    Effect.option
  )

export interface DaemonAddress {
  /** The base URL, whose path precedes the path of each request. */
  readonly url: URL
  readonly loopback: boolean
  /** Whether `CREDSVC_DAEMON_URL` sets the address. Only then may the daemon belong to another home. */
  readonly explicit: boolean
  /** Whether a client may start a daemon if none runs: only at the default or the recorded address. */
  readonly startable: boolean
  /** The instance in the state file of this home, which identifies a start of the daemon. */
  readonly instance?: string | undefined
  /** When this instance was started, by the clock of this machine. */
  readonly startedAt?: string | undefined
  /** The names of the variables that set header fields for a reverse proxy of the daemon, if any. */
  readonly headerVariables?: string | undefined
}

const defaultUrl = daemonUrl(defaultHost, defaultPort)

/**
 * Determines the address. Rejects a URL without TLS to another machine, because secrets would cross the network in clear text.
 */
export const locateDaemon = Effect.fnUntraced(function*(
  settings: Pick<SettingsShape, "daemonUrl"> & Partial<DaemonHeaderSettings>,
  paths: HomePaths
) {
  if (Option.isSome(settings.daemonUrl)) {
    const url = new URL(settings.daemonUrl.value)
    const loopback = url.protocol === "http:" && isLoopback(url.hostname)
    if (url.protocol === "http:" && !loopback) {
      const text = baseUrlText(url)
      return yield* unavailable(
        `CREDSVC_DAEMON_URL is ${text}, but a daemon on another machine requires https. Set an https URL.`,
        text
      )
    }
    // The name may resolve to [::1], where another user can listen. With https the certificate protects against that,
    // and it is issued for the name.
    if (loopback && url.hostname === "localhost") url.hostname = defaultHost
    return {
      url,
      loopback,
      explicit: true,
      startable: url.href === defaultUrl.href,
      headerVariables: headerVariables(settings)
    }
  }
  const state = Option.getOrUndefined(yield* readDaemonState(paths))
  const url = state === undefined ? defaultUrl : daemonUrl(state.host, state.port)
  return {
    url,
    loopback: true,
    explicit: false,
    startable: true,
    instance: state?.instance,
    startedAt: state?.started_at
  }
})
