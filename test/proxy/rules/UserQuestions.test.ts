/** Requests outside the rules of a run wait for the user, and only these. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import type { PolicyName, RuleSet, RuleSets } from "../../../src/domain/rules/RuleSchemas.ts"
import { transportOf } from "../../../src/platform/sockets/Transport.ts"
import { type ApprovalQuestion, type AskUser, UserQuestions } from "../../../src/proxy/rules/UserQuestions.ts"
import { live } from "../../support/Fixture.ts"
import { connectSession, get, makeUpstream, sessionTo } from "../../support/Http2Peers.ts"
import { HOST, proxied, request, type Tunnel, WEBSOCKET } from "../../support/ProxiedHost.ts"
import { eventually } from "../../support/Until.ts"

const set = (rules: Partial<RuleSet>): RuleSet => ({ allow: [], deny: [], readonly: false, ...rules })

const reading = set({ allow: [`GET ${HOST}/a`] })

type Answer = Parameters<Parameters<AskUser>[1]>[0]

/** Answers questions in their order, and keeps the last ones waiting. */
const user = (...answers: ReadonlyArray<Answer>) => {
  const questions: Array<ApprovalQuestion> = []
  let withdrawn = 0
  const ask: AskUser = (question, answered) => {
    const answer = answers[questions.push(question) - 1]
    if (answer !== undefined) queueMicrotask(() => answered(answer))
    return () => void withdrawn++
  }
  return { ask, questions, withdrawn: () => withdrawn }
}

/** Waits for an answer of the test to each question. */
const awaiting = () => {
  const answers: Array<Parameters<AskUser>[1]> = []
  let withdrawn = 0
  const ask: AskUser = (_, answered) => {
    answers.push(answered)
    return () => void withdrawn++
  }
  return { ask, answers, withdrawn: () => withdrawn }
}

const asking = (rules: RuleSets, { ask }: { readonly ask: AskUser }, outerRules: RuleSets = []) =>
  proxied(undefined, { rules: [...rules, ...outerRules], approval: { ask, outerRules } })

const untilLength = (read: () => ReadonlyArray<unknown>, length: number) =>
  eventually(Effect.sync(read), (all) => all.length >= length)

const json = (body: string): string =>
  `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`

const graphQl = (query: string): string => JSON.stringify({ query })

/** Sends a body on a connection of its own, because a refusal may close it before the body was read. */
const statusOf = Effect.fnUntraced(
  function*(open: () => Effect.Effect<Tunnel, never, Scope.Scope>, path: string, body: string) {
    const { exchange } = yield* open()
    return (yield* exchange(`POST ${path}`, json(body), body)).status
  }
)

const statuses = Effect.fnUntraced(function*(
  exchange: (line: string, headers?: string, body?: string) => Effect.Effect<{ readonly status: number }>,
  ...lines: ReadonlyArray<string>
) {
  const all: Array<number> = []
  for (const line of lines) all.push((yield* exchange(line)).status)
  return all
})

