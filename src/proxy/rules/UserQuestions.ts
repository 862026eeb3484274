/**
 * Asks the user about requests outside the rules of a run, and remembers the answers for the rest of the run.
 *
 * No answer can override the rules of outer runs or deny rules, or allow a request whose meaning is uncertain. Requests
 * of the same kind wait for one answer. `once` allows the oldest of them; the user is asked about the next one.
 */
import type { Outcome } from "../../domain/rules/Question.ts"
import { formatSegments, readingsOf } from "../../domain/rules/RequestPath.ts"
import type { RuleSets } from "../../domain/rules/RuleSchemas.ts"
import {
  type CompiledRules,
  compileRules,
  type RuleDecision,
  type RuledRequest,
  ruleSetIdentity,
  rulesFor
} from "../../domain/rules/RuleSet.ts"
import { formatAuthority } from "../../outbound/Authority.ts"
import type { RefusedRequest } from "../ErrorResponse.ts"
import type { TokenLimit } from "./TokenLimit.ts"

/** Why the user has not approved a request. */
export type Unapproved = NonNullable<RefusedRequest["approval"]>

/** A question as the user sees it. */
export interface ApprovalQuestion {
  readonly method: string
  readonly host: string
  /** The path in the form that rules match, which does not depend on how the client encoded it. */
  readonly path: string
  readonly webSocket: boolean
  /** The number of LLM tokens that the run has used, in a question about the token limit. */
  readonly tokens?: number
  /** The rules that `run` and `always` add. Empty if no rule can allow the request. */
  readonly rules: ReadonlyArray<string>
  /** The policies that `always` adds the rules to. Empty if adding them would not allow the request. */
  readonly policies: ReadonlyArray<string>
}

type UserOutcome = Exclude<Outcome, "waiting"> | "unavailable"

/** Asks a question, and reports the answer once. The returned function withdraws the question. */
export type AskUser = (
  question: ApprovalQuestion,
  answered: (outcome: UserOutcome) => void
) => () => void

/** How to ask the user, and about what. */
export interface ApprovalSettings {
  readonly ask: AskUser
  /** The rules of the run, with those that it inherits. */
  readonly rules: RuleSets
  /** The rules of outer runs, which no answer can override. */
  readonly outerRules: RuleSets
}

type Waiter = (answer: "approved" | Unapproved) => void

interface Waiting {
  readonly waiters: Set<Waiter>
  /** The limit that the question is about, or undefined for a question about rules. */
  readonly tokens: TokenLimit | undefined
  withdraw: () => void
}

const MAX_QUESTIONS = 16
const MAX_WAITERS = 128
const MAX_DENIED = 1024
/** The maximum length of the path, and of all rules together, that a question may show. */
const MAX_SHOWN = 2048

const questionPath = ({ path }: RuledRequest): string => {
  const readings = readingsOf(path)
  return readings === undefined ? path : formatSegments(readings.whole)
}

export class UserQuestions {
  readonly #ask: AskUser
  readonly #outer: CompiledRules
  /** The rules of the run that no outer run has. */
  readonly #own: CompiledRules
  /**
   * The rules that were approved for the run: under the key `true` for WebSockets, which send more than their question
   * shows, and under `false` for other requests.
   */
  readonly #approved = new Map<boolean, { readonly allow: ReadonlyArray<string>; readonly compiled: CompiledRules }>()
  readonly #waiting = new Map<string, Waiting>()
  readonly #denied = new Set<string>()
  #waiters = 0

  constructor({ ask, outerRules, rules }: ApprovalSettings) {
    const outer = new Set(outerRules.map(ruleSetIdentity))
    this.#ask = ask
    this.#outer = compileRules(outerRules)
    this.#own = compileRules(rules.filter((set) => !outer.has(ruleSetIdentity(set))))
  }

  /** Decides by the rules of outer runs and the approvals so far. `isOutside`: the user may be asked. */
  decide(request: RuledRequest): RuleDecision {
    const outer = this.#outer.decide(request)
    if (outer._tag === "Refused") return { ...outer, isOutside: false }
    const approved = this.#approved.get(request.isUpgrade)?.compiled.decide(request) ?? OUTSIDE
    return approved._tag === "Allowed" && outer._tag === "NeedsBody" ? outer : approved
  }

