/** Where a daemon is: its sockets, certificate and address, and who can reach it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import { ensureAccessKey } from "../config/daemon/AccessKey.ts"
import { baseUrlText, daemonUrl, mountPathOf } from "../config/daemon/DaemonUrl.ts"
import { Paths } from "../config/Paths.ts"
import { Settings, type SettingsShape } from "../config/Settings.ts"
import { randomId } from "../platform/Digest.ts"
import { isLoopback } from "../platform/sockets/IpAddress.ts"
import { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { cannotStart, unavailable } from "./DaemonHome.ts"
import { servedPaths } from "./http/CallerRules.ts"
import { type FrontSocket, openToGroup, prepareFrontSocket } from "./http/FrontSocket.ts"
import { authoritiesOf } from "./http/Guard.ts"
import { listen, type ListenOptions } from "./http/HttpListener.ts"
import { Instance } from "./http/Instance.ts"
import { PeerAdmission } from "./http/PeerAdmission.ts"
import { certVariable, keyVariable, openServerCertificate, type ServerCertificate } from "./http/ServerCertificate.ts"

export const exposureWarning = (host: string, servesTls: boolean): string | undefined =>
  servesTls || isLoopback(host)
    ? undefined
    : `The daemon listens on ${host}: other machines and users can connect to it. It accepts only requests that an ` +
      "enrolled identity has signed, but does not encrypt connections. Set CREDSVC_TLS_CERT_FILE and " +
      "CREDSVC_TLS_KEY_FILE, put a TLS proxy in front of it, or use 127.0.0.1."

const anyPeerWarning = "CREDSVC_ALLOW_ANY_PEER is set: the daemon does not check which user connects to it."

const noTablesWarning =
  "The daemon cannot identify the user of a local connection on this platform: other users of this machine can reach the daemon."

const metricsTokenWarning = "CREDSVC_METRICS_TOKEN has no effect: other machines cannot reach this daemon. Set " +
  "CREDSVC_SERVER_BASE_URL to the URL that they use, or unset the variable."

const warningsOf = (exposed: boolean, exposure: string | undefined, { allowAnyPeer, metricsToken }: SettingsShape) =>
  (exposed
    ? [exposure]
    : [
      allowAnyPeer ? anyPeerWarning : process.platform === "linux" ? undefined : noTablesWarning,
      Option.isSome(metricsToken) ? metricsTokenWarning : undefined
    ]).filter((warning) => warning !== undefined)

const portTaken = Effect.fnUntraced(function*(host: string, port: number, message: string) {
  const owner = yield* (yield* PeerOwner).listener({ address: host, port })
  const whose = owner === "own" ? " by another program of yours" : owner === "other" ? " by another user" : ""
  return yield* unavailable(
    daemonUrl(host, port).origin,
    `The daemon cannot start: ${message}${whose}. Choose another port with --port, or 0 for any free port.`
  )
})

export const bind = (host: string, port: number, options: Pick<ListenOptions, "certificate" | "graceMilliseconds">) =>
  Effect.catchTag(listen(host, port, options), "ListenError", (error) =>
    error.code === "EADDRINUSE"
      ? portTaken(host, port, error.message)
      : Effect.fail(unavailable(daemonUrl(host, port).origin, `The daemon cannot start: ${error.message}.`)))

const missing = (variable: string, what: string) => ({ message: `${variable} is set, but ${what} is not set` })

/** The certificate, if the daemon serves TLS itself. */
export const certificateOfSettings = Effect.gen(function*() {
  const { serverBaseUrl, tlsCertFile, tlsKeyFile } = yield* Settings
  if (Option.isNone(tlsCertFile) && Option.isNone(tlsKeyFile)) return undefined
  if (Option.isNone(tlsCertFile)) return yield* cannotStart(missing(keyVariable, `${certVariable}, the certificate,`))
  if (Option.isNone(tlsKeyFile)) return yield* cannotStart(missing(certVariable, `${keyVariable}, the private key,`))
  if (Option.isNone(serverBaseUrl) || serverBaseUrl.value.protocol !== "https:") {
    return yield* cannotStart(missing(certVariable, "CREDSVC_SERVER_BASE_URL, the https URL that clients use,"))
  }
  const files = { cert: tlsCertFile.value, key: tlsKeyFile.value }
  return yield* Effect.catch(openServerCertificate(files, serverBaseUrl.value.hostname), cannotStart)
})

