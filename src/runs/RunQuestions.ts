/**
 * Keeps the questions of runs until the user has answered, or their time is over.
 *
 * Only the process of a run can ask its questions. Commands inside a run cannot answer: the daemon must know the process of the
 * caller, and all runs that it descends from. Like every such check, this is a safeguard against programs that are not contained; a
 * contained run does not reach the daemon.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { AuditLog } from "../audit/AuditLog.ts"
import type { Peer } from "../callers/Caller.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import {
  type Answer,
  type AskedQuestion,
  type Outcome,
  POLL_SECONDS,
  type Question,
  type QuestionId
} from "../domain/rules/Question.ts"
import { QUESTION_SECONDS } from "../domain/rules/RuleSet.ts"
import type { AuditStatus } from "../domain/wire/AuditEntry.ts"
import type { Run } from "../domain/wire/Run.ts"
import { Policies } from "../policies/Policies.ts"
import { Notices } from "./Notices.ts"
import { RunRegistry } from "./RunRegistry.ts"

const MAX_OF_RUN = 16
const MAX_OF_ALL = 64
/** The proxy asks again immediately, so the daemon withdraws a question after this time if no request waits for it. */
const ABANDONED_MILLISECONDS = 5000

interface Entry {
  readonly question: Question
  readonly runId: string
  readonly answered: Deferred.Deferred<Outcome>
  /** The number of requests of the proxy that wait for the answer. */
  polls: number
  polledAt: number
  /** Whether an answer is being stored. Of two answers, the first one counts. */
  claimed: boolean
}

/** Whether a run gets no more credentials, so that no answer would change anything for it. */
const isOver = ({ expiresAt, frozenAt, stoppedAt }: Run): boolean =>
  stoppedAt !== null || frozenAt !== null || (expiresAt !== null && expiresAt.epochMilliseconds <= Date.now())

