/** Programs that log in inside a run, by scripts that send the requests of Claude Code and Codex to their bundled providers. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { CLAUDE_CLIENT, CODEX_CLIENT, type LoginVendor, openLoginVendor } from "../support/LoginVendor.ts"
import { filesHolding, openProgram } from "../support/Sandbox.ts"
import { until } from "../support/Until.ts"

interface Asked {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: object
  readonly form?: Readonly<Record<string, string>>
}

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends the requests of each line in order, and prints the responses as a line. */
const PROGRAM = `
import * as readline from "node:readline"
for await (const line of readline.createInterface({ input: process.stdin })) {
  const answers = []
  for (const { url, method, headers, json, form } of JSON.parse(line)) {
    const body = json ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : undefined
    const type = json ? "application/json" : "application/x-www-form-urlencoded"
    const response = await fetch(url, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...(body === undefined ? {} : { "content-type": type }), ...headers },
      body,
      redirect: "manual"
    })
    answers.push({ status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() })
  }
  console.log(JSON.stringify(answers))
}
`

const CLAUDE_TOKEN = "https://platform.claude.com/v1/oauth/token"
const CODEX_TOKEN = "https://auth.openai.com/oauth/token"

const claudeLogin = (account: string): Asked => ({
  url: CLAUDE_TOKEN,
  json: {
    grant_type: "authorization_code",
    code: `code-of-${account}`,
    redirect_uri: "https://platform.claude.com/oauth/code/callback",
    client_id: CLAUDE_CLIENT,
    code_verifier: "verifier",
    state: "state"
  }
})

const claudeRefresh = (refresh_token: string): Asked => ({
  url: CLAUDE_TOKEN,
  json: { grant_type: "refresh_token", refresh_token, client_id: CLAUDE_CLIENT, scope: "user:inference user:profile" }
})

const codexLogin = (account: string): Asked => ({
  url: CODEX_TOKEN,
  form: {
    grant_type: "authorization_code",
    client_id: CODEX_CLIENT,
    code: `code-of-${account}`,
    redirect_uri: "http://localhost:1455/auth/callback",
    code_verifier: "verifier"
  }
})

const codexRefresh = (refresh_token: string): Asked => ({
  url: CODEX_TOKEN,
  json: { client_id: CODEX_CLIENT, grant_type: "refresh_token", refresh_reason: "scheduled", refresh_token }
})

const MESSAGES = "https://api.anthropic.com/v1/messages"
const RESPONSES = "https://chatgpt.com/backend-api/codex/responses"
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

type Program = (requests: ReadonlyArray<Asked>) => Promise<ReadonlyArray<Answered>>

let vendor: LoginVendor
let sandbox: ReturnType<typeof openProgram>
/** Programs in two runs. */
let run: Program
let otherRun: Program
const children: Array<ChildProcess> = []

/** A program in a run. No response that it gets may contain a real token. */
const begin = (): Program => {
  const child = sandbox.start(["run", "--", process.execPath, path.join(sandbox.directory, "program.mjs")])
  children.push(child)
  const lines = readline.createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return (requests) => {
    const answers = last.then(async () => {
      child.stdin!.write(`${JSON.stringify(requests)}\n`)
      const { value: line = "" } = await lines.next()
      assert.deepStrictEqual(vendor.issued.filter((token) => line.includes(token)), [], line)
      return JSON.parse(line)
    })
    last = answers.catch(() => {})
    return answers
  }
}

beforeAll(async () => {
  vendor = await openLoginVendor()
  sandbox = openProgram([vendor])
  await sandbox.must(["daemon", "start", "--port", "0"])
  fs.writeFileSync(path.join(sandbox.directory, "program.mjs"), PROGRAM)
  run = begin()
  otherRun = begin()
})

afterAll(async () => {
  const closed = children.map((child) => once(child, "close"))
  for (const child of children) child.stdin!.end()
  await Promise.all(closed)
  await sandbox.close()
  await vendor.close()
})

type Tokens = Readonly<Record<"access_token" | "refresh_token" | "id_token" | "scope", string>> & {
  readonly expires_in: number
}

const ask = async (request: Asked, program = run): Promise<Answered> => (await program([request]))[0]!

const loggedIn = async (request: Asked): Promise<Tokens> => {
  const { status, text } = await ask(request)
  assert.strictEqual(status, 200, text)
  return JSON.parse(text)
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString("utf8"))

