/**
 * Keeps the questions of runs until the user has answered, or their time is over.
 *
 * Only the process of a run can ask its questions. Commands inside a run cannot answer: the daemon must know the process of the
 * caller, and all runs that it descends from. Like every such check, this is a safeguard against programs that are not contained; a
 * contained run does not reach the daemon.
 */
import * as Clock from "effect/Clock"
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
const isOver = ({ expiresAt, frozenAt, stoppedAt }: Run, now: number): boolean =>
  stoppedAt !== null || frozenAt !== null || (expiresAt !== null && expiresAt.epochMilliseconds <= now)

const unknown = (id: string) =>
  OperationNotAllowedError.of(
    `The request "${id}" is not waiting: it was answered or has ended. List the waiting requests with: credsvc approve`
  )

const unknownHere = (id: string, hosts: ReadonlySet<string>) =>
  hosts.size === 0 ? unknown(id) : OperationNotAllowedError.of(
    `The request "${id}" is not waiting at this daemon. Runs that ask are also registered with other daemons: answer on the ` +
      `machine of the run (${[...hosts].join(", ")}).`
  )

/** Why the answer to a question would allow nothing, or undefined. */
const answerProblem = ({ policies, rules, tokens }: Question, given: Answer): string | undefined => {
  if (given === "always" && policies.length === 0) {
    return "\"always\" needs a run whose rules come from a policy: answer \"run\", or start the run with --policy"
  }
  return given === "run" && rules.length === 0 && tokens === undefined
    ? "no rule can allow this request: answer \"once\""
    : undefined
}

const makeEntry = Effect.fnUntraced(
  function*(runId: string, { name: run, profile, program }: Run, asked: AskedQuestion) {
    const askedAt = yield* DateTime.now
    const question: Question = {
      ...asked,
      run,
      ...(program === undefined ? {} : { program }),
      profile,
      askedAt,
      expiresAt: DateTime.add(askedAt, { seconds: QUESTION_SECONDS })
    }
    const answered = yield* Deferred.make<Outcome>()
    const entry: Entry = { question, runId, answered, polls: 0, polledAt: askedAt.epochMilliseconds, claimed: false }
    return entry
  }
)

const isWaiting = ({ answered }: Entry): boolean => !Deferred.isDoneUnsafe(answered)

/** The questions of all runs, oldest first. */
class Entries extends Map<string, Entry> {
  /** Ends the questions whose time is over, and removes those that nothing waits for. Returns those that wait for an answer. */
  sweep(now: number): ReadonlyArray<Entry> {
    for (const [id, { answered, claimed, polledAt, polls, question }] of this) {
      // An answer that came in time is being stored.
      if (claimed) continue
      const isLate = question.expiresAt.epochMilliseconds <= now
      if (isLate) Deferred.doneUnsafe(answered, Effect.succeed("expired"))
      if (polls === 0 && (isLate || now - polledAt > ABANDONED_MILLISECONDS)) this.delete(id)
    }
    return [...this.values()].filter(isWaiting)
  }
}

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const policies = yield* Policies
  const notices = yield* Notices
  const registry = yield* RunRegistry
  const entries = new Entries()
  const sweep = Effect.map(Clock.currentTimeMillis, (now) => entries.sweep(now))

  const addQuestion = Effect.fnUntraced(function*(runId: string, run: Run, asked: AskedQuestion) {
    const foreign = asked.policies.find((name) => !run.rules.some(({ policy }) => policy === name))
    if (foreign !== undefined) {
      return yield* InvalidRequestError.at("/policies", `${foreign} is not a policy of this run`)
    }
    const waiting = yield* sweep
    if (waiting.length >= MAX_OF_ALL || waiting.filter((entry) => entry.runId === runId).length >= MAX_OF_RUN) {
      return yield* OperationNotAllowedError.of(
        "Too many requests wait for an answer. Answer some of them with: credsvc approve"
      )
    }
    const entry = yield* makeEntry(runId, run, asked)
    entries.set(asked.id, entry)
    yield* notices.send({
      kind: "question",
      profile: run.profile,
      subject: run.name,
      text: `A request of the run ${run.name} waits for an answer.`,
      path: "/ui/approvals"
    })
    return entry
  })

  /** Waits for the answer to a question of a run, for some seconds. Fails if the caller is not the process of a run that asks. */
  const ask = Effect.fnUntraced(function*(socket: Peer, runId: string, asked: AskedQuestion) {
    const run = yield* registry.runOf(socket, runId)
    if (run?.ask !== true || isOver(run, yield* Clock.currentTimeMillis)) {
      return yield* OperationNotAllowedError.of("Only a run that was started with --ask can ask.")
    }
    const known = entries.get(asked.id)
    if (known !== undefined && known.runId !== runId) return yield* unknown(asked.id)
    const entry = known ?? (yield* addQuestion(runId, run, asked))
    const now = yield* Clock.currentTimeMillis
    const left = entry.claimed ? Infinity : entry.question.expiresAt.epochMilliseconds - now
    entry.polls++
    const outcome = yield* Deferred.await(entry.answered).pipe(
      Effect.timeoutOption(Math.max(0, Math.min(left, POLL_SECONDS * 1000))),
      Effect.ensuring(Effect.map(Clock.currentTimeMillis, (now) => {
        entry.polls--
        entry.polledAt = now
      }))
    )
    if (Option.isSome(outcome)) return outcome.value
    yield* sweep
    return isWaiting(entry) ? "waiting" : "expired"
  })

  const record = ({ profile, run }: Question, event: "run-approve" | "run-deny", status: AuditStatus) => {
    const entry = { event, connection: run, identity: profile, status }
    // A command inside a run can try to answer again and again.
    return status === "denied" ? audit.appendRepeatable(entry) : audit.append(entry)
  }

  /** Answers a question. Fails if the caller is inside a run, or cannot be determined. */
  const answer = Effect.fnUntraced(function*(socket: Peer, id: QuestionId, given: Answer) {
    const entry = (yield* sweep).find(({ question }) => question.id === id)
    const event = given === "no" ? "run-deny" : "run-approve"
    if (!(yield* registry.isOutside(socket))) {
      if (entry !== undefined) yield* record(entry.question, event, "denied")
      return yield* OperationNotAllowedError.of(
        "Commands inside credsvc run cannot answer for the user. Run this command outside of the run."
      )
    }
    if (entry === undefined) return yield* unknownHere(id, yield* registry.askElsewhere)
    yield* sweep
    if (entry.claimed || !isWaiting(entry)) return yield* unknown(id)
    const { question } = entry
    const problem = answerProblem(question, given)
    if (problem !== undefined) return yield* InvalidRequestError.at("/answer", problem)
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
  const list = Effect.map(sweep, (all) => all.map(({ question }) => question))

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
