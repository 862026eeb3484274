/** Registers runs with the daemon. Before the command of a run starts, checks the limits of the run. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { RegisteredLimits } from "../../client/RunDocuments.ts"
import { registerRun, type RunNotices } from "../../client/RunRegistration.ts"
import { runMark } from "../../config/RunMark.ts"
import type { RuleSets } from "../../domain/rules/RuleSchemas.ts"
import { frozenRun } from "../../domain/text/EndedRun.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import type { ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import type { RunName, RunRegistration } from "../../domain/wire/Run.ts"
import { builtins } from "../../platform/builtins.ts"
import { call } from "../api/OperationCall.ts"
import { providerName } from "../commands/provider/ProviderArgument.ts"
import { Output } from "../output/Output.ts"
import { inProfile, readTable } from "./RoutesFromDaemon.ts"
import { namingOptions } from "./RunOptions.ts"

/** Rejects unknown providers and connections, and rules for hosts that belong to no provider. */
export const checkChosen = Effect.fnUntraced(function*(
  { connections, providers, rules }: {
    readonly connections: RegisteredLimits["connections"]
    readonly providers: ReadonlyArray<string>
    readonly rules: RuleSets
  },
  { routes }: ProxyRoutes
) {
  if (rules.length > 0) {
    const { checkRouted } = yield* Effect.promise(() => import("../rules/RuleOptions.ts"))
    yield* checkRouted(rules, routes)
  }
  const chosen = Object.entries(connections)
  const known = new Set<string>(routes.map((route) => route.provider))
  const unrouted = [...providers, ...Object.keys(connections)].filter((provider) => !known.has(provider))
  if (unrouted.length + chosen.length === 0) return
  for (const provider of unrouted) {
    // Some providers have routes only with a connection. This lookup fails for an unknown provider.
    yield* call("connections.list", { provider: yield* providerName(provider) })
  }
  for (const [provider, connection] of chosen) {
    yield* call("connections.get", { provider: yield* providerName(provider), connection })
  }
})

/**
 * Checks the chosen providers, connections and rules before the command starts, while the user can still act on a
 * problem.
 */
const check = Effect.fnUntraced(function*(
  { connections, providers: limited, rules }: RegisteredLimits,
  { policies = [], rules: given = [] }: Pick<RunRegistration, "policies" | "rules">,
  table: ProxyRoutes
) {
  const output = yield* Output
  const { routes } = table
  const providers = limited ?? []
  const own = [...given, ...rules.filter(({ policy }) => policy !== undefined && policies.includes(policy))]
  yield* checkChosen({ connections, providers, rules: own }, table)
  const unconnected = providers.filter((provider) =>
    !Object.hasOwn(connections, provider) && !routes.some((route) => route.provider === provider && route.connected)
  )
  for (const provider of unconnected) {
    yield* output.warn(`${provider} has no connection. Create one with: credsvc login ${provider}`)
  }
  if (!routes.some((route) => route.connected)) {
    yield* output.note("No connections yet. Create one with: credsvc login <provider>")
  }
})

/** When the run is stopped, sends SIGTERM to this process, which passes the signal to the command. */
const followNotices = Effect.fnUntraced(function*(notices: RunNotices, name: RunName) {
  const output = yield* Output
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      notices.listen((notice) => {
        if (notice === "frozen") Effect.runFork(output.tell(`credsvc: ${frozenRun(name)}`))
        if (notice !== "stopped") return
        Effect.runFork(output.tell("credsvc: this run was stopped with credsvc stop"))
        process.kill(process.pid, "SIGTERM")
      })
    ),
    (stop) => Effect.sync(stop)
  )
})

/** Registers a run with the limits of its options, and checks these limits. */
export const register = Effect.fnUntraced(function*(
  { providers, ...terms }: Omit<RunRegistration, "inside" | "pid" | "providers" | "sandbox" | "used"> & {
    readonly providers: ReadonlyArray<ProviderName>
  }
) {
  const runId = builtins.crypto.randomBytes(18).toString("base64url")
  const inside = process.env[runMark]
  // An outer run may impose its profile, so inside one, the routes are read after the registration.
  const reading = inside === undefined
    ? yield* Effect.forkScoped(readTable, { startImmediately: true })
    : undefined
  const { awaitRenewal, countUse, notices, run } = yield* registerRun(runId, {
    ...terms,
    providers: providers.length > 0 ? providers : null,
    pid: process.pid,
    ...(inside === undefined ? {} : { inside })
  }).pipe(Effect.catchTag("InvalidRequestError", namingOptions))
  yield* followNotices(notices, run.name)
  const routes = yield* reading === undefined ? inProfile(run.profile)(readTable) : Fiber.join(reading)
  yield* check(run, terms, routes)
  return { run, source: { profile: run.profile, runId, renewed: awaitRenewal, notices, used: countUse }, routes }
})
