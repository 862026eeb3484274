/** The tokens that model APIs report, and runs that have used as many as they may. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { RuleSet } from "../../../src/domain/rules/RuleSchemas.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { tokenReader } from "../../../src/proxy/rules/TokenLimit.ts"
import type { ApprovalQuestion, AskUser } from "../../../src/proxy/rules/UserQuestions.ts"
import { live, promise } from "../../support/Fixture.ts"
import { HOST, proxied } from "../../support/ProxiedHost.ts"
import { until } from "../../support/Until.ts"

const events = (...data: ReadonlyArray<unknown>): string =>
  data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")

/** Texts of responses as the APIs document them, and the tokens that they took. */
const responses: ReadonlyArray<readonly [name: string, text: string, tokens: number]> = [
  [
    "a chat completion of OpenAI",
    JSON.stringify(
      {
        choices: [{ message: { content: "say \"usage\": {\"total_tokens\": 900}" } }],
        usage: {
          prompt_tokens: 19,
          completion_tokens: 10,
          total_tokens: 29,
          prompt_tokens_details: { cached_tokens: 5 },
          completion_tokens_details: { reasoning_tokens: 3 }
        },
        service_tier: "default"
      },
      null,
      2
    ),
    29
  ],
  [
    "a streamed chat completion",
    events(
      { choices: [{ delta: { content: "a" } }], usage: null },
      { choices: [], usage: { prompt_tokens: 8, completion_tokens: 9, total_tokens: 17 } }
    ) + "data: [DONE]\n\n",
    17
  ],
  [
    "a stream that repeats growing numbers",
    events(...[1, 2, 3].map((n) => ({ usage: { prompt_tokens: 5, completion_tokens: n, total_tokens: 5 + n } }))),
    8
  ],
  [
    "a streamed response of OpenAI",
    events(
      { type: "response.created", response: { usage: null } },
      {
        type: "response.completed",
        response: {
          usage: {
            input_tokens: 37,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 11,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 48
          }
        }
      }
    ),
    48
  ],
  [
    "a message of Anthropic",
    JSON.stringify({
      usage: {
        input_tokens: 20,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 1000,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
        output_tokens: 30,
        service_tier: "st{nd}rd"
      }
    }),
    1150
  ],
  [
    "a streamed message of Anthropic",
    events(
      { type: "message_start", message: { usage: { input_tokens: 25, output_tokens: 1 } } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 15 } }
    ),
    40
  ],
  [
    "streamed content of Google",
    JSON.stringify([
      { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 } },
      { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 8, thoughtsTokenCount: 3, totalTokenCount: 15 } }
    ]),
    15
  ],
  ["a Bedrock conversation", JSON.stringify({ usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }), 3],
  [
    "values that are not valid token counts",
    "{\"usage\": {\"total_tokens\": \"12\", \"input_tokens\": 1e400, \"output_tokens\": -3}}",
    0
  ],
  ["an incomplete object", `{"usage": {"a": "${"x".repeat(20_000)}`, 0],
  ["an object after one that is not JSON", "{\"usage\":{a}}{\"usage\":{\"total_tokens\":4}}", 4],
  ["an object after one that is nested too deeply", `{"usage":${"{".repeat(20)}{"usage":{"total_tokens":4}}`, 4],
  ["another member", "{\"usages\": {\"total_tokens\": 5}, \"usage\": [{\"total_tokens\": 5}]}", 0]
]

const tokensOf = (chunks: ReadonlyArray<string>): number => {
  let tokens = 0
  const read = tokenReader((more) => tokens += more)
  for (const chunk of chunks) read(Buffer.from(chunk))
  return tokens
}

describe("tokens that a response reports", () => {
  it.each(responses)("are read from %s", (_, text, tokens) => {
    assert.strictEqual(tokensOf([text]), tokens)
  })

  it("are read in linear time", () => {
    const started = process.cpuUsage()
    tokensOf([`${"\"usage\":{a".repeat(200)}${"}".repeat(2000)}`.repeat(4)])
    assert.isBelow(process.cpuUsage(started).user, 2_000_000)
  })

  it("are the same however the text is divided", () => {
    for (const [name, text, tokens] of responses) {
      for (let at = 1; at < Math.min(text.length, 700); at++) {
        assert.strictEqual(tokensOf([text.slice(0, at), text.slice(at)]), tokens, `${name} at ${at}`)
      }
      assert.strictEqual(tokensOf(text.slice(0, 2000).split("")), tokens, name)
    }
  })
})

const limit = (maxTokens: number): RuleSet => ({ allow: [], deny: [], readonly: false, maxTokens })

/** Each response reports 60 tokens, unless it is for `/other`. */
const api = (rules: ReadonlyArray<RuleSet>, more: Parameters<typeof proxied>[1] = {}) =>
  proxied((request, response) => {
    const text = request.url === "/other" ? "{}" : JSON.stringify({ usage: { total_tokens: 60 } })
    const isEncoded = request.headers["accept-encoding"] === "gzip"
    response.writeHead(200, {
      "Content-Type": "application/json",
      ...(isEncoded ? { "Content-Encoding": "gzip" } : {})
    })
    response.end(isEncoded ? builtins.zlib.gzipSync(text) : text)
  }, { rules, ...more })

const POST = "Content-Length: 0\r\n"

