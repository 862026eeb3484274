/** Lists and answers the requests of runs that wait for the user. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { RunsGroup } from "../../api/RunsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import {
  type Answer,
  type Question,
  QuestionAnswered,
  type QuestionId,
  QuestionList
} from "../../domain/rules/Question.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"

const requestOf = ({ host, method, path }: Question): string => `${method} ${host}${path}`

const doneOf = (question: Question, answer: Answer): string => {
  switch (answer) {
    case "once":
      return `Allowed once for the run ${question.run}: ${requestOf(question)}`
    case "run":
      return `Allowed for the run ${question.run}: ${question.rules.join(", ")}`
    case "always":
      return `Added to the policy ${question.policies.join(", ")}: ${question.rules.join(", ")}`
    case "no":
      return `Denied for the run ${question.run}: ${requestOf(question)}`
  }
}

const give = Effect.fnUntraced(function*(id: QuestionId, answer: Answer) {
  const client = yield* DaemonClient
  const output = yield* Output
  const response = yield* client.of(RunsGroup).answer({ params: { id }, payload: { answer } })
  if (output.json) return yield* output.document(Schema.encodeSync(QuestionAnswered)(response))
  yield* output.note(doneOf(response.question, answer))
})

const choicesOf = ({ policies, rules }: Question): Readonly<Record<string, Answer>> => ({
  o: "once",
  ...(rules.length === 0 ? {} : { r: "run" as const }),
  ...(policies.length === 0 ? {} : { a: "always" as const }),
  n: "no"
})

/** Asks in this terminal. Undefined if the user skips the question. */
const askHere = Effect.fnUntraced(function*(question: Question) {
  const output = yield* Output
  const choices = choicesOf(question)
  yield* output.tell(`The run ${question.run} waits with: ${requestOf(question)}`)
  if (question.rules.length > 0) yield* output.tell(`Rule: ${question.rules.join(", ")}`)
  const words = [
    "[o]nce",
    ...(choices["r"] === undefined ? [] : ["for this [r]un"]),
    ...(choices["a"] === undefined ? [] : [`[a]lways with ${question.policies.join(", ")}`]),
    "[n]o",
    "[s]kip"
  ]
  const typed = yield* Prompt.line(`Allow it? ${words.join(", ")}`, "s")
  return choices[typed.trim().toLowerCase().slice(0, 1)]
})

/** Asks about all questions that were not skipped before. */
const askAll = Effect.fnUntraced(function*(questions: ReadonlyArray<Question>, skipped: Set<string>) {
  const output = yield* Output
  for (const question of questions) {
    if (skipped.has(question.id)) continue
    const answer = yield* askHere(question)
    if (answer === undefined) skipped.add(question.id)
    else {
      yield* Effect.catchTag(
        give(question.id, answer),
        "OperationNotAllowedError",
        ({ message }) => output.tell(message)
      )
    }
  }
})

const waiting = Effect.flatMap(DaemonClient, (client) => client.of(RunsGroup).questions())

const listAll = Effect.fnUntraced(function*(watch: boolean) {
  const output = yield* Output
  const first = yield* waiting
  if (output.json) return yield* output.document(Schema.encodeSync(QuestionList)(first))
  const skipped = new Set<string>()
  if (watch) {
    yield* Prompt.requireTerminal
    yield* output.note("Waiting for requests outside the rules of runs. Stop with Ctrl-C.")
    return yield* Effect.forever(
      Effect.andThen(
        Effect.flatMap(waiting, ({ questions }) => askAll(questions, skipped)),
        Effect.sleep("1 second")
      )
    )
  }
  if (first.questions.length === 0) return yield* output.note("No request waits for you.")
  if (output.interactive) return yield* askAll(first.questions, skipped)
  yield* output.data(output.table(
    ["ID", "RUN", "REQUEST", "POLICIES"],
    first.questions.map((question) => [
      { text: question.id },
      { text: question.run },
      { text: requestOf(question) },
      { text: question.policies.length === 0 ? "-" : question.policies.join(", ") }
    ])
  ))
})

const refused = (path: string, message: string) => InvalidRequestError.of([{ path, message }])

export const approve = Effect.fnUntraced(function*({ answer, id, watch }: {
  readonly id: Option.Option<QuestionId>
  readonly answer: Option.Option<"once" | "run" | "always">
  readonly watch: boolean
}) {
  const output = yield* Output
  if (Option.isSome(id)) {
    if (watch) return yield* refused("--watch", "is only allowed without an ID")
    return yield* give(id.value, Option.getOrElse(answer, () => "once" as const))
  }
  if (Option.isSome(answer)) return yield* refused("--for", "is only allowed with an ID")
  if (watch && output.json) return yield* refused("--watch", "cannot be combined with --json")
  yield* listAll(watch)
}, provideDaemon())

export const deny = Effect.fnUntraced(function*({ id }: { readonly id: QuestionId }) {
  yield* give(id, "no")
}, provideDaemon())
