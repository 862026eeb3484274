/**
 * Tells the user about requests of a run that wait for an answer.
 *
 * The terminal of a run belongs to its command: every process of the command can draw on it, read what is typed and, on
 * older kernels, insert text as if it were typed. So the user does not answer there, and nothing is printed there while
 * a program may draw its screen.
 */
import * as Effect from "effect/Effect"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { userQuestions } from "../../client/UserQuestions.ts"
import { requestText } from "../../domain/rules/Question.ts"
import { QUESTION_SECONDS } from "../../domain/rules/RuleSet.ts"
import { isTerminal } from "../../platform/process/Terminal.ts"
import { Output } from "../output/Output.ts"

const BELL = "\u0007"

export const startAsking = Effect.fnUntraced(function*(
  { renewed, runId }: { readonly runId: string; readonly renewed: Effect.Effect<boolean> }
) {
  const output = yield* Output
  const { url } = yield* (yield* DaemonClient).address
  const pages = new URL("ui/approvals", url.href.endsWith("/") ? url : `${url.href}/`).href
  yield* output.note(
    `Requests outside the rules wait ${QUESTION_SECONDS / 60} minutes for you. Answer in another terminal with ` +
      `credsvc approve, or at ${pages}`
  )
  const mayDraw = isTerminal(0)
  return yield* userQuestions({
    runId,
    renewed,
    asking: (id, question) => {
      if (!mayDraw) {
        Effect.runFork(
          output.tell(`credsvc: ${requestText(question)} waits for you. Answer with: credsvc approve ${id}`)
        )
      } else if (isTerminal(2)) Effect.runFork(output.draw(BELL))
    }
  })
})