/** Answers all questions alike. */
const user = (...answers: ReadonlyArray<Parameters<Parameters<AskUser>[1]>[0]>) => {
  const questions: Array<ApprovalQuestion> = []
  const ask: AskUser = (question, answered) => {
    const answer = answers[questions.push(question) - 1]
    queueMicrotask(() => answered(answer ?? "no"))
    return () => {}
  }
  return { ask, questions }
}

describe("a run with a token limit", () => {
  live("refuses further requests once responses have reported as many tokens as the limit", function*() {
    const { events, exchange, upstream } = yield* api([limit(100)])
    assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
    assert.strictEqual((yield* exchange("POST /a", `${POST}Accept-Encoding: gzip\r\n`)).status, 200)
    const refused = yield* exchange("POST /a", POST)
    assert.strictEqual(refused.status, 429)
    assert.include(refused.body, "reported 120 tokens, and the limit of the run is 100 (--max-tokens)")
    assert.strictEqual(refused.headers.get("x-should-retry"), "false")
    assert.strictEqual(upstream.seen.length, 2)
    yield* promise(() => until(() => events.length === 3))
    assert.deepStrictEqual(events.map(({ tokens }) => tokens), [60, 60, 0])
  })

  live("sends GET requests, and requests to APIs that report no tokens, even after the limit", function*() {
    const { exchange, open } = yield* api([limit(60)])
    assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
    assert.strictEqual((yield* exchange("GET /models")).status, 200)
    const { exchange: again } = yield* open()
    assert.strictEqual((yield* again("POST /a", POST)).status, 429)
  })

  live("sends requests that rules could not check, because it has no rules", function*() {
    const { exchange } = yield* api([limit(60)])
    assert.strictEqual((yield* exchange("POST /a//../b%252f", POST)).status, 200)
  })

  live("has the lowest limit of its rule sets", function*() {
    const { exchange } = yield* api([limit(1000), limit(60), { ...limit(0), maxTokens: 200 }])
    assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
    assert.strictEqual((yield* exchange("POST /a", POST)).status, 429)
  })

  live("asks the user for more tokens, once or for the rest of the run", function*() {
    const { ask, questions } = user("once", "run")
    const { exchange } = yield* api([limit(60)], { approval: { ask, outerRules: [] } })
    const statuses: Array<number> = []
    for (let i = 0; i < 5; i++) statuses.push((yield* exchange("POST /a", POST)).status)
    assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200])
    assert.deepStrictEqual(
      questions,
      [60, 120].map((tokens) => ({
        method: "POST",
        host: HOST,
        path: "/a",
        webSocket: false,
        tokens,
        rules: [],
        policies: []
      }))
    )
  })

  live(
    "asks no more about tokens once the user allows any number, but still about requests outside its rules",
    function*() {
      const { ask, questions } = user("run", "no", "no", "no")
      const rules = [limit(60), { allow: [`POST ${HOST}/a`], deny: [], readonly: false }]
      const { exchange } = yield* api(rules, { approval: { ask, outerRules: [] } })
      assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
      assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
      assert.strictEqual((yield* exchange("POST /b", POST)).status, 403)
      assert.strictEqual((yield* exchange("DELETE /a")).status, 403)
      assert.deepStrictEqual(questions.map(({ method, path, tokens }) => [method, path, tokens]), [
        ["POST", "/a", 60],
        ["POST", "/b", undefined],
        ["DELETE", "/a", undefined]
      ])
    }
  )

  live(
    "answers all waiting questions about tokens when the user allows any number, and shows each request",
    function*() {
      const answers: Array<Parameters<AskUser>[1]> = []
      const shown: Array<string> = []
      let withdrawn = 0
      const ask: AskUser = ({ path }, answered) => {
        shown.push(path)
        answers.push(answered)
        return () => void withdrawn++
      }
      const { exchange, open } = yield* api([limit(60)], { approval: { ask, outerRules: [] } })
      assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
      const waiting = yield* Effect.forEach(
        ["/b", "/c"],
        (path) =>
          Effect.flatMap(
            open(),
            (tunnel) => Effect.forkScoped(tunnel.exchange(`POST ${path}`, POST), { startImmediately: true })
          )
      )
      yield* promise(() => until(() => answers.length === 2))
      assert.deepStrictEqual(shown.toSorted(), ["/b", "/c"])
      answers[0]!("run")
      for (const each of waiting) assert.strictEqual((yield* Fiber.join(each)).status, 200)
      assert.strictEqual(withdrawn, 1)
    }
  )

  live("continues only up to the limits of outer runs", function*() {
    const { ask, questions } = user("run", "run")
    const outer = limit(120)
    const { exchange } = yield* api([limit(60), outer], { approval: { ask, outerRules: [outer] } })
    assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
    assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
    assert.strictEqual((yield* exchange("POST /a", POST)).status, 429)
    assert.strictEqual(questions.length, 1)
  })

  live("refuses requests that the user denies", function*() {
    const { ask } = user("no")
    const { exchange } = yield* api([limit(60)], { approval: { ask, outerRules: [] } })
    assert.strictEqual((yield* exchange("POST /a", POST)).status, 200)
    const refused = yield* exchange("POST /a", POST)
    assert.deepStrictEqual([refused.status, refused.body.includes("you have denied more")], [429, true])
  })
})