const unknown = (id: string) =>
  OperationNotAllowedError.of(
    `The request "${id}" is not waiting: it was answered or has ended. List the waiting requests with: credsvc approve`
  )

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const policies = yield* Policies
  const notices = yield* Notices
  const registry = yield* RunRegistry
  const entries = new Map<string, Entry>()

  /** Removes the questions that nothing waits for. */
  const sweep = (): void => {
    const now = Date.now()
    for (const [id, { answered, claimed, polledAt, polls, question }] of entries) {
      // An answer that came in time is being stored.
      if (claimed) continue
      const isLate = question.expiresAt.epochMilliseconds <= now
      if (isLate) Deferred.doneUnsafe(answered, Effect.succeed("expired"))
      if (polls === 0 && (isLate || now - polledAt > ABANDONED_MILLISECONDS)) entries.delete(id)
    }
  }

  const isWaiting = ({ answered }: Entry): boolean => !Deferred.isDoneUnsafe(answered)

  const waiting = Effect.sync(() => {
    sweep()
    return [...entries.values()].filter(isWaiting)
  })

  const addQuestion = Effect.fnUntraced(function*(
    runId: string,
    { name: run, profile, program, rules }: Run,
    asked: AskedQuestion
  ) {
    const foreign = asked.policies.find((name) => !rules.some(({ policy }) => policy === name))
    if (foreign !== undefined) {
      return yield* InvalidRequestError.at("/policies", `${foreign} is not a policy of this run`)
    }
    const all = yield* waiting
    if (all.length >= MAX_OF_ALL || all.filter((entry) => entry.runId === runId).length >= MAX_OF_RUN) {
      return yield* OperationNotAllowedError.of(
        "Too many requests wait for an answer. Answer some of them with: credsvc approve"
      )
    }
    const askedAt = yield* DateTime.now
    const entry: Entry = {
      question: {
        ...asked,
        run,
        ...(program === undefined ? {} : { program }),
        profile,
        askedAt,
        expiresAt: DateTime.add(askedAt, { seconds: QUESTION_SECONDS })
      },
      runId,
      answered: yield* Deferred.make<Outcome>(),
      polls: 0,
      polledAt: Date.now(),
      claimed: false
    }
    entries.set(asked.id, entry)
    yield* notices.send({
      kind: "question",
      profile,
      subject: run,
      text: `A request of the run ${run} waits for an answer.`,
      path: "/ui/approvals"
    })
    return entry
  })

  /** Waits for the answer to a question of a run, for some seconds. Fails if the caller is not the process of a run that asks. */
  const ask = Effect.fnUntraced(function*(socket: Peer, runId: string, asked: AskedQuestion) {
    const run = yield* registry.runOf(socket, runId)
    if (run?.ask !== true || isOver(run)) {
      return yield* OperationNotAllowedError.of("Only a run that was started with --ask can ask.")
    }
    const known = entries.get(asked.id)
    if (known !== undefined && known.runId !== runId) return yield* unknown(asked.id)
    const entry = known ?? (yield* addQuestion(runId, run, asked))
    const left = entry.claimed ? Infinity : entry.question.expiresAt.epochMilliseconds - Date.now()
    entry.polls++
    const outcome = yield* Deferred.await(entry.answered).pipe(
      Effect.timeoutOption(Math.max(0, Math.min(left, POLL_SECONDS * 1000))),
      Effect.ensuring(Effect.sync(() => {
        entry.polls--
        entry.polledAt = Date.now()
      }))
    )
    if (Option.isSome(outcome)) return outcome.value
    sweep()
    return isWaiting(entry) ? "waiting" : "expired"
  })

  const record = ({ profile, run }: Question, event: "run-approve" | "run-deny", status: AuditStatus) => {
    const entry = { event, connection: run, identity: profile, status }
    // A command inside a run can try to answer again and again.
    return status === "denied" ? audit.appendRepeatable(entry) : audit.append(entry)
  }

  /** Answers a question. Fails if the caller is inside a run, or cannot be determined. */
  const answer = Effect.fnUntraced(function*(socket: Peer, id: QuestionId, given: Answer) {
    const entry = (yield* waiting).find(({ question }) => question.id === id)
    const event = given === "no" ? "run-deny" : "run-approve"
    if (!(yield* registry.isOutside(socket))) {
      if (entry !== undefined) yield* record(entry.question, event, "denied")
      return yield* OperationNotAllowedError.of(
        "Commands inside credsvc run cannot answer for the user. Run this command outside of the run."
      )
    }
    if (entry === undefined) {
      const hosts = [...yield* registry.askElsewhere]
      return yield* hosts.length === 0 ? unknown(id) : OperationNotAllowedError.of(
        `The request "${id}" is not waiting at this daemon. Runs that ask are also registered with other daemons: answer on the ` +
          `machine of the run (${hosts.join(", ")}).`
      )
    }
    sweep()
    if (entry.claimed || !isWaiting(entry)) return yield* unknown(id)
    const { question } = entry
    if (given === "always" && question.policies.length === 0) {
      return yield* InvalidRequestError.at(
        "/answer",
        "\"always\" needs a run whose rules come from a policy: answer \"run\", or start the run with --policy"
      )
    }
    if (given === "run" && question.rules.length === 0 && question.tokens === undefined) {
      return yield* InvalidRequestError.at("/answer", "no rule can allow this request: answer \"once\"")
    }
    entry.claimed = true
    yield* Effect.onError(
      Effect.andThen(
        given === "always"
          ? policies.extend(question.profile, question.policies, question.rules)
          : Effect.void,
        record(question, event, "ok")
      ),
      () => Effect.sync(() => void (entry.claimed = false))
    )
    yield* Deferred.succeed(entry.answered, given === "always" ? "run" : given)
    entry.claimed = false
    return question
  })

  /** The waiting questions of all runs, oldest first. */
  const list = Effect.map(waiting, (all) => all.map(({ question }) => question))

  return {
    ask,
    list,

    /** The waiting questions that a peer may see. A command inside a run sees only the questions of that run. */
    visibleTo: (peer: Peer) =>
      Effect.zipWith(
        registry.innermost(peer),
        list,
        (inside, all) => inside === undefined ? all : all.filter(({ run }) => run === inside)
      ),

    answer
  }
})

export class RunQuestions
  extends Context.Service<RunQuestions, Effect.Success<typeof make>>()("credsvc/runs/RunQuestions")
{
  static readonly layerNoDeps = Layer.effect(RunQuestions, make)
}
