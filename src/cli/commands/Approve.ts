/** Lists the requests that wait for the user's approval, and sends the user's answers. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ResponseOf } from "../../api/Operations.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { type Answer, type QuestionId, requestText } from "../../domain/rules/Question.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"
import { sanitizeLine } from "../output/Sanitize.ts"
import { confirmed } from "./Confirmations.ts"

type Question = ResponseOf<"runs.questions">["questions"][number]

const textOf = (question: Question): string => requestText({ ...question, webSocket: question.web_socket === true })

/** The name of the run, with the program that the run itself reports, and whose name may imitate other text. */
const runText = ({ program, run }: Question): string =>
  program === undefined ? run : `${run} (${sanitizeLine(program)})`

const doneOf = (question: Question, answer: Answer): string => {
  switch (answer) {
    case "once":
      return `Allowed once for the run ${runText(question)}: ${textOf(question)}`
    case "run":
      return `Allowed for the run ${runText(question)}: ${
        question.tokens === undefined ? question.rules.join(", ") : "any number of tokens"
      }`
    case "always":
      return `Added to the policy ${question.policies.join(", ")}: ${question.rules.join(", ")}`
    case "no":
      return `Denied for the run ${runText(question)}: ${textOf(question)}`
  }
}

const give = Effect.fnUntraced(function*(id: string, answer: Answer) {
  const output = yield* Output
  const response = yield* call("runs.answer", { id, answer })
  if (output.json) return yield* output.document(response)
  yield* output.note(doneOf(response.question, answer))
})

const choicesOf = ({ policies, rules, tokens }: Question): ReadonlyArray<readonly [answer: Answer, text: string]> => [
  ["once", "[o]nce"],
  ...(rules.length === 0 && tokens === undefined ? [] : [["run", "for this [r]un"]] as const),
  ...(policies.length === 0 ? [] : [["always", `[a]lways with ${policies.join(", ")}`]] as const),
  ["no", "[n]o"]
]

/** The number of characters from which the host of a path is shown again. */
const longPath = 200

/** Shows a question, and discards what was typed before the user could read it. */
const show = Effect.fnUntraced(function*(question: Question) {
  const output = yield* Output
  yield* output.tell(`The run ${question.run} asks to send: ${textOf(question)}`)
  yield* output.tell(`ID: ${question.id}`)
  if (question.program !== undefined) yield* output.tell(`Program: ${sanitizeLine(question.program)}`)
  if (question.tokens !== undefined) yield* output.tell(`The run has used all of its tokens: ${question.tokens}`)
  if (question.rules.length > 0) yield* output.tell(`Rule: ${question.rules.join(", ")}`)
  // The program chooses the path, and a long one scrolls the beginning of the question out of the terminal.
  if (question.path.length > longPath) yield* output.tell(`Request: ${question.method} to ${question.host}`)
  yield* Prompt.discardTyped
})

/** Asks the question in this terminal. Returns undefined if the user skips it. */
const askHere = Effect.fnUntraced(function*(question: Question) {
  const output = yield* Output
  yield* show(question)
  const choices = choicesOf(question)
  const words = [...choices.map(([, text]) => text), "[s]kip"]
  while (true) {
    const typed = (yield* Prompt.line(`Allow it? ${words.join(", ")}`, "s")).trim().toLowerCase()
    if (typed === "s" || typed === "skip") return undefined
    if (typed === "y" || typed === "yes") return "once"
    // A letter or the whole word is needed, because "reject" begins like "run".
    const chosen = choices.find(([answer]) => typed === answer || typed === answer[0])
    if (chosen !== undefined) return chosen[0]
    yield* output.tell("Answer with a letter in brackets.")
    yield* Prompt.discardTyped
  }
})

const confirmations = { once: "Allow it once?", run: "Allow it for this run?", always: "Allow it always?" } as const

/**
 * Shows the waiting request with this ID and asks for confirmation, because the program may have printed another request with
 * this ID in the terminal of the run.
 */
const confirm = Effect.fnUntraced(function*(id: QuestionId, answer: keyof typeof confirmations) {
  const question = (yield* call("runs.questions")).questions.find((question) => question.id === id)
  // If no such question is waiting, the daemon refuses the answer and says why.
  if (question === undefined) return
  yield* show(question)
  yield* confirmed(confirmations[answer], "Nothing was allowed.")
})

/** Asks the user each question that the user has not skipped before. */
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

const listAll = Effect.fnUntraced(function*(watch: boolean) {
  const output = yield* Output
  const first = yield* call("runs.questions")
  if (output.json) return yield* output.document(first)
  const skipped = new Set<string>()
  if (watch) {
    yield* Prompt.requireTerminal
    yield* output.note("Waiting for requests that the rules of a run do not allow. Stop with Ctrl-C.")
    return yield* Effect.forever(
      Effect.andThen(
        Effect.flatMap(call("runs.questions"), ({ questions }) => askAll(questions, skipped)),
        Effect.sleep("1 second")
      )
    )
  }
  if (first.questions.length === 0) return yield* output.note("No request waits for your approval.")
  if (output.interactive) return yield* askAll(first.questions, skipped)
  yield* output.data(output.table(first.questions, {
    ID: ({ id }) => id,
    RUN: runText,
    REQUEST: textOf,
    POLICIES: ({ policies }) => policies.join(", ") || "-"
  }))
})

export const approve = Effect.fnUntraced(function*({ answer, id, watch }: {
  readonly id: Option.Option<QuestionId>
  readonly answer: Option.Option<"once" | "run" | "always">
  readonly watch: boolean
}) {
  const output = yield* Output
  if (Option.isSome(id)) {
    if (watch) return yield* InvalidRequestError.at("--watch", "is only allowed without an ID")
    const given = Option.getOrElse(answer, () => "once" as const)
    if (output.interactive) yield* confirm(id.value, given)
    return yield* give(id.value, given)
  }
  if (Option.isSome(answer)) return yield* InvalidRequestError.at("--for", "is only allowed with an ID")
  if (watch && output.json) return yield* InvalidRequestError.at("--watch", "cannot be combined with --json")
  yield* listAll(watch)
}, provideDaemon())
