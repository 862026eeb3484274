/** Questions of runs: requests outside the rules of a run, which wait until the user has answered. */
import * as Schema from "effect/Schema"
import { ProfileHandle } from "../wire/Profile.ts"
import { Program, RunName } from "../wire/Run.ts"
import { named, struct, Timestamp, wire } from "../wire/Wire.ts"
import { PolicyName, Rules } from "./RuleSchemas.ts"

export const QuestionId = Schema.String.pipe(named("QuestionId", "The ID of a question")).check(
  Schema.isPattern(/^[0-9a-f]{8}$/u, { expected: "the ID of a question" })
).pipe(Schema.brand("QuestionId"))
export type QuestionId = typeof QuestionId.Type

const request = {
  id: [QuestionId, "The ID of the question, which the proxy chooses"],
  method: [
    Schema.String.check(Schema.isPattern(/^[A-Z][A-Z-]{0,19}$/u, { expected: "a method" })),
    "The method of the request"
  ],
  host: [Schema.String.check(Schema.isMaxLength(262)), "The host of the request, with its port unless that is 443"],
  path: [
    Schema.String.check(
      Schema.isPattern(/^\/[\x21-\x7e]{0,2047}$/u, { expected: "a path of at most 2048 characters" })
    ),
    "The path of the request, without query"
  ],
  webSocket: [
    Schema.optionalKey(Schema.Boolean),
    "Whether the request opens a WebSocket, whose messages rules cannot check"
  ],
  tokens: [
    Schema.optionalKey(Schema.Int),
    "The LLM tokens that the run has used, if the request waits because the run has reached its token limit"
  ],
  rules: [Rules, "Rules that allow such requests; empty if no rule can"],
  policies: [
    Schema.Array(PolicyName).check(Schema.isMaxLength(32)),
    "The policies that the rules would be added to; empty if that would not allow the request"
  ]
} as const

/** The time for which one request of the proxy waits for the answer. */
export const POLL_SECONDS = 20

/** The request of a question as text, which shows everything that the user approves. */
export const requestText = (
  { host, method, path, webSocket = false }: {
    readonly method: string
    readonly host: string
    readonly path: string
    readonly webSocket?: boolean
  }
): string => `${method} ${host}${path}${webSocket ? " (WebSocket)" : ""}`

export const AskedQuestion = wire("AskedQuestion", "A request that waits for the user", request)
export type AskedQuestion = typeof AskedQuestion.Type

export const Question = wire("Question", "A request that the rules of a run do not allow. It waits for the user", {
  ...request,
  run: [RunName, "The run that sent the request"],
  program: [Program, "The name of the program that the run has started, according to the run"],
  profile: [ProfileHandle, "The profile of the run"],
  askedAt: [Timestamp, "When the request began to wait"],
  expiresAt: [Timestamp, "When the request is refused without an answer"]
})
export type Question = typeof Question.Type

export const QuestionList = struct("QuestionList", "The requests that wait for the user", {
  questions: [Schema.Array(Question), "The questions, oldest first"]
})

export const Answer = Schema.Literals(["once", "run", "always", "no"]).pipe(named(
  "Answer",
  "`once` allows one request. `run` allows such requests of this run, and `always` also those of later runs with the " +
    "policies of the question. `no` refuses such requests of this run"
))
export type Answer = typeof Answer.Type

export const GivenAnswer = wire("GivenAnswer", "The answer to a question", { answer: [Answer, "The answer"] })

export const QuestionAnswered = wire("QuestionAnswered", "The result of an answer", {
  status: [Schema.Literal("answered"), "The run has received the answer"],
  question: [Question, "The question"],
  answer: [Answer, "The answer"]
})

/** The state of a question for the proxy that asked it. */
export const Outcome = Schema.Literals(["once", "run", "no", "expired", "waiting"]).pipe(
  named("Outcome", "The answer. `expired`: no answer came in time. `waiting`: ask again with the same ID")
)
export type Outcome = typeof Outcome.Type

export const QuestionOutcome = wire("QuestionOutcome", "The state of a question", {
  outcome: [Outcome, "The answer, or the state of the question"]
})