describe("a run that asks", () => {
  live("asks again after a request was allowed once, and only about requests outside the rules", function*() {
    const person = user("once", "once", "no")
    const { exchange, upstream } = yield* asking([reading], person)
    const found = yield* statuses(exchange, "GET /a", "GET /b?key=of-a-query", "GET /b", "GET /b", "GET /b")
    assert.deepStrictEqual(found, [200, 200, 200, 403, 403])
    assert.deepStrictEqual(person.questions[0], {
      method: "GET",
      host: HOST,
      path: "/b",
      webSocket: false,
      rules: [`GET ${HOST}/b`],
      policies: []
    })
    assert.lengthOf(person.questions, 3)
    assert.lengthOf(upstream.seen, 3)
  })

  live("denies a denied request in each encoding of its path, and shows the path as rules write it", function*() {
    const person = user("no", "once")
    const { exchange } = yield* asking([reading], person)
    const found = yield* statuses(exchange, "DELETE /%62/c", "DELETE /b/c", "DELETE /b/%63/", "DELETE /b/c?x=1")
    assert.deepStrictEqual(found, [403, 403, 403, 403])
    assert.deepStrictEqual(person.questions.map(({ path }) => path), ["/b/c"])
    const { body, headers } = yield* exchange("DELETE /b/%63")
    assert.strictEqual(JSON.parse(body).refused.approval, "denied")
    assert.strictEqual(headers.get("x-credsvc-error"), "DeniedByUserError")
  })

  live("says that a request opens a WebSocket, and asks about it separately from other requests", function*() {
    const person = user("run", "once", "no")
    const { open } = yield* asking([reading], person)
    const { exchange } = yield* open()
    assert.strictEqual((yield* exchange("GET /b")).status, 200)
    const { exchange: other } = yield* open()
    yield* other("GET /b", WEBSOCKET)
    const { exchange: third } = yield* open()
    assert.strictEqual((yield* third("GET /b", WEBSOCKET)).status, 403)
    assert.deepStrictEqual(person.questions.map(({ path, webSocket }) => [path, webSocket]), [
      ["/b", false],
      ["/b", true],
      ["/b", true]
    ])
  })

  live("does not ask again about requests that the user has allowed for the run, but about all others", function*() {
    const person = user("run", "no", "no")
    const { exchange } = yield* asking([reading], person)
    const found = yield* statuses(exchange, "DELETE /b", "DELETE /b", "DELETE /b/c", "GET /b")
    assert.deepStrictEqual(found, [200, 200, 403, 403])
    assert.lengthOf(person.questions, 3)
  })

  live("does not ask about ambiguous paths, overrides, and requests that a rule or an outer run denies", function*() {
    const person = user()
    const outer = set({ allow: [`${HOST}/b/**`, `${HOST}/a`], deny: [`PUT ${HOST}`] })
    const { exchange, open, upstream } = yield* asking(
      [reading, set({ deny: [`DELETE ${HOST}/b/secret`] })],
      person,
      [
        outer
      ]
    )
    assert.deepStrictEqual(
      yield* statuses(exchange, "DELETE /b/secret", "GET /b/../c", "GET /c", "PUT /b/x", "GET /b;x"),
      [403, 403, 403, 403, 403]
    )
    const { exchange: other } = yield* open()
    assert.strictEqual((yield* other("GET /b/x", "X-HTTP-Method-Override: DELETE\r\n")).status, 403)
    assert.lengthOf(person.questions, 0)
    assert.lengthOf(upstream.seen, 0)
  })

  live("treats a rule that the run shares with its outer run as one of the outer run", function*() {
    const person = user()
    const { exchange } = yield* proxied(undefined, {
      rules: [reading],
      approval: { ask: person.ask, outerRules: [{ ...reading, allow: [...reading.allow] }] }
    })
    assert.strictEqual((yield* exchange("GET /b")).status, 403)
    assert.lengthOf(person.questions, 0)
  })

  live("asks about the fields of GraphQL requests, and an answer allows no other fields", function*() {
    const person = user("run", "no", "once", "no")
    const { open } = yield* asking([set({ readonly: true }), reading], person)
    const send = (body: string) => statusOf(open, "/graphql", body)
    assert.strictEqual(yield* send(graphQl("mutation { addStar { id } }")), 200)
    assert.strictEqual(yield* send(graphQl("mutation Other { addStar { id } }")), 200)
    assert.strictEqual(yield* send(graphQl("mutation { addStar { id } deleteRepo { id } }")), 403)
    // Which fields a fragment has is not certain, so no rule is offered.
    assert.strictEqual(yield* send(graphQl("mutation { ...F } fragment F on Mutation { addStar { id } }")), 200)
    assert.strictEqual(yield* send("{\"id\":\"persisted\"}"), 403)
    assert.deepStrictEqual(person.questions.map(({ rules }) => rules), [
      [`POST ${HOST}/graphql mutation:addStar`],
      [`POST ${HOST}/graphql mutation:addStar`, `POST ${HOST}/graphql mutation:deleteRepo`],
      [],
      []
    ])
  })

  live("applies deny rules to the GraphQL fields of the body, although the path was allowed for the run", function*() {
    const deny = [`POST ${HOST}/x mutation:deleteRepo`]
    for (const [rules, outer] of [[[set({ deny })], []], [[], [set({ allow: [HOST], deny })]]] as const) {
      const person = user("run")
      const { open } = yield* asking([reading, ...rules], person, outer)
      assert.strictEqual(yield* statusOf(open, "/x", "{}"), 403)
      assert.strictEqual(yield* statusOf(open, "/x", graphQl("mutation { addStar { id } }")), 200)
      assert.strictEqual(yield* statusOf(open, "/x", graphQl("mutation { deleteRepo { id } }")), 403)
      assert.lengthOf(person.questions, 1)
    }
  })

  live("offers no rule for a path with a *, which would be a wildcard in a rule", function*() {
    const person = user("once")
    const { exchange } = yield* asking([reading], person)
    assert.strictEqual((yield* exchange("GET /b/*")).status, 200)
    assert.deepStrictEqual(person.questions[0]!.rules, [])
  })

  live("offers to extend policies only if that would allow the request", function*() {
    const policy = "triage" as PolicyName
    const found = []
    const limited = set({ readonly: true, policy: "reading" as PolicyName })
    for (const more of [[], [reading], [set({ readonly: true })], [limited]]) {
      const person = user("no")
      const { exchange } = yield* asking([{ ...reading, allow: [`GET ${HOST}/x`], policy }, ...more], person)
      yield* exchange("POST /b")
      found.push(person.questions[0]!.policies)
    }
    assert.deepStrictEqual(found, [[policy], [], [], []])
  })

  live("withdraws the question when the client no longer waits", function*() {
    const person = user()
    const { open } = yield* asking([reading], person)
    const tunnel = yield* open()
    tunnel.socket.write(request("GET /b"))
    yield* untilLength(() => person.questions, 1)
    tunnel.socket.destroy()
    yield* eventually(Effect.sync(person.withdrawn), (count) => count > 0)
  })

  live("does not send a request whose client disconnects during the approval", function*() {
    const { answers, ask } = awaiting()
    const { open, upstream } = yield* asking([reading], { ask })
    const tunnel = yield* open()
    // It needs no credential, so nothing else delays it.
    tunnel.socket.write(request("OPTIONS /b"))
    yield* untilLength(() => answers, 1)
    tunnel.socket.destroy()
    answers[0]!("once")
    const { exchange } = yield* open()
    assert.strictEqual((yield* exchange("GET /a")).status, 200)
    assert.deepStrictEqual(upstream.seen.map(({ url }) => url), ["/a"])
  })

  it.live.each<readonly [string, (session: Http2.ClientHttp2Session, stream: Http2.ClientHttp2Stream) => void]>([
    ["resets its stream", (_, stream) => stream.close(8)],
    ["destroys its session", (session) => session.destroy()],
    ["closes its session while the request waits", (session) => {
      session.close()
      session.destroy()
    }],
    ["destroys its socket", (session) => session.socket.destroy()],
    ["closes the TCP connection without a closure alert", (session) => {
      transportOf(session.socket as Tls.TLSSocket)!.destroy()
    }],
    ["closes its side of the TCP connection", (session) => {
      transportOf(session.socket as Tls.TLSSocket)!.end()
    }]
  ])(
    "withdraws the question when a client of HTTP/2 %s, and sends nothing after an approval",
    ([, leave]) =>
      Effect.gen(function*() {
        const { answers, ask, withdrawn } = awaiting()
        const upstream = yield* makeUpstream()
        const { proxy, session } = yield* sessionTo(upstream.port, {
          rules: [reading],
          approval: { ask, outerRules: [] }
        })
        const stream = session.request({ ":path": "/b" })
        stream.on("error", () => {})
        yield* untilLength(() => answers, 1)
        leave(session, stream)
        yield* eventually(Effect.sync(withdrawn), (count) => count > 0)
        answers[0]!("once")
        const other = yield* connectSession(proxy)
        assert.strictEqual((yield* Effect.promise(() => get(other, "/a"))).status, 200)
        assert.deepStrictEqual(upstream.seen.map((raw) => raw[raw.indexOf(":path") + 1]), ["/a"])
      })
  )

  live("refuses a request with the reason if nobody answers or there is no user to ask", function*() {
    for (const answer of ["expired", "unavailable"] as const) {
      const person = user(answer, "once")
      const { exchange } = yield* asking([reading], person)
      const { body, headers, status } = yield* exchange("GET /b")
      assert.strictEqual(status, 403)
      assert.strictEqual(headers.get("x-credsvc-error"), "UnansweredError")
      assert.strictEqual(JSON.parse(body).refused.approval, answer)
      assert.strictEqual((yield* exchange("GET /b")).status, 200)
    }
  })

  live("asks at most 16 questions at a time", function*() {
    const person = user()
    const { open } = yield* asking([reading], person)
    for (let at = 0; at < 16; at++) (yield* open()).socket.write(request(`GET /b/${at}`))
    yield* untilLength(() => person.questions, 16)
    const { exchange } = yield* open()
    const { body } = yield* exchange("GET /b/16")
    assert.strictEqual(JSON.parse(body).refused.approval, "unavailable")
    assert.lengthOf(person.questions, 16)
  })
})

