/**
 * The library for programs that run a child process behind the proxy. The proxy gets credentials from the daemon, or from services in
 * the same process.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { RequestLog } from "./audit/RequestLog.ts"
import { type ClientOptions, DaemonClient } from "./client/DaemonClient.ts"
import { registerRun } from "./client/RunRegistration.ts"
import { ConfigFile } from "./config/file/ConfigFile.ts"
import { Paths } from "./config/Paths.ts"
import { runMark, runNameOf } from "./config/RunMark.ts"
import { Settings } from "./config/Settings.ts"
import { Connections } from "./connections/Connections.ts"
import { ProgramLoginReply, ProgramLoginRequest } from "./domain/wire/ProgramLogin.ts"
import { readReport } from "./domain/wire/RequestReport.ts"
import type { RunLimits } from "./domain/wire/Run.ts"
import { builtins } from "./platform/builtins.ts"
import { PeerOwner } from "./platform/sockets/PeerOwner.ts"
import { Profiles } from "./profiles/Profiles.ts"
import { ForwardProxy, type ForwardProxyOptions } from "./proxy/ForwardProxy.ts"
import { type CredentialRefusedError, CredentialSource, refusedError } from "./proxy/routing/CredentialSource.ts"
import { parentProxy } from "./run/NoProxy.ts"
import { RunEnvironment } from "./run/RunEnvironment.ts"

export { RequestLog } from "./audit/RequestLog.ts"
export { type ClientOptions, DaemonClient } from "./client/DaemonClient.ts"
export type { RunNotices } from "./client/RunRegistration.ts"
export { ConfigFile, ConfigFileError } from "./config/file/ConfigFile.ts"
export { Paths } from "./config/Paths.ts"
export { Settings, SettingsError } from "./config/Settings.ts"
export { Connections } from "./connections/Connections.ts"
export { PeerOwner } from "./platform/sockets/PeerOwner.ts"
export type { SocketTables } from "./platform/sockets/SocketTables.ts"
export { Profiles } from "./profiles/Profiles.ts"
export { ForwardProxy, type ForwardProxyOptions } from "./proxy/ForwardProxy.ts"
export type { FoundPlaceholder } from "./proxy/placeholders/PlaceholderWatch.ts"
export { CredentialRefusedError, type CredentialRequest, CredentialSource } from "./proxy/routing/CredentialSource.ts"
export { RunEnvironment } from "./run/RunEnvironment.ts"

/** What the child process may use: by default all connections of its profile, and all other hosts without credentials. */
export interface Limits
  extends Partial<Pick<RunLimits, "providers" | "connections" | "unmatched" | "rules" | "strict">>
{
  readonly profile?: RunLimits["profile"]
}

const newRunId = Effect.sync(() => builtins.crypto.randomBytes(18).toString("base64url"))

const settled = (
  { connections = {}, providers = null, rules = [], strict = false, unmatched = "allow" }: Limits
) => ({
  providers,
  connections,
  rules,
  unmatched,
  strict
})

const around = <E, R>(
  { providers, ...limits }: ReturnType<typeof settled>,
  more: ForwardProxyOptions,
  source: Layer.Layer<CredentialSource, E, R>
) =>
  RunEnvironment.layerNoDeps.pipe(
    Layer.provideMerge(ForwardProxy.layerNoDeps({ ...more, ...limits, providers: providers ?? undefined })),
    Layer.provide(source),
    Layer.provide(PeerOwner.layer)
  )

/** The credential source of a proxy that uses services in this process. */
export const sourceOfServices = (
  limits: Limits = {}
): Layer.Layer<CredentialSource, CredentialRefusedError, Connections | Profiles | RequestLog> =>
  Layer.effect(
    CredentialSource,
    Effect.gen(function*() {
      const connections = yield* Connections
      const profiles = yield* Profiles
      const log = yield* RequestLog
      const runId = yield* newRunId
      const run = Option.some(runId)
      const profile = limits.profile ?? (yield* Effect.mapError(profiles.active, refusedError))
      const runLimits: RunLimits = { ...settled(limits), profile, contained: false, maxUses: null, expiresAt: null }
      return CredentialSource.of({
        routes: (version) =>
          connections.routes(profile).pipe(
            Effect.map((table) => table.version === version ? undefined : table),
            Effect.mapError(refusedError)
          ),
        resolve: (request) =>
          connections.resolve(profile, { ...request, scheme: "https" }, { run, limits: runLimits }).pipe(
            Effect.mapError(refusedError)
          ),
        login: (question) =>
          Schema.decodeEffect(ProgramLoginRequest)(question).pipe(
            Effect.orDie,
            Effect.flatMap((request) => connections.programLogin(profile, request, runLimits)),
            Effect.mapBoth({ onFailure: refusedError, onSuccess: Schema.encodeSync(ProgramLoginReply) })
          ),
        onChange: connections.onChange,
        report: (text) =>
          log.record({ run: runNameOf(runId), profile, report: readReport(Buffer.from(text))! }).pipe(
            Effect.as(true),
            Effect.orElseSucceed(() => false)
          )
      })
    })
  )

/**
 * A proxy that uses services in this process. `Connections` resolves each credential within the limits. The audit log
 * records the first use of each connection, and the request log each request.
 */
export const layerServices = (limits: Limits = {}) => around(settled(limits), {}, sourceOfServices(limits))

/** A proxy that uses the daemon selected by the environment, which it starts if necessary. Registers a run with the limits. */
export const layer = (options: Limits & ClientOptions = {}) =>
  Layer.unwrap(Effect.gen(function*() {
    const client = yield* DaemonClient
    const runId = yield* newRunId
    const inside = process.env[runMark]
    const { awaitRenewal, countUse, notices, run } = yield* registerRun(runId, {
      ...settled(options),
      pid: process.pid,
      contained: false,
      ...(inside === undefined ? {} : { inside })
    }, options.profile)
    // The daemon has already applied the limits of outer runs.
    return around(
      run,
      {
        daemonUrl: (yield* client.address).url,
        parentProxy: yield* parentProxy(process.env),
        counted: run.maxUses !== null
      },
      CredentialSource.layerDaemon({
        runId,
        profile: run.profile,
        renewed: awaitRenewal,
        notices,
        used: countUse
      })
    )
  })).pipe(
    Layer.provide([DaemonClient.layer(options), ConfigFile.layerNoDeps]),
    Layer.provide(Paths.layerNoDeps),
    Layer.provide(Settings.layer)
  )