/** Listens on the socket for the reverse proxy. Requires a base URL, which that proxy serves. */
export const bindFront = Effect.fnUntraced(function*(front: FrontSocket, graceMilliseconds: number | undefined) {
  if (Option.isNone((yield* Settings).serverBaseUrl)) {
    return yield* cannotStart({
      message: "--front-socket is given, but CREDSVC_SERVER_BASE_URL, the URL of the server in front of it, is not set"
    })
  }
  yield* Effect.catch(prepareFrontSocket(front), cannotStart)
  const listener = yield* Effect.catch(
    listen(front.path, 0, { socketPath: front.path, graceMilliseconds }),
    cannotStart
  )
  yield* Effect.catch(openToGroup(front), cannotStart)
  return listener
})

/** Checks that the path of the base URL cannot be mistaken for one of the daemon's own, because proxies may remove it. */
const refuseOwnPath = (baseUrl: URL) => {
  const [, first = ""] = baseUrl.pathname.split("/")
  return first !== "" && servedPaths.some(({ path }) => path.split("/")[1] === first)
    ? Effect.fail(unavailable(
      "",
      `The daemon cannot start: the path in CREDSVC_SERVER_BASE_URL begins with /${first}, which is a path of the daemon ` +
        "itself. Use another path, such as /credsvc."
    ))
    : Effect.void
}

/** Where the daemon is. With a `baseUrl` it is a part of another program's server. */
export interface SiteOptions {
  readonly host: string
  readonly port: number
  readonly baseUrl?: URL
  readonly certificate?: ServerCertificate | undefined
  readonly front?: FrontSocket | undefined
}

/** Tells whether the daemon listens at a base URL. Any other URL belongs to a reverse proxy, which others may use, too. */
const isOwnAddress = (baseUrl: URL, host: string, port: number): boolean =>
  baseUrl.pathname === "/" && authoritiesOf(host, port, undefined).get(baseUrl.host) === baseUrl.origin

/** Whether processes of other users or machines can reach the daemon. */
const isExposed = ({ baseUrl: mountedAt, certificate, front, host, port }: SiteOptions, baseUrl: URL | undefined) =>
  mountedAt !== undefined
    // The daemon checks the connections of another program's server like its own.
    ? !isLoopback(mountedAt.hostname)
    : certificate !== undefined || front !== undefined || !isLoopback(host) ||
      (baseUrl !== undefined && !isOwnAddress(baseUrl, host, port))

export const instanceLayer = (site: SiteOptions) =>
  Layer.unwrap(Effect.gen(function*() {
    const { baseUrl: mountedAt, certificate, host, port } = site
    const settings = yield* Settings
    const accessKey = yield* ensureAccessKey(yield* Paths)
    const baseUrl = mountedAt ?? Option.getOrUndefined(settings.serverBaseUrl)
    const publicBaseUrl = baseUrl ?? daemonUrl(host, port)
    yield* refuseOwnPath(publicBaseUrl)
    const exposed = isExposed(site, baseUrl)
    const startedAt = Date.now()
    const warnings = warningsOf(exposed, exposureWarning(host, certificate !== undefined), settings)
    const instance = Layer.succeed(Instance, {
      id: randomId(),
      startedAt,
      host,
      port,
      baseUrl: baseUrlText(publicBaseUrl),
      mountPath: mountPathOf(publicBaseUrl),
      authorities: authoritiesOf(host, port, baseUrl),
      exposed,
      accessKey,
      stopping: MutableRef.make(false),
      warnings: () => [...warnings, ...certificate?.warnings() ?? []]
    })
    const checksOwner = !exposed && process.platform === "linux" && !settings.allowAnyPeer
    return Layer.merge(instance, PeerAdmission.layerNoDeps({ accessKey, startedAt, checksOwner }))
  }))
