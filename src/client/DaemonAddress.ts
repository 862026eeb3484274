/** Determines the daemon's address: from the environment, this home's state file, or the default. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { baseUrlText } from "../config/BaseUrl.ts"
import { DaemonState, daemonUrl } from "../config/DaemonState.ts"
import type { HomePaths } from "../config/Paths.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { DaemonUnavailableError } from "../domain/Errors.ts"
import { isLoopback } from "../platform/Loopback.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"

export const defaultHost = "127.0.0.1"
export const defaultPort = 7998

const decodeState = Schema.decodeUnknownEffect(Schema.fromJsonString(DaemonState))

/** None if the state file is absent or not trustworthy. The daemon may no longer run. */
export const readDaemonState = (paths: HomePaths): Effect.Effect<Option.Option<DaemonState>> =>
  SecureFiles.readFile(paths.daemonState, { maxBytes: 65_536 }).pipe(
    Effect.flatMap((bytes) => decodeState(new TextDecoder().decode(bytes))),
    Effect.option
  )

export interface DaemonAddress {
  /** The base URL. Its path precedes that of each request. */
  readonly url: URL
  readonly loopback: boolean
  /** Set by `CREDSVC_DAEMON_URL`. Only then may the daemon belong to another home. */
  readonly explicit: boolean
  /** Whether a client may start a daemon if none runs: only one of this home, at an address that credsvc may choose. */
  readonly startable: boolean
}

const defaultUrl = daemonUrl(defaultHost, defaultPort)

/** Rejects a URL without TLS to another machine, because secrets would cross the network in clear text. */
export const locateDaemon = (
  settings: Pick<SettingsShape, "daemonUrl">,
  paths: HomePaths
): Effect.Effect<DaemonAddress, DaemonUnavailableError> =>
  Effect.gen(function*() {
    if (Option.isSome(settings.daemonUrl)) {
      const url = new URL(settings.daemonUrl.value)
      const loopback = url.protocol === "http:" && isLoopback(url.hostname)
      if (url.protocol === "http:" && !loopback) {
        return yield* new DaemonUnavailableError({
          url: baseUrlText(url),
          detail: `CREDSVC_DAEMON_URL is ${baseUrlText(url)}: a daemon on another machine must be reached over https.`
        })
      }
      // The name may resolve to [::1], where another user can listen. With https the certificate protects against that,
      // and it is issued for the name.
      if (loopback && url.hostname === "localhost") url.hostname = defaultHost
      return { url, loopback, explicit: true, startable: url.href === defaultUrl.href }
    }
    const state = yield* readDaemonState(paths)
    const url = Option.match(state, {
      onNone: () => defaultUrl,
      onSome: ({ host, port }) => daemonUrl(host, port)
    })
    return { url, loopback: true, explicit: false, startable: true }
  })
