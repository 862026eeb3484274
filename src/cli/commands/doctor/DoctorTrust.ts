import * as Effect from "effect/Effect"
import { isTerminal } from "../../../platform/process/Terminal.ts"
import { Output } from "../../output/Output.ts"
import { Exited } from "../../output/Report.ts"
import type { Cell } from "../../output/Text.ts"
import { type ProbeResult, type Progress, trustCheck } from "../../trust/TrustCheck.ts"

const cells = (result: ProbeResult): ReadonlyArray<Cell> => {
  switch (result.status) {
    case "works":
      return [
        result.client,
        { text: "works", style: "green" },
        { text: result.option === undefined ? "" : `with credsvc run ${result.option}` }
      ]
    case "fails":
      return [
        result.client,
        { text: "fails", style: "red" },
        { text: `${result.fix}. ${result.detail === "" ? "" : `Output: ${result.detail}`}`.trimEnd() }
      ]
    case "absent":
      return [result.client, { text: "absent", style: "dim" }, ""]
  }
}

/** Limits the line to the width of a narrow terminal, because the next line would not overwrite a wrapped line. */
const lineOf = ({ clients, done, total }: Progress): string =>
  `${done} of ${total} (${clients.join(", ")})`.slice(0, 79)

export const doctorTrust = Effect.fnUntraced(function*() {
  const output = yield* Output
  yield* output.note("Sending one request to this machine with each installed client…")
  const showsProgress = isTerminal(2) && !output.json && !output.quiet
  const { notices, results } = yield* trustCheck((progress) =>
    showsProgress ? output.draw(`\r\u001b[K${output.paintMessage("dim", lineOf(progress))}`) : Effect.void
  ).pipe(Effect.ensuring(showsProgress ? output.draw("\r\u001b[K") : Effect.void))
  const present = results.filter(({ status }) => status !== "absent")
  const absent = results.filter(({ status }) => status === "absent").map(({ client }) => client)
  const failed = results.filter(({ status }) => status === "fails")
  if (output.json) {
    yield* output.document({ status: failed.length === 0 ? "ok" : "failed", clients: results, notices })
  } else {
    yield* output.data(output.table(["CLIENT", "STATUS", "MESSAGE"], present.map(cells)))
    for (const notice of notices) yield* output.warn(notice)
    if (absent.length > 0) yield* output.note(`Not on this machine (${absent.length}): ${absent.join(", ")}.`)
    yield* output.note(
      failed.length === 0
        ? `Every client found here (${present.length}) reaches providers under credsvc run.`
        : `${failed.length} of the ${present.length} clients found here failed under credsvc run.`
    )
  }
  if (failed.length > 0) return yield* Effect.fail(new Exited(1))
})
