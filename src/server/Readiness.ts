/**
 * The readiness report of `/ready`. Load balancers request it every few seconds, so its cost does not depend on how
 * much is stored. The full report, which `credsvc doctor` shows, has the same checks and reads more.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import { Paths } from "../config/Paths.ts"
import { Connections } from "../connections/Connections.ts"
import { plural } from "../domain/text/Plural.ts"
import { apiVersion } from "../domain/wire/ApiVersion.ts"
import { componentNames, type ComponentStatus } from "../domain/wire/Health.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { version } from "../platform/process/Version.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { Notices } from "../runs/Notices.ts"
import { ExportState } from "../telemetry/ExportState.ts"
import { MasterKey } from "../vault/keys/MasterKey.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { Vault } from "../vault/Vault.ts"
import { Instance } from "./http/Instance.ts"

interface Finding {
  readonly message: string
  readonly warnings?: ReadonlyArray<string>
  readonly problems?: ReadonlyArray<string>
}

type Checks = Readonly<Record<(typeof componentNames)[number], Effect.Effect<Finding>>>

const statusOf = ({ message, problems = [], warnings = [] }: Finding): ComponentStatus => ({
  status: problems.length > 0 ? "failed" : warnings.length > 0 ? "warning" : "ok",
  message
})

const unique = (sentences: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(sentences)]

const runChecks = Effect.fnUntraced(function*(checks: Checks, warnings: ReadonlyArray<string>) {
  const findings = yield* Effect.all(checks)
  const all = componentNames.map((name) => findings[name])
  const problems = unique(all.flatMap((finding) => finding.problems ?? []))
  const allWarnings = unique([...warnings, ...all.flatMap((finding) => finding.warnings ?? [])])
  return {
    status: problems.length > 0 ? "unhealthy" as const : allWarnings.length > 0 ? "degraded" as const : "ok" as const,
    checks: Record.map(findings, statusOf),
    warnings: allWarnings,
    problems
  }
})

export const masterKeyFields = ({ description, mode, source }: Effect.Success<Vault["Service"]["masterKey"]>) => ({
  masterKeyMode: mode,
  masterKeySource: source,
  masterKeyDescription: description
})

const ok = (message: string): Finding => ({ message })

const failed = (message: string): Finding => ({ message, problems: [message] })

const stoppingProblem = "The daemon is stopping."

/** Runs a check. Its failure becomes a problem with the message of the error. */
const attempt = <A>(
  check: Effect.Effect<A, { readonly message: string }>,
  message: (result: A) => Finding
): Effect.Effect<Finding> => Effect.match(check, { onFailure: (error) => failed(error.message), onSuccess: message })

/** The checks of the components: quick ones, and ones that read or write more. */
const makeChecks = Effect.gen(function*() {
  const vault = yield* Vault
  const manifest = yield* StoreManifest
  const profiles = yield* Profiles
  const registry = yield* ProviderRegistry
  const connections = yield* Connections

  const quick: Checks = {
    spec_version: Effect.succeed(ok(`Version ${version} supports API version ${apiVersion}.`)),
    identity: attempt(profiles.check, (profile) => ok(`The identity of ${profile} is present and readable.`)),
    providers: Effect.map(
      Effect.zip(registry.list, registry.status),
      ([providers, { problems, warnings }]) => ({
        message: problems[0] ?? warnings[0] ?? `${plural(providers.length, "known provider")}.`,
        problems,
        warnings
      })
    ),
    connections: attempt(
      Effect.flatMap(profiles.active, connections.count),
      (count) => ok(`${plural(count, "connection")} stored.`)
    ),
    vault: attempt(vault.available, () => ok("The vault is open.")),
    // Reads the manifest and the ends of the logs, and all rows only if another process has changed the store.
    integrity: attempt(manifest.checkTails, () => ok("The store and the ends of its logs are intact."))
  }

  const full: Checks = {
    ...quick,
    connections: attempt(
      Effect.gen(function*() {
        const profile = yield* profiles.active
        const { count, warnings } = yield* connections.selfTest(profile)
        // Hosts that depend on a base URL are known only from the connections.
        const overlaps = yield* registry.overlaps(yield* connections.routed(profile))
        const known = (yield* registry.status).warnings
        return { count, warnings: [...warnings, ...overlaps.filter((overlap) => !known.includes(overlap))] }
      }),
      ({ count, warnings }) => ({
        message: warnings[0] ?? `${plural(count, "connection")} stored.`,
        warnings
      })
    ),
    vault: attempt(vault.selfTest, () => ok("A secret was stored, read back and removed."))
  }

  return { quick, full }
})

/** Warns about files that other users can read or change. Names only the first few. */
const permissionWarnings = (home: string) =>
  SecureFiles.broaderThanOwner(home, { limit: 3 }).pipe(
    Effect.map((found) =>
      found.map(({ mode, path }) =>
        `${path} is accessible to other users (mode ${mode.toString(8)}). Restrict access: chmod go= '${path}'`
      )
    ),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )

const make = Effect.gen(function*() {
  const instance = yield* Instance
  const paths = yield* Paths
  const vault = yield* Vault
  const masterKey = yield* MasterKey
  const registry = yield* ProviderRegistry
  const exportState = yield* ExportState
  const notices = yield* Notices

  // Logs a wrong key at the start; otherwise only the responses to requests would show it.
  yield* Effect.forkScoped(Effect.catch(masterKey.unlock, ({ detail }) => Effect.logError(detail)))

  const { full, quick } = yield* makeChecks

  /** The checks while the daemon stops. The daemon might end before the full checks do. */
  const whileStopping: Checks = Record.map(quick, () => Effect.succeed(failed(stoppingProblem)))

  const permissions = permissionWarnings(paths.home)
  // Checking permissions walks the whole home directory, which is too slow for every page view and probe.
  const recentPermissions = yield* Effect.cachedWithTTL(permissions, "1 minute")

  const telemetry = Effect.map(
    exportState.check,
    (failure) => failure === undefined ? [] : [`Telemetry is configured, but not sent: ${failure}.`]
  )

  /** Problems and warnings of definitions, files and settings, for pages. */
  const concerns = Effect.gen(function*() {
    const registered = yield* registry.status
    return unique([
      ...registered.problems,
      ...instance.warnings(),
      ...yield* notices.problems,
      ...yield* recentPermissions,
      ...registered.warnings
    ])
  })

  const reportOf = Effect.fnUntraced(function*(checks: Checks, files: ReturnType<typeof permissionWarnings>) {
    const report = yield* instance.stopping.current
      ? runChecks(whileStopping, [])
      : runChecks(checks, [...instance.warnings(), ...yield* notices.problems, ...yield* files, ...yield* telemetry])
    return { ...report, ...masterKeyFields(yield* vault.masterKey) }
  })

  return {
    concerns,
    report: reportOf(quick, recentPermissions),
    /** The report of all checks, which include a test write to the vault and reading every connection and every file of the home. */
    fullReport: reportOf(full, permissions)
  }
})

export class Readiness extends Context.Service<Readiness, Effect.Success<typeof make>>()("credsvc/server/Readiness") {
  static readonly layerNoDeps = Layer.effect(Readiness, make)
}
