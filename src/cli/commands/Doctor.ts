import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SystemGroup } from "../../api/SystemGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { apiVersion, componentNames, type ComponentStatus, Readiness } from "../../domain/Health.ts"
import { provideDaemon } from "../DaemonAccess.ts"
import { Output } from "../Output.ts"
import { Exited } from "../Report.ts"
import type { Style } from "../Text.ts"

const styles: Readonly<Record<ComponentStatus["status"], Style>> = { ok: "green", warning: "yellow", failed: "red" }

/** The daemon checks itself; whether it speaks our version of the interface only we can tell. */
export const doctor = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const health = yield* client.of(SystemGroup).health()
  const readiness: Readiness = yield* client.of(SystemGroup).ready()
  const compatible = health.apiVersion === apiVersion
  const checks = compatible ? readiness.checks : {
    ...readiness.checks,
    spec_version: {
      status: "failed" as const,
      message: `the daemon ${health.version} speaks version ${health.apiVersion}, this command ${apiVersion}. ` +
        "Restart it with: credsvc daemon restart"
    }
  }
  const status = compatible ? readiness.status : "unhealthy" as const
  const encoded = Schema.encodeSync(Readiness)({ ...readiness, status, checks })

  if (output.json) {
    yield* output.document(encoded)
  } else {
    yield* output.data(output.table(
      ["CHECK", "STATUS", "MESSAGE"],
      componentNames.map((name) => [
        { text: name },
        { text: checks[name].status, style: styles[checks[name].status] },
        { text: checks[name].message }
      ])
    ))
    for (const warning of readiness.warnings) yield* output.warn(warning)
    for (const problem of readiness.problems) yield* output.tell(`problem: ${problem}`)
    yield* output.note(`The daemon is ${status}.`)
  }
  if (status === "unhealthy") return yield* Effect.fail(new Exited(1))
}, provideDaemon())
