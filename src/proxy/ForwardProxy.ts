/**
 * The forward proxy of one run, to which the child process's `HTTPS_PROXY` points. It intercepts TLS to routed hosts and tunnels
 * all other connections unread.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CertificateAuthority from "../certificates/CertificateAuthority.ts"
import type { ConfigFile, ConfigFileError } from "../config/file/ConfigFile.ts"
import type { ProxyPlaceholder, ProxyRoutes } from "../domain/wire/ProxyRoutes.ts"
import type { ParentProxy } from "../outbound/UpstreamDialer.ts"
import { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { askKernel, type AskOwner } from "./listen/RunAdmission.ts"
import { type ContainedSockets, type ListenerSettings, RunListener } from "./listen/RunListener.ts"
import type { CredentialRefusedError, CredentialSource } from "./routing/CredentialSource.ts"
import * as RouteTable from "./routing/RouteTable.ts"
import { runServices } from "./RunServices.ts"

export interface ForwardProxyOptions<E = never> extends RouteTable.RouteFilter, ListenerSettings {
  /** The sockets of a contained run. They may become available while the rest of the proxy is prepared. */
  readonly contained?: Effect.Effect<ContainedSockets, E> | undefined
  /** The routes, if the caller has just read them. */
  readonly routes?: ProxyRoutes | undefined
  readonly drainMilliseconds?: number | undefined
}

const DRAIN_MILLISECONDS = 500

export class ForwardProxy extends Context.Service<ForwardProxy, {
  readonly port: number

  /** The proxy URL, including the credential that admits clients. For the child process's environment, never for logs. */
  readonly proxyUrl: string

  /** The root certificate of this run. It can sign certificates only for routed hosts, and its key exists only in memory. */
  readonly caPem: string

  /**
   * The variables that the run sets: placeholders, without which SDKs do not start, and the URLs at which cloud SDKs
   * request a placeholder.
   */
  readonly placeholders: ReadonlyArray<ProxyPlaceholder>

  /** The variables from which SDKs read the base URL of a provider, with the provider's own URL. */
  readonly baseUrls: ReadonlyArray<ProxyPlaceholder>

  /** The base URL for `--base-url`, including the credential of this run. */
  readonly baseUrl: string | undefined

  readonly isRouted: (host: string, port: number) => boolean

  readonly routed: () => { readonly patterns: ReadonlyArray<string>; readonly ports: ReadonlyArray<number> }

  /** The PEM files that are trusted in addition to the system's certificates. */
  readonly extraCaCerts: () => ReadonlyArray<string>

  readonly parentProxy: ParentProxy | undefined

  /** Accepts connections on further sockets of a contained run, from clients that use no proxy. */
  readonly accept: (sockets: ContainedSockets["direct"]) => void
}>()("credsvc/proxy/ForwardProxy") {
  /** Listens until the scope closes. Fails if the daemon returns no routes. */
  static readonly layerNoDeps = <E = never>(options: ForwardProxyOptions<E> = {}): Layer.Layer<
    ForwardProxy,
    CredentialRefusedError | ConfigFileError | E,
    CredentialSource | ConfigFile | PeerOwner
  > => Layer.effect(ForwardProxy, makeForwardProxy(options))
}

const askOwnerOf = <E>({ contained, remoteClients }: ForwardProxyOptions<E>, fromKernel: AskOwner): AskOwner => {
  // The socket tables of this network namespace do not list the sockets of a contained run, and nothing else can reach them.
  if (contained !== undefined) return (_, report) => report("own")
  return remoteClients === true ? (_, report) => report("unknown") : fromKernel
}

const makeForwardProxy = Effect.fnUntraced(function*<E>(options: ForwardProxyOptions<E>) {
  const fromKernel = askKernel(yield* PeerOwner, Effect.runCallbackWith(yield* Effect.context<never>()))
  const { first, services, upstream } = yield* runServices(
    options,
    (table) => CertificateAuthority.createTemporary(table.certificateNames),
    options.routes
  )
  const { authority, watch } = services
  const listener = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new RunListener(options, services, {
        contained: options.contained !== undefined,
        askOwner: askOwnerOf(options, fromKernel),
        identities: RouteTable.filtered(first.cloudIdentities, options)
      })
    ),
    (listener) =>
      Effect.callback<void>((resume) =>
        listener.close(options.drainMilliseconds ?? DRAIN_MILLISECONDS, () => resume(Effect.void))
      )
  )
  // Runs while the namespaces start.
  if (options.contained !== undefined) listener.warmUp()
  const contained = options.contained === undefined ? undefined : yield* options.contained
  // A socket that is bound after an interruption would stay open.
  yield* Effect.uninterruptible(
    Effect.callback<void>((resume) => listener.listen(contained, () => resume(Effect.void)))
  )
  return ForwardProxy.of({
    port: listener.port,
    proxyUrl: listener.url,
    caPem: authority.rootPem,
    placeholders: [...RouteTable.filtered(first.placeholders, options), ...listener.identities.variables],
    baseUrls: RouteTable.filtered(first.baseUrls, options),
    baseUrl: listener.reverse?.base,
    isRouted: (host, port) => watch.current.host(host, port) !== undefined,
    routed: () => watch.current,
    extraCaCerts: () => upstream().extraCaCerts,
    parentProxy: options.parentProxy,
    accept: (sockets) => listener.accept(sockets)
  })
})
