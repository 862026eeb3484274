/**
 * Limits the LLM tokens that model APIs report for the responses of a run.
 *
 * A response reports only at its end how many tokens it used, so requests that are in progress when the limit is reached
 * are completed.
 */
import type { RuleSets } from "../../domain/rules/RuleSchemas.ts"
import { leastTokens } from "../../domain/rules/RuleSet.ts"
import type { Refusal, RefusedRequest } from "../ErrorResponse.ts"
import type { RequestHead } from "../routing/RequestValidation.ts"

/** The member of a response with the token counts: as named by OpenAI, Anthropic and compatible APIs, or by Google. */
const USAGE = /"usage(?:Metadata)?"\s*:\s*\{/g
/** The maximum length of the matched beginning of such a member. */
const MAX_BEGINNING = 32
const MAX_USAGE = 4 * 1024
const MAX_DEPTH = 8

/** The members with a total, which includes the counts in `PARTS`. */
const TOTALS = ["total_tokens", "totalTokens", "totalTokenCount"]
const PARTS = (
  "input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens prompt_tokens completion_tokens " +
  "promptTokenCount candidatesTokenCount thoughtsTokenCount"
).split(" ")
const COUNTED = [...TOTALS, ...PARTS]

const isCount = (value: unknown): value is number => Number.isSafeInteger(value)

export type TokenReader = (chunk: Buffer) => void

const TOKEN = /"(?:[^"\\]|\\.)*(?:"|$)|[{}]/gs

/** The object that the text begins with, empty if it is not JSON or nested too deeply; undefined if it is incomplete. */
const objectIn = (text: string): Readonly<Record<string, unknown>> | undefined => {
  let depth = 0
  for (const { 0: token, index } of text.slice(0, MAX_USAGE).matchAll(TOKEN)) {
    depth += token === "{" ? 1 : token === "}" ? -1 : 0
    if (depth > MAX_DEPTH) return {}
    if (depth > 0) continue
    try {
      return JSON.parse(text.slice(0, index + 1)) as Record<string, unknown>
    } catch {
      return {}
    }
  }
  return undefined
}

/**
 * Reads the text of one response or message, chunk by chunk, and calls `count` with the increase of the reported tokens.
 * The events of a stream repeat the growing numbers, and some events contain only a part of them, so only the largest
 * value of each number counts.
 */
export const tokenReader = (count: (tokens: number) => void): TokenReader => {
  const greatest = new Map<string, number>()
  let counted = 0
  let rest = ""
  const sum = (names: ReadonlyArray<string>): number =>
    names.reduce((tokens, name) => tokens + (greatest.get(name) ?? 0), 0)
  return (chunk) => {
    const text = rest + chunk.toString("latin1")
    let at = 0
    rest = ""
    for (const found of text.matchAll(USAGE)) {
      const start = found.index + found[0].length - 1
      const usage = objectIn(text.slice(start))
      if (usage === undefined && text.length - start < MAX_USAGE) {
        rest = text.slice(found.index)
        break
      }
      at = start
      for (const name of COUNTED) {
        const tokens = usage?.[name]
        if (isCount(tokens) && tokens > (greatest.get(name) ?? 0)) greatest.set(name, tokens)
      }
    }
    if (rest === "") rest = text.slice(Math.max(at, text.length - MAX_BEGINNING))
    const total = sum(TOTALS) || sum(PARTS)
    if (total > counted) count(total - counted)
    counted = Math.max(counted, total)
  }
}

export class TokenLimit {
  /** The tokens of all responses so far. */
  used = 0
  #own: number
  readonly #outer: number
  /** The hosts whose responses reported tokens. */
  readonly #hosts = new Set<string>()

  constructor(own: number, outer: number) {
    this.#own = own
    this.#outer = outer
  }

  /** Creates the limit of a run; undefined if no rule set has one. */
  static of(sets: RuleSets, outer: RuleSets): TokenLimit | undefined {
    const own = leastTokens(sets)
    return own === Infinity ? undefined : new TokenLimit(own, leastTokens(outer))
  }

  add(host: string, tokens: number): void {
    this.used += tokens
    this.#hosts.add(host)
  }

  /**
   * Whether the token limit stops a request. `asks`: the user may raise the limit of this run. `refused`: the limit of an
   * outer run is used up.
   */
  excess(host: string, { method, upgrade }: RequestHead): "none" | "asks" | "refused" {
    if (this.used < this.#own || !this.#hosts.has(host) || (method !== "POST" && upgrade === undefined)) return "none"
    return this.used < this.#outer ? "asks" : "refused"
  }

  refusal(answer?: RefusedRequest["approval"]): Refusal {
    const asked = answer && `, and you have ${answer === "denied" ? "denied" : "not allowed"} more`
    return {
      status: 429,
      error: "RequestRefusedError",
      message:
        `the responses to this run have reported ${this.used} tokens, and the limit of the run is ${this.#own} (--max-tokens)${
          asked ?? ""
        }`
    }
  }

  /** Raises the limit to the limit of the outer runs, after the user has agreed. */
  lift(): void {
    this.#own = this.#outer
  }
}
