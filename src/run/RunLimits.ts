/**
 * The limits of a run, which also apply to nested runs.
 *
 * A run with limits records them in the home directory under its process id. A nested run finds the record by its ancestors
 * (on Linux, regardless of the environment) or by the variable that marks a run. This prevents accidents, not attacks: a program
 * of the same user can detach from its ancestors, change its environment or delete the record.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import { Paths } from "../config/Paths.ts"
import { runMark } from "../config/RunMark.ts"
import type { ConnectionName } from "../domain/Connection.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import type { ProviderName } from "../domain/ProviderName.ts"
import { isRunning, ownIdentity } from "../platform/ProcessIdentity.ts"
import * as ProcFs from "../platform/ProcFs.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"

export interface RunLimits {
  readonly providers: ReadonlyArray<ProviderName>
  readonly connections: ReadonlyMap<ProviderName, ConnectionName>
  readonly unmatched: "allow" | "deny"
}

const Recorded = Schema.Struct({
  mark: Schema.String,
  profile: Schema.String,
  providers: Schema.Array(Schema.String),
  connections: Schema.Record(Schema.String, Schema.String),
  unmatched: Schema.Literals(["allow", "deny"])
})
type Recorded = typeof Recorded.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Recorded))

const SUFFIX = ".json"

const ancestors = (): ReadonlySet<number> => {
  const found = new Set<number>()
  for (let pid = process.ppid; pid > 0 && !found.has(pid); pid = ProcFs.stat(pid)?.parent ?? 0) found.add(pid)
  return found
}

/** Reads the limits of the enclosing runs. Deletes the records of runs that have ended. */
const around = Effect.gen(function*() {
  const { runs } = yield* Paths
  const mark = process.env[runMark]
  const above = ancestors()
  const found: Array<Recorded> = []
  for (const name of yield* SecureFiles.listDirectory(runs)) {
    if (!name.endsWith(SUFFIX)) continue
    const file = path.join(runs, name)
    const identity = name.slice(0, -SUFFIX.length)
    if (!isRunning(identity)) {
      yield* Effect.ignore(SecureFiles.removeFile(file))
      continue
    }
    const isAbove = above.has(Number(identity.split("-")[0]))
    const recorded = yield* Effect.result(
      Effect.flatMap(SecureFiles.readFile(file), (bytes) => decode(Buffer.from(bytes).toString()))
    )
    if (recorded._tag === "Success") {
      if (isAbove || recorded.success.mark === mark) found.push(recorded.success)
    } else if (isAbove) {
      return yield* OperationNotAllowedError.of(
        `The limits of the run around this command cannot be read from ${file}. Start the command outside of that run.`
      )
    }
  }
  return found
})

const narrowed = (own: RunLimits, outer: Recorded): RunLimits | InvalidRequestError => {
  const wrong = (option: string, message: string) => InvalidRequestError.of([{ path: option, message }])
  const allowed = outer.providers as ReadonlyArray<ProviderName>
  const excess = own.providers.find((provider) => !allowed.includes(provider))
  if (allowed.length > 0 && excess !== undefined) {
    return wrong(
      "--provider",
      `the run around this one is limited to ${allowed.join(", ")} and does not include ${excess}`
    )
  }
  const connections = new Map(own.connections)
  for (const [provider, name] of Object.entries(outer.connections) as Array<[ProviderName, ConnectionName]>) {
    const chosen = connections.get(provider) ?? name
    if (chosen !== name) {
      return wrong(
        "--connection",
        `the run around this one is limited to ${provider}=${name} and does not include ${provider}=${chosen}`
      )
    }
    connections.set(provider, name)
  }
  return {
    providers: own.providers.length > 0 ? own.providers : allowed,
    connections,
    unmatched: outer.unmatched === "deny" ? "deny" : own.unmatched
  }
}

/** Restricts limits to those of the enclosing runs. Fails if an option explicitly exceeds them. */
export const withinOuter = Effect.fnUntraced(function*(own: RunLimits, profile: string) {
  let limits = own
  for (const outer of yield* around) {
    if (outer.profile !== profile) {
      return yield* OperationNotAllowedError.of(
        `The run around this command is limited, and uses another profile. Use the same one with: --profile ${outer.profile}`
      )
    }
    const next = narrowed(limits, outer)
    if (next instanceof InvalidRequestError) return yield* Effect.fail(next)
    limits = next
  }
  return limits
})

/** Records the limits of this run for nested runs, until the scope ends. */
export const record = Effect.fnUntraced(
  function*(limits: RunLimits, run: { readonly mark: string; readonly profile: string }) {
    if (limits.providers.length === 0 && limits.connections.size === 0 && limits.unmatched === "allow") return
    const { runs } = yield* Paths
    const file = path.join(runs, ownIdentity() + SUFFIX)
    const content: Recorded = {
      ...run,
      providers: limits.providers,
      connections: Object.fromEntries(limits.connections),
      unmatched: limits.unmatched
    }
    yield* SecureFiles.ensurePrivateDirectory(runs)
    yield* Effect.acquireRelease(
      SecureFiles.replaceFile(file, JSON.stringify(content)),
      () => Effect.ignore(SecureFiles.removeFile(file))
    )
  }
)
