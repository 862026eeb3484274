/**
 * The forward proxy of one run: what the child's `HTTPS_PROXY` points to.
 *
 * A routed host is intercepted, everything else is a tunnel that nothing looks into. Life and death are Effect's; the path
 * of a request is that of `ProxyListener` and the engine.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { ProxyPlaceholder } from "../api/ProxyGroup.ts"
import { ConfigFile, type ConfigFileError, type Upstream } from "../config/ConfigFile.ts"
import { prepare, UnusableCredentialError } from "../outbound/HeaderInjection.ts"
import type { ParentProxy } from "../outbound/UpstreamDialer.ts"
import { endsOf, PeerOwner } from "../platform/PeerOwner.ts"
import { credentialRefusal } from "./ErrorResponse.ts"
import type { Resolution } from "./HttpEngine.ts"
import { type ListenerSettings, ProxyListener } from "./ProxyListener.ts"
import { CredentialRefusedError, CredentialSource, type ResolveRequest } from "./routing/CredentialSource.ts"
import { ResolveBatch } from "./routing/ResolveBatch.ts"
import * as RouteTable from "./routing/RouteTable.ts"
import { RouteWatch } from "./routing/RouteWatch.ts"
import type { AskOwner } from "./RunAdmission.ts"
import * as CertificateAuthority from "./tls/CertificateAuthority.ts"

export interface ForwardProxyOptions extends RouteTable.RouteFilter, ListenerSettings {
  /** How long requests under way may take to finish when the proxy stops. */
  readonly drainMilliseconds?: number | undefined
}

const DRAIN_MILLISECONDS = 500

export class ForwardProxy extends Context.Service<ForwardProxy, {
  /** Always on 127.0.0.1. */
  readonly port: number

  /** With the credential of this run: what presents it is admitted. For the child's environment, not for logs. */
  readonly proxyUrl: string

  /** The certificate of this run's authority. It vouches for the routed hosts only, and its key is in memory only. */
  readonly caPem: string

  /** What the daemon says the child needs so that its SDKs start, for the providers that are injected for. */
  readonly placeholders: ReadonlyArray<ProxyPlaceholder>

  /** Variables that the SDKs of these providers read the address of their API from, with the API's own address. */
  readonly baseUrls: ReadonlyArray<ProxyPlaceholder>

  /** The address below which the hosts of providers are reached without a proxy, with the credential of this run; for `--base-url`. */
  readonly baseUrl: string | undefined

  readonly isRouted: (host: string, port: number) => boolean

  /** Hosts with a route, as patterns, and their ports. */
  readonly routed: () => { readonly patterns: ReadonlyArray<string>; readonly ports: ReadonlyArray<number> }

  /** PEM files trusted beside the system's certificates. */
  readonly extraCaCerts: () => ReadonlyArray<string>

  readonly parentProxy: ParentProxy | undefined
}>()("credsvc/proxy/ForwardProxy") {
  /** Listens until the scope closes. Fails when the daemon gives no routes. */
  static readonly layer = (
    options: ForwardProxyOptions = {}
  ): Layer.Layer<
    ForwardProxy,
    CredentialRefusedError | ConfigFileError,
    CredentialSource | ConfigFile | PeerOwner
  > =>
    Layer.effect(
      ForwardProxy,
      Effect.gen(function*() {
        const source = yield* CredentialSource
        const config = yield* ConfigFile
        const peerOwner = yield* PeerOwner

        const first = yield* source.routes(undefined)
        if (first === undefined) {
          return yield* new CredentialRefusedError({
            error: "DaemonUnavailableError",
            detail: "The daemon gave no routes.",
            status: 503
          })
        }
        let upstream: Upstream = (yield* config.read).upstream
        const readUpstream = (): Upstream => {
          const exit = Effect.runSyncExit(config.read)
          // A file that is broken just now changes nothing; `doctor` names it.
          if (Exit.isSuccess(exit)) upstream = exit.value.upstream
          return upstream
        }

        const table = RouteTable.make(first.version, first.routes, options)
        const authority = CertificateAuthority.make(table.certificateNames)

        const ask = source.ask ??
          ((request, done) => void Effect.runCallback(source.resolve(request), { onExit: done }))
        const credentials = new ResolveBatch<ResolveRequest, Resolution>((request, done) =>
          ask(request, (exit) => done(resolutionOf(request, exit)))
        )
        const watch = new RouteWatch(table, options, (version, done) => {
          Effect.runCallback(source.routes(version), {
            onExit: (exit) => done(Exit.isSuccess(exit) ? exit.value : undefined)
          })
        })
        const askOwner: AskOwner = (socket, report) => {
          const ends = endsOf(socket)
          if (ends === undefined) return report("unknown")
          Effect.runCallback(peerOwner.peer(ends.remote, ends.local), {
            onExit: (exit) => report(Exit.isSuccess(exit) ? exit.value : "unknown")
          })
        }

        const listener = new ProxyListener({ ...options, authority, credentials, watch, askOwner, readUpstream })
        yield* Effect.acquireRelease(
          Effect.callback<void>((resume) => listener.listen(() => resume(Effect.void))),
          () =>
            Effect.callback<void>((resume) =>
              listener.close(options.drainMilliseconds ?? DRAIN_MILLISECONDS, () => resume(Effect.void))
            )
        )
        const placeholders = RouteTable.variablesOf(first.placeholders, options)
        const baseUrls = RouteTable.variablesOf(first.baseUrls, options)

        return ForwardProxy.of({
          port: listener.port,
          proxyUrl: listener.url,
          caPem: authority.rootPem,
          placeholders,
          baseUrls,
          baseUrl: listener.reverse?.base,
          isRouted: (host, port) => watch.current.host(host, port) !== undefined,
          routed: () => watch.current,
          extraCaCerts: () => upstream.extraCaCerts,
          parentProxy: options.parentProxy
        })
      })
    )
}

const resolutionOf = (
  request: ResolveRequest,
  exit: Exit.Exit<Parameters<typeof prepare>[0], CredentialRefusedError>
): Resolution => {
  if (Exit.isSuccess(exit)) {
    try {
      return { _tag: "resolved", injection: prepare(exit.value) }
    } catch (error) {
      const message = error instanceof UnusableCredentialError ? error.message : "the stored credential cannot be used"
      return { _tag: "refused", refusal: { status: 403, error: "CredentialMissingError", message } }
    }
  }
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  const refused = failure?._tag === "Fail" && failure.error instanceof CredentialRefusedError
    ? failure.error
    : { error: "Unexpected", detail: "the daemon could not be asked for the credential" }
  return { _tag: "refused", refusal: credentialRefusal(request.provider, request.connection ?? "default", refused) }
}
