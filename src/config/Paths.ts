import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { Settings } from "./Settings.ts"

export interface HomePaths {
  readonly home: string
  readonly config: string
  readonly providers: string
  /** The user's own recipes. */
  readonly recipes: string
  readonly identities: string
  readonly clientLogs: string
  readonly clientLog: string
  /** The directories of runs in progress. */
  readonly runs: string
  /** Files for programs in sandboxes, in a directory for each. */
  readonly sandboxes: string
  readonly server: string
  readonly database: string
  /** Locked while a daemon serves this home. */
  readonly homeLock: string
  /** Locked while a client starts a daemon. */
  readonly startLock: string
  /** The master key of the source `local_key`. */
  readonly masterKey: string
  /** The newest durable state of the database, stored outside of it. */
  readonly manifestAnchor: string
  /** The hosts that custom providers may take over from bundled providers, as confirmed by the user. */
  readonly takeovers: string
  /** The secret by which processes of the same user recognize each other. */
  readonly accessKey: string
  readonly daemonPid: string
  readonly daemonState: string
  /** Changes whenever proxies must no longer reuse responses of the daemon. */
  readonly changeMark: string
  readonly serverLogs: string
  readonly auditLog: string
  readonly daemonLog: string
}

export const pathsOf = (home: string): HomePaths => {
  const client = path.join(home, "client")
  const server = path.join(home, "server")
  const clientLogs = path.join(client, "logs")
  const serverLogs = path.join(server, "logs")
  return {
    home,
    config: path.join(home, "config.json"),
    providers: path.join(home, "providers"),
    recipes: path.join(home, "recipes"),
    identities: path.join(home, "identities"),
    clientLogs,
    clientLog: path.join(clientLogs, "credsvc.log"),
    runs: path.join(home, "runs"),
    sandboxes: path.join(home, "sandboxes"),
    server,
    database: path.join(server, "credsvc.db"),
    homeLock: path.join(server, "home.lock"),
    startLock: path.join(server, "start.lock"),
    masterKey: path.join(server, "master.key"),
    manifestAnchor: path.join(server, "manifest.anchor"),
    takeovers: path.join(server, "takeovers.json"),
    accessKey: path.join(server, "access.key"),
    daemonPid: path.join(server, "daemon.pid"),
    daemonState: path.join(server, "daemon.json"),
    changeMark: path.join(server, "change.mark"),
    serverLogs,
    auditLog: path.join(serverLogs, "credsvc.log"),
    daemonLog: path.join(serverLogs, "daemon.log")
  }
}

export class Paths extends Context.Service<Paths, HomePaths>()("credsvc/config/Paths") {
  static readonly layerHome = (home: string): Layer.Layer<Paths> => Layer.succeed(Paths, pathsOf(home))

  static readonly layerNoDeps: Layer.Layer<Paths, never, Settings> = Layer.effect(
    Paths,
    Effect.map(Settings, (settings) => pathsOf(settings.home))
  )
}