describe("UserQuestions", () => {
  const ruled = { method: "GET", host: HOST, port: 443, path: "/b/*", isUpgrade: false, fields: "hidden" } as const

  it("asks separately about requests that differ in method or port, although no rule distinguishes them", () => {
    const person = user()
    const approvals = new UserQuestions({ ask: person.ask, rules: [reading], outerRules: [] })
    for (const request of [ruled, { ...ruled, method: "DELETE" }, { ...ruled, port: 8443 }, ruled]) {
      approvals.ask(request, () => {})
    }
    assert.deepStrictEqual(person.questions.map(({ host, method }) => `${method} ${host}`), [
      `GET ${HOST}`,
      `DELETE ${HOST}`,
      `GET ${HOST}:8443`
    ])
  })

  it("allows at most 128 requests to wait, and refuses paths that are too long to show", async () => {
    const person = user()
    const approvals = new UserQuestions({ ask: person.ask, rules: [reading], outerRules: [] })
    for (let waiting = 0; waiting < 128; waiting++) approvals.ask(ruled, () => assert.fail("was answered"))
    assert.strictEqual(await new Promise((resolve) => approvals.ask(ruled, resolve)), "unavailable")
    const other = new UserQuestions({ ask: person.ask, rules: [reading], outerRules: [] })
    const long = { ...ruled, path: `/${"a".repeat(2048)}` }
    assert.strictEqual(await new Promise((resolve) => other.ask(long, resolve)), "unavailable")
    assert.lengthOf(person.questions, 1)
  })

  it("offers no rule that exceeds the maximum length, and does not ask about rules that are too long to show", async () => {
    const person = user()
    const approvals = new UserQuestions({ ask: person.ask, rules: [reading], outerRules: [] })
    approvals.ask({ ...ruled, path: `/${"a".repeat(1500)}` }, () => {})
    assert.deepStrictEqual(person.questions[0]!.rules, [])
    const fields = Array.from({ length: 200 }, (_, at) => ({ type: "mutation" as const, field: `field${at}` }))
    const many = { ...ruled, method: "POST", path: "/graphql", fields }
    assert.strictEqual(await new Promise((resolve) => approvals.ask(many, resolve)), "unavailable")
    // Each character takes three in the question.
    const encoded = { ...ruled, path: `/${"\"".repeat(700)}` }
    assert.strictEqual(await new Promise((resolve) => approvals.ask(encoded, resolve)), "unavailable")
    assert.lengthOf(person.questions, 1)
  })

  it("approves only one of the waiting requests if the answer is `once`", () => {
    const { answers, ask } = awaiting()
    const approvals = new UserQuestions({ ask, rules: [reading], outerRules: [] })
    const approved: Array<number> = []
    for (const at of [0, 1, 2]) approvals.ask(ruled, () => approved.push(at))
    answers[0]!("once")
    assert.deepStrictEqual(approved, [0])
    answers[1]!("once")
    assert.deepStrictEqual(approved, [0, 1])
  })

  it("withdraws a question when the last request that waits for it has ended", () => {
    const { ask, withdrawn } = awaiting()
    const approvals = new UserQuestions({ ask, rules: [reading], outerRules: [] })
    const [first, last] = [approvals.ask(ruled, () => {}), approvals.ask(ruled, () => {})]
    first()
    assert.strictEqual(withdrawn(), 0)
    last()
    assert.strictEqual(withdrawn(), 1)
  })

  it("offers no policy to extend where no rule can allow the request", () => {
    const person = user()
    const rules = [{ ...reading, policy: "triage" as PolicyName }]
    new UserQuestions({ ask: person.ask, rules, outerRules: [] }).ask(ruled, () => {})
    assert.deepInclude(person.questions[0], { rules: [], policies: [] })
  })
})