  /**
   * Asks the user, once for all requests of the same kind. `tokens`: the limit to ask about, in a question about LLM
   * tokens. The returned function withdraws the request.
   */
  ask(request: RuledRequest, waiter: Waiter, tokens?: TokenLimit): () => void {
    const { host, isUpgrade, method, port } = request
    const rules = tokens === undefined ? rulesFor(request) : []
    const path = questionPath(request)
    const key = JSON.stringify([method, host, port, path, isUpgrade, rules.toSorted(), tokens === undefined])
    const known = this.#waiting.get(key)
    const isTooMany = this.#waiters >= MAX_WAITERS || (known === undefined && this.#waiting.size >= MAX_QUESTIONS)
    const isTooLong = path.length > MAX_SHOWN || rules.join().length > MAX_SHOWN
    if (this.#denied.has(key) || isTooMany || isTooLong) {
      const answer = this.#denied.has(key) ? "denied" : "unavailable"
      queueMicrotask(() => waiter(answer))
      return () => {}
    }
    this.#waiters++
    if (known === undefined) {
      const question = {
        method,
        host: formatAuthority({ kind: "name", host, port }, 443),
        path,
        webSocket: isUpgrade,
        ...(tokens === undefined ? {} : { tokens: tokens.used }),
        rules,
        policies: rules.length === 0 ? [] : this.#policies(request)
      }
      this.#begin(key, question, new Set([waiter]), tokens)
    } else known.waiters.add(waiter)
    return () => {
      const waiting = this.#waiting.get(key)
      if (waiting?.waiters.delete(waiter) !== true) return
      this.#waiters--
      if (waiting.waiters.size > 0) return
      this.#waiting.delete(key)
      waiting.withdraw()
    }
  }

  #begin(key: string, question: ApprovalQuestion, waiters: Set<Waiter>, tokens: TokenLimit | undefined): void {
    const waiting: Waiting = { waiters, tokens, withdraw: () => {} }
    this.#waiting.set(key, waiting)
    waiting.withdraw = this.#ask(question, (outcome) => {
      if (this.#waiting.get(key) !== waiting) return
      this.#waiting.delete(key)
      if (outcome === "run") {
        if (tokens === undefined) this.#approve(question)
        else this.#lift(tokens)
      } else if (outcome === "no") {
        if (this.#denied.size >= MAX_DENIED) this.#denied.clear()
        this.#denied.add(key)
      }
      const [first, ...others] = waiters
      const rest = outcome === "once" ? others : []
      this.#waiters -= waiters.size - rest.length
      if (rest.length > 0) this.#begin(key, question, new Set(rest), tokens)
      for (const waiter of outcome === "once" ? [first!] : waiters) waiter(answerOf(outcome))
    })
  }

  /** Allows the run to use more LLM tokens, which answers all questions about tokens. */
  #lift(tokens: TokenLimit): void {
    tokens.lift()
    for (const [key, { tokens: asked, waiters, withdraw }] of this.#waiting) {
      if (asked === undefined) continue
      this.#waiting.delete(key)
      this.#waiters -= waiters.size
      withdraw()
      for (const waiter of waiters) waiter("approved")
    }
  }

  #approve({ rules, webSocket }: ApprovalQuestion): void {
    // A set without allow rules would allow every request.
    if (rules.length === 0) return
    for (const isUpgrade of webSocket ? [true, false] : [false]) {
      const allow = [...this.#approved.get(isUpgrade)?.allow ?? [], ...rules]
      this.#approved.set(isUpgrade, { allow, compiled: compileRules([{ allow, deny: [], readonly: false }]) })
    }
  }

  /** The policies to extend so that the request is allowed. Empty if anything other than their allow rules refuses it. */
  #policies(request: RuledRequest): ReadonlyArray<string> {
    const refusing = this.#own.refusing(request)
    return refusing.every(({ policy, readonly }) => policy !== undefined && !readonly)
      ? refusing.map(({ policy }) => policy!)
      : []
  }
}

const OUTSIDE: RuleDecision = {
  _tag: "Refused",
  reason: "no rule allows it",
  rule: null,
  allow: null,
  isOutside: true,
  needsBody: false
}

const answerOf = (outcome: UserOutcome): "approved" | Unapproved => {
  if (outcome === "once" || outcome === "run") return "approved"
  return outcome === "no" ? "denied" : outcome
}