describe("a program that logs in inside a run", () => {
  it("uses a login of its own before that, which the proxy neither changes nor has", async () => {
    const { status } = await ask({ url: RESPONSES, json: {}, headers: bearer("its-own-token") })
    assert.strictEqual(status, 401)
    assert.strictEqual(vendor.at("/backend-api/codex/responses")[0]!.headers.authorization, "Bearer its-own-token")
    const hello = await ask({ url: "https://api.anthropic.com/api/hello" })
    assert.strictEqual(hello.status, 200)
    assert.strictEqual((await ask({ url: MESSAGES, json: {} })).status, 403)
  })

  it("gets placeholders of the form of Claude Code's tokens, which work in every run", async () => {
    const first = await loggedIn(claudeLogin("ada"))
    assert.match(first.access_token, /^sk-ant-oat01-credsvc-proxy-managed---[\w-]+$/)
    assert.match(first.refresh_token, /^sk-ant-ort01-credsvc-proxy-managed---[\w-]+$/)
    assert.strictEqual(first.scope, "user:inference user:profile")
    const call = { url: MESSAGES, json: {}, headers: bearer(first.access_token) }
    assert.deepStrictEqual([(await ask(call)).status, (await ask(call, otherRun)).status], [200, 200])
    assert.strictEqual((await loggedIn(claudeLogin("ada"))).access_token, first.access_token)
    const { stdout } = await sandbox.must(["list", "--json"])
    assert.include(stdout, "ada@example.com")
  })

  it("gets placeholders that Codex reads as JSON Web Tokens, with the claims of its account only", async () => {
    const { access_token: access, id_token: id, refresh_token: refresh } = await loggedIn(codexLogin("ada"))
    for (const token of [access, id]) {
      const parts = token.split(".")
      assert.lengthOf(parts, 3)
      assert.isTrue(parts.every((part) => /^[\w-]+$/.test(part) && part.length % 4 !== 1), token)
      assert.isTrue(claimsOf(token).exp > Date.now() / 1000 + 20 * 365 * 86_400)
    }
    assert.match(refresh, /^rt_credsvc-proxy-managed---/)
    assert.deepStrictEqual(claimsOf(id), {
      email: "ada@example.com",
      exp: 4_102_444_800,
      "https://api.openai.com/auth": {
        chatgpt_account_id: "acct-ada",
        chatgpt_plan_type: "plus",
        chatgpt_user_id: "user-ada"
      }
    })
    assert.strictEqual((await ask({ url: RESPONSES, json: {}, headers: bearer(access) })).status, 200)
  })
})

/** A login whose access token has expired. */
const expiredLogin = async (request: Asked): Promise<Tokens> => {
  const before = vendor.lifetime
  vendor.lifetime = 1
  try {
    const tokens = await loggedIn(request)
    const end = Date.now() + 1000
    await until(() => Date.now() > end)
    return tokens
  } finally {
    vendor.lifetime = before
  }
}

describe("a program that refreshes its login", () => {
  const cases = [
    { kind: "Claude Code", login: claudeLogin, refresh: claudeRefresh, api: MESSAGES },
    { kind: "Codex", login: codexLogin, refresh: codexRefresh, api: RESPONSES }
  ]
  for (const { api, kind, login, refresh } of cases) {
    it(`gets the same placeholders and the remaining life, without a request to the vendor (${kind})`, async () => {
      const first = await loggedIn(login("bea"))
      const before = vendor.counts.refreshes
      const again: Tokens = JSON.parse((await ask(refresh(first.refresh_token))).text)
      assert.deepStrictEqual({ ...again, expires_in: 0 }, { ...first, expires_in: 0 })
      assert.isTrue(again.expires_in > 28_000 && again.expires_in <= 28_800, String(again.expires_in))
      assert.strictEqual(vendor.counts.refreshes, before)
    })

    it(`shares one refresh with other programs, which sends each refresh token once (${kind})`, async () => {
      const first = await expiredLogin(login("cora"))
      const before = vendor.counts.refreshes
      const runs = [run, otherRun].map((each) => each([refresh(first.refresh_token), refresh(first.refresh_token)]))
      for (const answers of await Promise.all(runs)) {
        for (const { status, text } of answers) {
          assert.strictEqual(status, 200, text)
          assert.strictEqual(JSON.parse(text).access_token, first.access_token)
        }
      }
      assert.strictEqual(vendor.counts.refreshes, before + 1)
      assert.strictEqual(vendor.counts.reused, 0)
    })

    it(`continues after the API has rejected its token in the middle of a run (${kind})`, async () => {
      const first = await loggedIn(login("dora"))
      const call = { url: api, json: {}, headers: bearer(first.access_token) }
      vendor.expire()
      const answers = await run([call, refresh(first.refresh_token), call])
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200])
    })

    it(`keeps its login after a passing fault (${kind})`, async () => {
      const first = await expiredLogin(login("ela"))
      vendor.trouble = { status: 503, body: { error: "overloaded" } }
      const fault = await ask(refresh(first.refresh_token))
      vendor.trouble = undefined
      assert.strictEqual(fault.status, 403, fault.text)
      assert.notInclude(fault.text, "invalid_grant")
    })

    it(`learns of the end of a login, and where to log in again (${kind})`, async () => {
      const first = await expiredLogin(login("fay"))
      vendor.end()
      const over = await ask(refresh(first.refresh_token))
      assert.strictEqual(over.status, 400)
      assert.include(over.text, "invalid_grant")
      assert.include(over.text, "credsvc login")
    })
  }
})

