/** `credsvc doctor`: checks this machine, the daemon and the connections. */
import * as Effect from "effect/Effect"
import type { ResponseOf } from "../../../api/Operations.ts"
import { InvalidRequestError } from "../../../domain/Errors.ts"
import { plural } from "../../../domain/text/Plural.ts"
import { apiVersion } from "../../../domain/wire/ApiVersion.ts"
import { componentNames, type ComponentStatus } from "../../../domain/wire/Health.ts"
import { call } from "../../api/OperationCall.ts"
import { provideDaemon } from "../../daemon/DaemonAccess.ts"
import { Output } from "../../output/Output.ts"
import { Exited } from "../../output/Report.ts"
import type { Style } from "../../output/Text.ts"

const styles: Readonly<Record<ComponentStatus["status"], Style>> = { ok: "green", warning: "yellow", failed: "red" }

type Component = (typeof componentNames)[number]

/** Remedies for failed checks whose messages only say what is wrong. */
const remedies: Readonly<Partial<Record<Component, string>>> = {
  spec_version: "Restart the daemon: credsvc daemon restart",
  identity: "Restore the file from a backup, or create another profile: credsvc profile create",
  providers: "Fix or delete the file. To undo an override: credsvc remove <provider>"
}

/** The results of checking the connections, or undefined if the store cannot be read (readiness reports that). */
const probeConnections = Effect.promise(() => import("./DoctorProbe.ts")).pipe(
  Effect.flatMap(({ probe }) => probe),
  Effect.catchTag("VaultUnavailableError", () => Effect.undefined)
)

type Readiness = ResponseOf<"system.ready">

type Verified = Pick<ResponseOf<"audit.verify">, "broken_at" | "copy" | "entries" | "problem">

/**
 * The verification of the whole store, which readiness leaves out because it takes longer as the logs grow. Undefined inside
 * a run, which may not read the logs.
 */
const verifyStore = call("audit.verify").pipe(
  Effect.catchTags({
    OperationNotAllowedError: () => Effect.undefined,
    VaultUnavailableError: ({ message }) =>
      Effect.succeed({ problem: message, broken_at: null, copy: "same" as const, entries: 0 })
  })
)

/** The report with the result of the verification as its integrity check. */
const withVerification = (report: Readiness, verified: Verified | undefined): Readiness => {
  // The message of a failed check stays, so that it remains equal to the messages of other checks with the same cause.
  if (verified === undefined || report.checks.integrity.status !== "ok") return report
  const { broken_at, copy, entries, problem } = verified
  const checked = (integrity: ComponentStatus) => ({ ...report.checks, integrity })
  if (problem === null) {
    const message = `Integrity verified: ${plural(entries, "audit entry", "audit entries")}.`
    return { ...report, checks: checked({ status: "ok", message }) }
  }
  // A damaged copy does not affect the store, so it is only a warning.
  const isCopy = broken_at === null && copy === "differs"
  return isCopy
    ? {
      ...report,
      status: report.status === "ok" ? "degraded" : report.status,
      checks: checked({ status: "warning", message: problem }),
      warnings: [...report.warnings, problem]
    }
    : {
      ...report,
      status: "unhealthy",
      checks: checked({ status: "failed", message: problem }),
      problems: report.problems.includes(problem) ? report.problems : [...report.problems, problem]
    }
}

const checkHealth = Effect.fnUntraced(function*(withProbe: boolean) {
  const output = yield* Output
  // Runs before the readiness request, which reports the results of these checks.
  const probed = withProbe ? yield* probeConnections : undefined
  const health = yield* call("system.health")
  const verified = yield* verifyStore
  const readiness = withVerification(yield* call("system.ready", { full: "true" }), verified)
  const compatible = health.api_version === apiVersion
  const checks = compatible ? readiness.checks : {
    ...readiness.checks,
    spec_version: {
      status: "failed" as const,
      message:
        `The daemon (version ${health.version}) uses version ${health.api_version} of the API, and this command version ${apiVersion}. ` +
        "Restart the daemon: credsvc daemon restart"
    }
  }
  const status = compatible ? readiness.status : "unhealthy" as const
  const document = { ...readiness, status, checks }

  if (output.json) {
    yield* output.document(probed === undefined ? document : { ...document, probes: probed.results })
  } else {
    // A missing master key or an invalid setting fails several checks with the same message, which may be the end of a
    // longer message.
    const firstWith = (message: string) => componentNames.find((name) => message.endsWith(checks[name].message))
    const isShared = (message: string) =>
      componentNames.filter((name) => firstWith(checks[name].message) === firstWith(message)).length > 1
    yield* output.data(output.table(componentNames, {
      CHECK: (name) => name,
      STATUS: (name) => ({ text: checks[name].status, style: styles[checks[name].status] }),
      MESSAGE: (name) => {
        const first = firstWith(checks[name].message)
        return first === name ? checks[name].message : `Same cause as ${first}.`
      }
    }))
    const inTable = new Set(componentNames.map((name) => checks[name].message))
    const unseen = (sentence: string) => !inTable.has(sentence)
    for (const warning of readiness.warnings.filter(unseen)) yield* output.warn(warning)
    for (const problem of readiness.problems.filter(unseen)) yield* output.tell(`problem: ${problem}`)
    for (const name of componentNames) {
      const { message, status } = checks[name]
      const remedy = remedies[name]
      if (status === "failed" && remedy !== undefined && !isShared(message)) yield* output.tell(`${name}: ${remedy}`)
    }
    if (probed !== undefined) yield* probed.show
    if (readiness.master_key_source === "local_key") {
      yield* output.note(
        `note: The vault's key is stored beside the vault (${readiness.master_key_description}): anyone who copies the ` +
          "home of credsvc can decrypt the vault. See: credsvc help security"
      )
    }
    yield* output.note(`The daemon is ${status}.`)
  }
  if (status === "unhealthy" || probed?.allWork === false) return yield* Effect.fail(new Exited(1))
}, provideDaemon())

type DoctorInput = Readonly<Record<"trust" | "probe" | "contain", boolean>>

export const doctor = Effect.fnUntraced(function*({ contain, probe, trust }: DoctorInput) {
  if (!trust && !contain) return yield* checkHealth(probe)
  const combined = (flag: string, other: string) =>
    Effect.fail(InvalidRequestError.at(flag, `cannot be combined with ${other}`))
  if (probe) return yield* combined("--probe", trust ? "--trust" : "--contain")
  if (trust && contain) return yield* combined("--contain", "--trust")
  if (contain) {
    const { doctorContain } = yield* Effect.promise(() => import("./DoctorContain.ts"))
    return yield* doctorContain()
  }
  const { doctorTrust } = yield* Effect.promise(() => import("./DoctorTrust.ts"))
  return yield* doctorTrust()
})
