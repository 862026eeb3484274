/** `credsvc doctor --trust`: shows which clients on this machine trust the proxy. */
import * as Effect from "effect/Effect"
import { Output } from "../../output/Output.ts"
import { Exited } from "../../output/Report.ts"
import { type ProbeResult, trustCheck } from "../../trust/TrustCheck.ts"

type Present = Exclude<ProbeResult, { readonly status: "absent" }>

const messageOf = (result: Present): string =>
  result.status === "works"
    ? result.option === undefined ? "" : `with credsvc run ${result.option}`
    : `${result.fix}. ${result.detail === "" ? "" : `Output: ${result.detail}`}`.trimEnd()

export const doctorTrust = Effect.fnUntraced(function*() {
  const output = yield* Output
  yield* output.note("Sending one request to this machine with each installed client, which takes up to two minutes…")
  const { notices, results } = yield* trustCheck
  const present = results.filter((result): result is Present => result.status !== "absent")
  const absent = results.filter(({ status }) => status === "absent").map(({ client }) => client)
  const failed = results.filter(({ status }) => status === "fails")
  if (output.json) {
    yield* output.document({ status: failed.length === 0 ? "ok" : "failed", clients: results, notices })
  } else {
    yield* output.data(output.table(present, {
      CLIENT: ({ client }) => client,
      STATUS: ({ status }) => ({ text: status, style: status === "works" ? "green" : "red" }),
      MESSAGE: messageOf
    }))
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
