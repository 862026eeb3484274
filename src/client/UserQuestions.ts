/** Asks the user about requests of a run, through the daemon. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PolicyName } from "../domain/rules/PolicyName.ts"
import { AskedQuestion, type Outcome, QuestionId, QuestionOutcome } from "../domain/rules/Question.ts"
import { QUESTION_SECONDS } from "../domain/rules/RuleSet.ts"
import { builtins } from "../platform/builtins.ts"
import { DaemonClient } from "./DaemonClient.ts"

const encode = Schema.encodeSync(AskedQuestion)
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(QuestionOutcome))

type Answered = Exclude<Outcome, "waiting"> | "unavailable"

type Asked = Omit<AskedQuestion, "id" | "policies"> & { readonly policies: ReadonlyArray<string> }

/**
 * Returns a function that asks a question for the run with this ID, and returns a function that withdraws it. `renewed` waits
 * until a lost registration of the run is renewed. `asking` is called with each question and its ID.
 */
export const userQuestions = (options: {
  readonly runId: string
  readonly renewed: Effect.Effect<boolean>
  readonly asking: (id: QuestionId, question: Asked) => void
}) =>
  Effect.map(DaemonClient, ({ sendIfRunning }) => {
    const headers = { "content-type": "application/json", "credsvc-run": options.runId }

    const wait = (body: string): Effect.Effect<Answered> =>
      sendIfRunning({ method: "POST", path: "/runs/questions", headers, body }).pipe(
        Effect.flatMap(({ body: text, status }): Effect.Effect<Answered> => {
          const read = status === 200 ? decode(text) : undefined
          if (read?._tag === "Some") {
            const { outcome } = read.value
            return outcome === "waiting" ? wait(body) : Effect.succeed(outcome)
          }
          return status === 403
            ? Effect.flatMap(options.renewed, (isRenewed) => isRenewed ? wait(body) : Effect.succeed("unavailable"))
            : Effect.succeed("unavailable")
        }),
        // After a restart, the daemon does not know the question any more.
        Effect.catch(() => Effect.andThen(Effect.sleep("1 second"), Effect.suspend(() => wait(body))))
      )

    return (question: Asked, answered: (outcome: Answered) => void): () => void => {
      const id = QuestionId.make(builtins.crypto.randomBytes(4).toString("hex"))
      options.asking(id, question)
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
