/** Creates the complete environment of a run's command from credsvc's own, for a listening proxy. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Paths } from "../config/Paths.ts"
import type { OperationNotAllowedError } from "../domain/Errors.ts"
import { ForwardProxy } from "../proxy/ForwardProxy.ts"
import * as BaseUrlEnvironment from "./BaseUrlEnvironment.ts"
import { BrowserHomeError } from "./BrowserHome.ts"
import { gitProxyKeys } from "./ClientSettings.ts"
import * as ProxyEnvironment from "./ProxyEnvironment.ts"
import * as RunDirectory from "./RunDirectory.ts"

export class RunEnvironment extends Context.Service<RunEnvironment, {
  /** Creates the environment and writes the files of the run. Fails only if a hook cannot be set up. */
  readonly from: (
    parent: Readonly<Record<string, string | undefined>>,
    adjustments?: ProxyEnvironment.Adjustments,
    /** The result of `gitProxyKeys`, if the caller has already asked git. */
    askedGit?: Effect.Effect<ReadonlyArray<string>>
  ) => Effect.Effect<ProxyEnvironment.ChildEnvironment, BrowserHomeError>
}>()("credsvc/run/RunEnvironment") {
  /** Creates a directory for the run, which exists as long as the layer. */
  static readonly layerNoDeps: Layer.Layer<RunEnvironment, OperationNotAllowedError, ForwardProxy | Paths> = Layer
    .unwrap(Effect.map(RunDirectory.make, (runDirectory) => RunEnvironment.layerIn(runDirectory)))

  /** Uses a directory that exists as long as the run. */
  static readonly layerIn = (runDirectory: string): Layer.Layer<RunEnvironment, never, ForwardProxy> =>
    Layer.effect(
      RunEnvironment,
      Effect.gen(function*() {
        const proxy = yield* ForwardProxy
        const { baseUrls, parentProxy, placeholders, port } = proxy

        return RunEnvironment.of({
          from: (parent, adjustments, askedGit = gitProxyKeys(parent, process.cwd())) => {
            const { baseUrl: base } = proxy
            if (base !== undefined) {
              const { isRouted } = proxy
              return Effect.sync(() =>
                BaseUrlEnvironment.make({ parent, base, placeholders, baseUrls, isRouted, parentProxy })
              )
            }
            const { patterns, ports } = proxy.routed()
            const make = (gitProxyKeys: ReadonlyArray<string>) =>
              Effect.try({
                try: () =>
                  ProxyEnvironment.make({
                    parent,
                    proxyUrl: proxy.proxyUrl,
                    port,
                    caPem: proxy.caPem,
                    runDirectory,
                    gitProxyKeys,
                    placeholders,
                    patterns,
                    ports,
                    extraCaCerts: proxy.extraCaCerts(),
                    parentProxy,
                    ...adjustments
                  }),
                catch: (cause) => {
                  if (cause instanceof BrowserHomeError) return cause
                  throw cause
                }
              })
            return Effect.flatMap(askedGit, make)
          }
        })
      })
    )
}
