/** The paths of all files and directories in a home of credsvc. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { Settings } from "./Settings.ts"

export const pathsOf = (home: string) => {
  const client = path.join(home, "client")
  const server = path.join(home, "server")
  const clientLogs = path.join(client, "logs")
  const serverLogs = path.join(server, "logs")
  return {
    home,
    config: path.join(home, "config.json"),
    providers: path.join(home, "providers"),
    /** The user's own recipes. */
    recipes: path.join(home, "recipes"),
    identities: path.join(home, "identities"),
    clientLogs,
    clientLog: path.join(clientLogs, "credsvc.log"),
    /** The directories of runs in progress. */
    runs: path.join(home, "runs"),
    /** Files for programs in sandboxes, in a directory for each. */
    sandboxes: path.join(home, "sandboxes"),
    server,
    database: path.join(server, "credsvc.db"),
    /** Locked while a daemon serves this home. */
    homeLock: path.join(server, "home.lock"),
    /** Locked while a client starts a daemon. */
    startLock: path.join(server, "start.lock"),
    /** The master key of the source `local_key`. */
    masterKey: path.join(server, "master.key"),
    /** The newest durable state of the database, stored outside of it. */
    manifestAnchor: path.join(server, "manifest.anchor"),
    /** The hosts that custom providers may take over from bundled providers, as confirmed by the user. */
    takeovers: path.join(server, "takeovers.json"),
    /** The secret by which processes of the same user recognize each other. */
    accessKey: path.join(server, "access.key"),
    daemonPid: path.join(server, "daemon.pid"),
    daemonState: path.join(server, "daemon.json"),
    /** Changes whenever proxies must no longer reuse responses of the daemon. */
    changeMark: path.join(server, "change.mark"),
    serverLogs,
    auditLog: path.join(serverLogs, "credsvc.log"),
    daemonLog: path.join(serverLogs, "daemon.log")
  }
}

export type HomePaths = Readonly<ReturnType<typeof pathsOf>>

export class Paths extends Context.Service<Paths, HomePaths>()("credsvc/config/Paths") {
  static readonly layerHome = (home: string): Layer.Layer<Paths> => Layer.succeed(Paths, pathsOf(home))

  static readonly layerNoDeps: Layer.Layer<Paths, never, Settings> = Layer.effect(
    Paths,
    Effect.map(Settings, (settings) => pathsOf(settings.home))
  )
}
