/**
 * Tells the user about requests of a run that wait for an answer.
 *
 * The terminal of a run belongs to its command: every process of the command can draw on it, read what is typed and, on
 * older kernels, insert text as if it were typed. So the user does not answer there, and nothing is printed there while
 * a program may draw its screen.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { AskedQuestion, type Outcome, QuestionId, QuestionOutcome, requestText } from "../../domain/rules/Question.ts"
import { PolicyName } from "../../domain/rules/RuleSchemas.ts"
import { QUESTION_SECONDS } from "../../domain/rules/RuleSet.ts"
import { builtins } from "../../platform/builtins.ts"
import { isTerminal } from "../../platform/process/Terminal.ts"
import { Output } from "../output/Output.ts"

const BELL = "\u0007"

const encode = Schema.encodeSync(AskedQuestion)
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(QuestionOutcome))

type Answered = Exclude<Outcome, "waiting"> | "unavailable"

type Asked = Omit<AskedQuestion, "id" | "policies"> & { readonly policies: ReadonlyArray<string> }

/**
 * Returns a function for the questions of the run with this ID. It asks a question, and returns a function that withdraws the
 * question. `renewed` waits until a lost registration of the run is renewed.
 */
export const startAsking = Effect.fnUntraced(function*(
  { renewed, runId }: { readonly runId: string; readonly renewed: Effect.Effect<boolean> }
) {
  const output = yield* Output
  const { address, sendIfRunning } = yield* DaemonClient
  const { url } = yield* address
  const pages = new URL("ui/approvals", url.href.endsWith("/") ? url : `${url.href}/`).href
  yield* output.note(
    `Requests outside the rules wait ${QUESTION_SECONDS / 60} minutes for you. Answer in another terminal with ` +
      `credsvc approve, or at ${pages}`
  )
  const mayDraw = isTerminal(0)
  const tell = (id: QuestionId, question: Asked): void => {
    if (!mayDraw) {
      Effect.runFork(
        output.tell(`credsvc: ${requestText(question)} waits for you. Answer with: credsvc approve ${id}`)
      )
    } else if (isTerminal(2)) Effect.runFork(output.draw(BELL))
  }
  const headers = { "content-type": "application/json", "credsvc-run": runId }

  const wait = (body: string): Effect.Effect<Answered> =>
    sendIfRunning({ method: "POST", path: "/runs/questions", headers, body }).pipe(
      Effect.flatMap(({ body: text, status }): Effect.Effect<Answered> => {
        const read = status === 200 ? decode(text) : undefined
        if (read?._tag === "Some") {
          const { outcome } = read.value
          return outcome === "waiting" ? wait(body) : Effect.succeed(outcome)
        }
        return status === 403
          ? Effect.flatMap(renewed, (isRenewed) => isRenewed ? wait(body) : Effect.succeed("unavailable"))
          : Effect.succeed("unavailable")
      }),
      // After a restart, the daemon does not know the question any more.
      Effect.catch(() => Effect.andThen(Effect.sleep("1 second"), Effect.suspend(() => wait(body))))
    )

  return (question: Asked, answered: (outcome: Answered) => void): () => void => {
    const id = QuestionId.make(builtins.crypto.randomBytes(4).toString("hex"))
    tell(id, question)
    const policies = question.policies.map((name) => PolicyName.make(name))
    const body = JSON.stringify(encode({ ...question, policies, id }))
    const cancel = Effect.runCallback(
      Effect.timeoutOrElse(wait(body), {
        duration: `${QUESTION_SECONDS + 5} seconds`,
        orElse: () => Effect.succeed<Answered>("expired")
      }),
      { onExit: (exit) => answered(exit._tag === "Success" ? exit.value : "unavailable") }
    )
    return () => cancel()
  }
})