describe("a login of a program", () => {
  it("ends when the program logs out", async () => {
    const first = await loggedIn(claudeLogin("gia"))
    const url = "https://platform.claude.com/v1/oauth/token/revoke"
    const json = { token: first.refresh_token, token_type_hint: "refresh_token", client_id: CLAUDE_CLIENT }
    const [logout, over] = await run([{ url, json }, claudeRefresh(first.refresh_token)])
    assert.strictEqual(logout!.status, 200)
    assert.isDefined(logout!.headers["request-id"])
    assert.strictEqual(over!.status, 400)
  })

  it("does not replace the login of another account", async () => {
    const [hal, ivy] = [await loggedIn(codexLogin("hal")), await loggedIn(codexLogin("ivy"))]
    assert.notStrictEqual(hal.access_token, ivy.access_token)
    const calls = [hal, ivy].map(({ access_token: token }) => ({ url: RESPONSES, json: {}, headers: bearer(token) }))
    assert.deepStrictEqual((await run(calls)).map(({ status }) => status), [200, 200])
    const sent = vendor.at("/backend-api/codex/responses").slice(-2).map(({ headers }) => headers.authorization)
    assert.notStrictEqual(sent[0], sent[1])
  })

  it("cannot be turned into another credential, and its placeholders are worthless elsewhere", async () => {
    const claude = await loggedIn(claudeLogin("kim"))
    const codex = await loggedIn(codexLogin("kim"))
    const exchange = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token: "openai-api-key",
      client_id: CODEX_CLIENT
    }
    const attempts: ReadonlyArray<Asked> = [
      { url: CODEX_TOKEN, form: { ...exchange, subject_token: codex.id_token } },
      { url: CODEX_TOKEN, form: exchange },
      // JSON in a form, for a server that ignores the media type.
      { url: CODEX_TOKEN, form: { [JSON.stringify(exchange)]: "", grant_type: "authorization_code", code: "x" } },
      { url: CODEX_TOKEN, json: { grant_type: "refresh_token", refresh_token: codex.access_token } },
      { url: CODEX_TOKEN, json: { grant_type: "refresh_token", refresh_token: claude.refresh_token } },
      {
        url: "https://api.anthropic.com/api/oauth/claude_cli/create_api_key",
        json: {},
        headers: bearer(claude.access_token)
      },
      {
        url: "https://api.anthropic.com/api/oauth/claude_cli/create%5fapi_key",
        json: {},
        headers: bearer(claude.access_token)
      },
      {
        url: "https://auth.openai.com/api/accounts/v1/agent/register",
        json: {},
        headers: bearer(codex.access_token)
      },
      { url: "https://platform.claude.com/v1//oauth/token", json: claudeLogin("kim").json! },
      { url: "https://api.anthropic.com/v1/oauth/token", json: claudeLogin("kim").json! },
      { url: RESPONSES, json: {}, headers: bearer(claude.access_token) },
      { url: RESPONSES, json: {}, headers: bearer(codex.refresh_token) },
      { url: MESSAGES, json: {}, headers: bearer(codex.access_token) }
    ]
    const seen = vendor.received.length
    for (const [index, { status, text }] of (await run(attempts)).entries()) {
      assert.strictEqual(status, 403, `${attempts[index]!.url} ${text}`)
    }
    assert.lengthOf(vendor.received.slice(seen), 0)
    const [telemetry] = await run([{ url: "https://telemetry.example.com/events", json: claude }])
    assert.strictEqual(telemetry!.status, 200)
    assert.isFalse(vendor.issued.some((token) => vendor.received.at(-1)!.body.includes(token)))
  })

  it("is refused with a token where the definition names none", async () => {
    const extras: ReadonlyArray<Readonly<Record<string, unknown>>> = [
      { session_token: "canary-session-token" },
      { more: { note: vendor.issued[0] } },
      { api_keys: [{ raw_key: "canary-raw-key" }] },
      { about: "sk-ant-oat01-another" }
    ]
    for (const extra of extras) {
      vendor.change = (body) => ({ ...body, ...extra })
      const { status, text } = await ask(claudeLogin("lea"))
      assert.strictEqual(status, 403, text)
      assert.notInclude(text, "canary-")
    }
    vendor.change = (body) => body
    assert.strictEqual((await ask(claudeLogin("lea"))).status, 200)
  })

  it("leaves its tokens in no file but the vault, where they are sealed", () => {
    assert.deepStrictEqual(vendor.issued.flatMap((token) => filesHolding(sandbox.directory, token)), [])
  })
})
