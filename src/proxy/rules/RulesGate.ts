/** Applies the rules of a run to one request: makes its canonical form, decides, asks the user, and checks its body. */
import { MAX_GRAPHQL_BODY } from "../../domain/rules/GraphQl.ts"
import type { RuleRecorder } from "../../domain/rules/RuleRecorder.ts"
import { type CompiledRules, type RuledRequest, rulesFor } from "../../domain/rules/RuleSet.ts"
import type { Refusal } from "../ErrorResponse.ts"
import type { RequestHead } from "../routing/RequestValidation.ts"
import { decideRoute, type HostRoutes } from "../routing/RouteTable.ts"
import { type BodyCheck, CarriedRequestsError, UncheckableError } from "./BodyCheck.ts"
import {
  type CheckableRequest,
  checkableRequest,
  decodedBody,
  ENCODED,
  MAX_ENCODED_BODY,
  withBody
} from "./CheckableRequest.ts"
import {
  type ApprovalNeeded,
  checkApproval,
  checkRules,
  graphQlIn,
  isShort,
  mayShowFields,
  recordRequest,
  ruledRequest,
  ruleRefusal,
  TOO_LONG,
  uncheckableRefusal
} from "./RuleCheck.ts"
import type { UserQuestions } from "./UserQuestions.ts"

/** The part of an exchange that the gate uses. */
export interface GatedExchange {
  /** Whether the exchange is over, or refused. */
  readonly isOver: boolean
  /** Reads the whole body. `done` is not called if the exchange ends before that. */
  readonly readBody: (limit: number, done: (content: Buffer | "too long") => void) => void
  readonly refuse: (refusal: Refusal) => void
  readonly permitted: (request: PermittedRequest) => void
}

/** A request as the rules allow it. */
export interface PermittedRequest {
  readonly head: RequestHead
  /** The body, if it was read. */
  readonly content: Buffer | undefined
  /** Checks the body as it is sent, if it was not read. */
  readonly check: BodyCheck | undefined
  /** The first rule that allows the request. */
  readonly rule: string | null
  /** Adds the request to the recorded requests of the run. */
  readonly record: () => void
}

interface GateLimits {
  readonly approvals?: UserQuestions | undefined
  readonly recorder?: RuleRecorder | undefined
  readonly rules?: CompiledRules | undefined
}

/** The refusal of a request whose form a step cannot check, or undefined if `check` does not throw. */
export const formRefusal = ({ head }: Pick<PermittedRequest, "head">, check: () => void): Refusal | undefined => {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof UncheckableError)) throw error
    const allow = error instanceof CarriedRequestsError ? rulesFor(ruledRequest(head, "hidden"))[0] ?? null : null
    return ruleRefusal(head, { ...uncheckableRefusal(error.message), allow })
  }
}

const UNLIMITED = { _tag: "Allowed", rule: null } as const

export class RulesGate {
  readonly #exchange: GatedExchange
  readonly #limits: GateLimits
  #head: RequestHead
  #coding: string | undefined
  #check: CheckableRequest["check"]
  #content: Buffer | undefined
  #fields: RuledRequest["fields"]
  #withdraw: (() => void) | undefined

  constructor(exchange: GatedExchange, limits: GateLimits, head: RequestHead) {
    this.#exchange = exchange
    this.#limits = limits
    this.#head = head
  }

  /** Ends with one call of `permitted` or `refuse`, if the exchange does not end before that. */
  begin(routes: HostRoutes): void {
    if (this.#limits.rules === undefined) return this.#decide()
    this.#checked(() => {
      const { method, target } = this.#head
      const route = decideRoute(routes, method, target)
      // Bodies of signed requests are not checked: services that require signatures allow no overrides in a body, and store files
      // unchanged.
      const isOpaque = route._tag === "Routed" && route.route.signing !== undefined
      const { check, coding, head } = checkableRequest(this.#head, isOpaque)
      this.#head = head
      this.#coding = coding
      this.#check = check
    }, () => this.#decide())
  }

  /** Withdraws the open question to the user, if any. */
  withdraw(): void {
    this.#withdraw?.()
    this.#withdraw = undefined
  }

  #decide(): void {
    const { approvals, recorder, rules } = this.#limits
    const head = this.#head
    const fields = this.#fields
    const byRules = rules === undefined ? UNLIMITED : checkRules(rules, head, fields)
    const decision = byRules._tag === "Refused" && approvals !== undefined
      ? checkApproval(approvals, head, fields, byRules)
      : byRules
    if (decision._tag === "Refused") return this.#exchange.refuse(ruleRefusal(head, decision))
    if (decision._tag === "Ask") return this.#ask(approvals!, decision)
    const isRecorded = recorder !== undefined && fields === undefined && mayShowFields(head) && isShort(head)
    if (decision._tag === "NeedsBody" || isRecorded) {
      return this.#exchange.readBody(MAX_GRAPHQL_BODY, (content) => {
        if (content === "too long") return this.#exchange.refuse(ruleRefusal(head, TOO_LONG))
        this.#checked(() => this.#read(content), () => this.#decide())
      })
    }
    this.#permit(decision.rule)
  }

  #ask(approvals: UserQuestions, { refusal, request }: ApprovalNeeded): void {
    this.#withdraw = approvals.ask(request, (answer) => {
      this.#withdraw = undefined
      if (this.#exchange.isOver) return
      if (answer !== "approved") return this.#exchange.refuse(ruleRefusal(this.#head, refusal, answer))
      // The client may have gone away in this event-loop turn, which is known once all sockets were read.
      setImmediate(() => {
        if (!this.#exchange.isOver) this.#permit(rulesFor(request)[0] ?? null)
      })
    })
  }

  #permit(rule: string | null): void {
    const coding = this.#coding
    if (coding !== undefined && this.#content === undefined) {
      return this.#exchange.readBody(MAX_ENCODED_BODY, (content) =>
        this.#checked(() => {
          if (content === "too long") throw new UncheckableError(ENCODED)
          this.#replaceBody(decodedBody(coding, content))
        }, () => this.#permit(rule)))
    }
    const content = this.#content
    let check: BodyCheck | undefined
    this.#checked(() => {
      check = this.#check?.(this.#limits.rules!.mayCarryRequests(ruledRequest(this.#head, "hidden")))
      if (content === undefined) return
      check?.write(content)
      check?.end()
    }, () => this.#pass(rule, content === undefined ? check : undefined))
  }

  #pass(rule: string | null, check: BodyCheck | undefined): void {
    const { recorder } = this.#limits
    const head = this.#head
    const fields = this.#fields
    this.#exchange.permitted({
      head,
      content: this.#content,
      check,
      rule,
      record: () => {
        if (recorder !== undefined) recordRequest(recorder, head, fields)
      }
    })
  }

  /** Reads the GraphQL fields in the body. In a run with rules, the server gets the document as it was read here. */
  #read(received: Buffer): void {
    const isLimited = this.#limits.rules !== undefined
    const content = isLimited && this.#coding !== undefined ? decodedBody(this.#coding, received) : received
    if (content !== received) this.#replaceBody(content)
    else this.#content = content
    const read = graphQlIn(this.#head, content)
    this.#fields = read?.fields ?? "hidden"
    if (read !== undefined && isLimited) this.#replaceBody(Buffer.from(read.body))
  }

  #replaceBody(content: Buffer): void {
    this.#content = content
    this.#head = withBody(this.#head, content)
  }

  #checked(step: () => void, then: () => void): void {
    const refusal = formRefusal({ head: this.#head }, step)
    if (refusal === undefined) then()
    else this.#exchange.refuse(refusal)
  }
}
