/** Which clients of this machine work under `credsvc run`. */
import * as Effect from "effect/Effect"
import { Output } from "../Output.ts"
import { Exited } from "../Report.ts"
import type { Cell } from "../Text.ts"
import { probes } from "../trust/Probes.ts"
import { type ProbeResult, trustCheck } from "../trust/TrustCheck.ts"

const cells = (result: ProbeResult): ReadonlyArray<Cell> => {
  switch (result.status) {
    case "works":
      return [
        { text: result.client },
        { text: "works", style: "green" },
        { text: result.option === undefined ? "" : `with credsvc run ${result.option}` }
      ]
    case "fails":
      return [
        { text: result.client },
        { text: "fails", style: "red" },
        { text: `${result.fix}. ${result.detail === "" ? "" : `It said: ${result.detail}`}`.trimEnd() }
      ]
    case "absent":
      return [{ text: result.client }, { text: "absent", style: "dim" }, { text: "" }]
  }
}

export const doctorTrust = Effect.fnUntraced(function*() {
  const output = yield* Output
  yield* output.note(`Sending one request by each of ${probes.length} clients, to this machine itself…`)
  const { notices, results } = yield* trustCheck
  const present = results.filter(({ status }) => status !== "absent")
  const absent = results.filter(({ status }) => status === "absent").map(({ client }) => client)
  const failed = results.filter(({ status }) => status === "fails")
  if (output.json) {
    yield* output.document({ status: failed.length === 0 ? "ok" : "failed", clients: results, notices })
  } else {
    yield* output.data(output.table(["CLIENT", "STATUS", "MESSAGE"], present.map(cells)))
    for (const notice of notices) yield* output.warn(notice)
    if (absent.length > 0) yield* output.note(`Not on this machine: ${absent.join(", ")}.`)
    yield* output.note(
      failed.length === 0
        ? "Every client here reaches providers under credsvc run."
        : `${failed.length} of ${present.length} clients here do not reach providers under credsvc run.`
    )
  }
  if (failed.length > 0) return yield* Effect.fail(new Exited(1))
})
