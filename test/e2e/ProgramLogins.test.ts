/** Programs that log in inside a run, by scripts that send the requests of agents to their bundled providers. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import {
  CLAUDE_CLIENT,
  CODEX_CLIENT,
  COPILOT_CLIENT,
  GEMINI_CLIENT,
  GH_CLIENT,
  type LoginVendor,
  openLoginVendor
} from "../support/LoginVendor.ts"
import { filesHolding, openProgram } from "../support/Sandbox.ts"
import type { Reply } from "../support/ScriptedSite.ts"
import { until } from "../support/Until.ts"

interface Asked {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: object
  readonly form?: Readonly<Record<string, string>>
  /** Content in place of `json` and `form`. */
  readonly body?: string | undefined
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
  for (const { url, method, headers, json, form, body: given } of JSON.parse(line)) {
    const body = given ?? (json ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : undefined)
    const type = json ? "application/json" : "application/x-www-form-urlencoded"
    const response = await fetch(url, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...(body === undefined ? {} : { "content-type": type }), ...headers },
      body,
      redirect: "manual"
    }).catch(({ cause }) => ({ status: 0, headers: [], text: () => String(cause) }))
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

const claudeLogout = (token: string): Asked => ({
  url: "https://platform.claude.com/v1/oauth/token/revoke",
  json: { token, token_type_hint: "refresh_token", client_id: CLAUDE_CLIENT }
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
const withToken = (url: string, token: string): Asked => ({ url, json: {}, headers: bearer(token) })

type Program = (requests: ReadonlyArray<Asked>) => Promise<ReadonlyArray<Answered>>

let vendor: LoginVendor
let sandbox: ReturnType<typeof openProgram>
/** Programs in two runs. */
let run: Program
let otherRun: Program
const children: Array<{ readonly child: ChildProcess; readonly closed: Promise<unknown> }> = []

interface Begin {
  /** The name of the program, by which a recipe is found. */
  readonly name?: string
  readonly flags?: ReadonlyArray<string>
  /** Whether its responses may have real tokens. */
  readonly mayHold?: boolean
}

/** A program in a run. No response that it gets may contain a real token. */
const begin = ({ flags = [], mayHold = false, name = "program" }: Begin = {}): Program => {
  const program = path.join(sandbox.directory, name)
  fs.writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${sandbox.directory}/program.mjs"\n`, {
    mode: 0o755
  })
  const child = sandbox.start(["run", ...flags, "--", program])
  children.push({ child, closed: once(child, "close") })
  const lines = readline.createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return (requests) => {
    const answers = last.then(async () => {
      child.stdin!.write(`${JSON.stringify(requests)}\n`)
      const { value: line = "" } = await lines.next()
      if (!mayHold) assert.deepStrictEqual(vendor.issued.filter((token) => line.includes(token)), [], line)
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
  for (const { child } of children) child.stdin!.end()
  await Promise.all(children.map(({ closed }) => closed))
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

describe("a program in a run", () => {
  it("uses a login from before the run, which the proxy neither changes nor stores", async () => {
    const { status } = await ask(withToken(RESPONSES, "its-own-token"))
    assert.strictEqual(status, 401)
    assert.strictEqual(vendor.at("/backend-api/codex/responses")[0]!.headers.authorization, "Bearer its-own-token")
    const hello = await ask({ url: "https://api.anthropic.com/api/hello" })
    assert.strictEqual(hello.status, 200)
    assert.strictEqual((await ask({ url: MESSAGES, json: {} })).status, 403)
  })

  it("gets placeholders in the form of Claude Code's tokens when it logs in, and every run accepts them", async () => {
    const first = await loggedIn(claudeLogin("ada"))
    assert.match(first.access_token, /^sk-ant-oat01-credsvc-proxy-managed---[\w-]+$/)
    assert.match(first.refresh_token, /^sk-ant-ort01-credsvc-proxy-managed---[\w-]+$/)
    assert.strictEqual(first.scope, "user:inference user:profile")
    const call = withToken(MESSAGES, first.access_token)
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
    assert.strictEqual((await ask(withToken(RESPONSES, access))).status, 200)
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
    it(`gets the same placeholders and the remaining lifetime, without a request to the provider (${kind})`, async () => {
      const first = await loggedIn(login("bea"))
      const before = vendor.counts.refreshes
      const again: Tokens = JSON.parse((await ask(refresh(first.refresh_token))).text)
      assert.deepStrictEqual({ ...again, expires_in: 0 }, { ...first, expires_in: 0 })
      assert.isTrue(again.expires_in > 28_000 && again.expires_in <= 28_800, String(again.expires_in))
      assert.strictEqual(vendor.counts.refreshes, before)
    })

    it(`shares one refresh with other programs, so that each refresh token is sent once (${kind})`, async () => {
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
      const call = withToken(api, first.access_token)
      vendor.expire()
      const answers = await run([call, refresh(first.refresh_token), call])
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200])
    })

    it(`keeps its login after a temporary failure of the provider (${kind})`, async () => {
      const first = await expiredLogin(login("ela"))
      vendor.trouble = { status: 503, body: { error: "overloaded" } }
      const fault = await ask(refresh(first.refresh_token))
      vendor.trouble = undefined
      assert.strictEqual(fault.status, 403, fault.text)
      assert.notInclude(fault.text, "invalid_grant")
    })

    it(`gets invalid_grant after the end of a login, with the command to log in again (${kind})`, async () => {
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
  it("is revoked at the provider when the program logs out, without affecting the login of another account", async () => {
    const { revoked } = vendor.counts
    await loggedIn(claudeLogin("lou"))
    const first = await loggedIn(claudeLogin("gia"))
    const [logout, over] = await run([claudeLogout(first.refresh_token), claudeRefresh(first.refresh_token)])
    assert.strictEqual(logout!.status, 200)
    assert.match(logout!.headers["request-id"]!, /^req_/)
    await until(() => vendor.counts.revoked === revoked + 1)
    assert.strictEqual(over!.status, 400)
  })

  it("never resolves its placeholders to another account whose connection later gets the same name", async () => {
    const call = ({ access_token }: Tokens) => (withToken(MESSAGES, access_token))
    const mia = await loggedIn(claudeLogin("mia"))
    await ask(claudeLogout(mia.refresh_token))
    const again = await loggedIn(claudeLogin("mia"))
    assert.strictEqual(again.access_token, mia.access_token)
    await ask(claudeLogout(mia.refresh_token))
    const ned = await loggedIn(claudeLogin("ned"))
    const seen = vendor.received.length
    const answers = await otherRun([
      call(mia),
      claudeRefresh(mia.refresh_token),
      claudeLogout(mia.refresh_token),
      call(ned)
    ])
    assert.deepStrictEqual(answers.map(({ status }) => status), [403, 400, 200, 200])
    assert.include(answers[0]!.text, "logged out")
    assert.include(answers[1]!.text, "invalid_grant")
    assert.lengthOf(vendor.received.slice(seen), 1)
  })

  it("is not used by a run without permission for it, and the programs of the run keep the placeholders", async () => {
    const [ada, pam] = [await loggedIn(claudeLogin("ada")), await loggedIn(claudeLogin("pam"))]
    const { access_token: access, refresh_token: refresh } = pam
    const requests = [withToken(MESSAGES, access), claudeRefresh(refresh)]
    await sandbox.must(["profile", "create", "other"])
    const seen = vendor.received.length
    const inProfile = await begin({ flags: ["--profile", "other"] })(requests)
    assert.deepStrictEqual(inProfile.map(({ status }) => status), [403, 403])
    assert.lengthOf(vendor.received.slice(seen), 0)

    const limited = begin({ flags: ["--connection", "claude=default"] })
    const [call, refused] = await limited(requests)
    // As in every run with --connection, that connection takes the place of any other one.
    assert.deepStrictEqual([call!.status, refused!.status], [200, 403])
    await ask(withToken(MESSAGES, ada.access_token))
    const sent = vendor.at("/v1/messages").slice(-2).map(({ headers }) => headers.authorization)
    assert.strictEqual(sent[0], sent[1])
    assert.strictEqual((await ask(claudeRefresh(refresh))).status, 200)
  })

  it("is refused in a run that is limited to other providers, and remains valid", async () => {
    const [claude, codex] = [await loggedIn(claudeLogin("sam")), await loggedIn(codexLogin("sam"))]
    const attempts = [
      claudeRefresh(claude.refresh_token),
      { ...claudeRefresh(claude.refresh_token), url: "https://console.anthropic.com/v1/oauth/token" },
      claudeLogout(claude.refresh_token),
      codexRefresh(codex.refresh_token),
      { url: CODEX_TOKEN, form: { grant_type: "refresh_token", refresh_token: codex.refresh_token } },
      { url: `${CODEX_TOKEN}?refresh_token=${codex.refresh_token}`, form: { grant_type: "refresh_token" } }
    ]
    const flags = ["--provider", "gh"]
    const calls = [
      ["codex", withToken(RESPONSES, codex.access_token)],
      ["codex", withToken(RESPONSES, codex.refresh_token)],
      ["claude", withToken(MESSAGES, claude.access_token)]
    ] as const
    const programs = { codex: begin({ name: "codex", flags }), claude: begin({ name: "claude", flags }) }
    const seen = vendor.received.length
    const answers = [
      // A program below a shell, which no recipe recognizes.
      ...await begin({ flags })([...attempts, ...calls.map(([, call]) => call)]),
      ...await Promise.all(calls.map(([name, call]) => ask(call, programs[name])))
    ]
    for (const { status, text } of answers) {
      assert.strictEqual(status, 403, text)
      assert.match(text, /limited to gh and does not include|may be sent only in the body/)
      assert.notInclude(text, "invalid_grant")
    }
    const [denied] = await begin({ flags: [...flags, "--unmatched", "deny"] })(attempts)
    assert.strictEqual(denied!.status, 0, denied!.text)
    assert.lengthOf(vendor.received.slice(seen), 0)

    // Requests with tokens of the program itself pass, also where the rules of the run allow nothing.
    const own = [claudeRefresh("its-own-token"), withToken(RESPONSES, "its-own-token")]
    for (const name of ["program", "codex"]) {
      const passed = await begin({ name, flags: [...flags, "--allow", "GET api.github.com/nothing"] })(own)
      assert.deepStrictEqual(passed.map(({ status }) => status), [429, 401])
      assert.strictEqual(vendor.received.at(-1)!.headers.authorization, "Bearer its-own-token")
      assert.include(vendor.received.at(-2)!.body, "its-own-token")
    }
    assert.strictEqual((await ask(claudeRefresh(claude.refresh_token))).status, 200)
  })

  it("does not replace the login of another account", async () => {
    const [hal, ivy] = [await loggedIn(codexLogin("hal")), await loggedIn(codexLogin("ivy"))]
    assert.notStrictEqual(hal.access_token, ivy.access_token)
    const calls = [hal, ivy].map(({ access_token: token }) => (withToken(RESPONSES, token)))
    assert.deepStrictEqual((await run(calls)).map(({ status }) => status), [200, 200])
    const sent = vendor.at("/backend-api/codex/responses").slice(-2).map(({ headers }) => headers.authorization)
    assert.notStrictEqual(sent[0], sent[1])
  })

  it("cannot be exchanged for another credential, and its placeholders have no effect elsewhere", async () => {
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
      // The reverse.
      { url: CODEX_TOKEN, json: { client_id: "other", more: { of: `&${new URLSearchParams(exchange).toString()}&` } } },
      { url: CODEX_TOKEN, json: { grant_type: "refresh_token", refresh_token: codex.access_token } },
      { url: CODEX_TOKEN, json: { grant_type: "refresh_token", refresh_token: claude.refresh_token } },
      withToken("https://api.anthropic.com/api/oauth/claude_cli/create_api_key", claude.access_token),
      withToken("https://api.anthropic.com/api/oauth/claude_cli/create%5fapi_key", claude.access_token),
      ...["environments/bridge", "code/sessions/session_1/bridge"].map((
        place
      ) => (withToken(`https://api.anthropic.com/v1/${place}`, claude.access_token))),
      withToken("https://auth.openai.com/api/accounts/v1/agent/register", codex.access_token),
      { url: "https://platform.claude.com/v1//oauth/token", json: claudeLogin("kim").json! },
      { url: "https://api.anthropic.com/v1/oauth/token", json: claudeLogin("kim").json! },
      withToken(RESPONSES, claude.access_token),
      withToken(RESPONSES, codex.refresh_token),
      withToken(MESSAGES, codex.access_token)
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

  it("passes the errors of its authorization server on to the program", async () => {
    const errors: ReadonlyArray<readonly [Asked, Reply]> = [
      [claudeLogin("moe"), {
        status: 400,
        body: { error: "invalid_grant", error_description: "Code expired; try again" }
      }],
      [claudeLogin("moe"), {
        status: 429,
        headers: { "retry-after": "30" },
        body: { type: "error", error: { type: "rate_limit_error", message: "Rate limited." } }
      }],
      [codexLogin("moe"), {
        status: 403,
        body: {
          error: {
            code: "unsupported_country_region_territory",
            message: "Country, region, or territory not supported",
            param: "refresh_token",
            type: "request_forbidden"
          }
        }
      }],
      [codexLogin("moe"), { status: 401, body: { error: { code: "refresh_token_reused", message: "Used before." } } }],
      [codexLogin("moe"), { status: 503, headers: { "content-type": "text/plain" }, body: "" }]
    ]
    const places = ["/v1/oauth/token", "/oauth/token"] as const
    const before = places.map((place) => vendor.scriptAt(place))
    const answer = (reply: Reply) => {
      for (const place of places) vendor.answer(place, reply)
    }
    try {
      for (const [request, reply] of errors) {
        answer(reply)
        const { headers, status, text } = await ask(request)
        assert.strictEqual(status, reply.status)
        if (reply.body !== "") assert.deepStrictEqual(JSON.parse(text), reply.body)
        assert.strictEqual(headers["retry-after"], reply.headers?.["retry-after"])
      }
    } finally {
      for (const [index, place] of places.entries()) vendor.answer(place, ...before[index]!)
    }
  })
})

const GITHUB_TOKEN = "https://github.com/login/oauth/access_token"
const GOOGLE_TOKEN = "https://oauth2.googleapis.com/token"

const githubLogin = (account: string, client = GH_CLIENT): Asked => ({
  url: GITHUB_TOKEN,
  form: { client_id: client, code: `code-of-${account}` }
})

const googleLogin = (account: string, more: Readonly<Record<string, string>> = {}): Asked => ({
  url: GOOGLE_TOKEN,
  form: {
    client_id: GEMINI_CLIENT,
    client_secret: "program-secret",
    code: `code-of-${account}`,
    grant_type: "authorization_code",
    redirect_uri: "https://codeassist.google.com/authcode",
    ...more
  }
})

const githubForm = (text: string) => Object.fromEntries(new URLSearchParams(text))

describe("a program whose authorization server also serves other OAuth clients", () => {
  const GENERATE = "https://cloudcode-pa.googleapis.com/v1internal:generateContent"
  const USER = "https://api.github.com/user"
  const CHAT = "https://api.individual.githubcopilot.com/chat/completions"
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` })
  let gh: Program
  let copilot: Program
  let gemini: Program
  beforeAll(() => {
    gh = begin({ name: "gh" })
    copilot = begin({ name: "copilot" })
    gemini = begin({ name: "gemini" })
  })

  it("is not intercepted in the runs of other programs", async () => {
    const other = begin({ mayHold: true })
    assert.match((await ask(githubLogin("ann"), other)).text, /gho_canary/)
    assert.match((await ask(googleLogin("ann"), other)).text, /ya29\.canary/)
    const named = begin({ flags: ["--provider", "gh"] })
    assert.match((await ask(githubLogin("ann"), named)).text, /gho_credsvc-proxy-managed---/)
  })

  it("gets placeholders for a device code, in a response of either format: form or JSON", async () => {
    const kinds = [
      { program: gh, client: GH_CLIENT, headers: {}, api: USER },
      { program: copilot, client: COPILOT_CLIENT, headers: { accept: "application/json" }, api: CHAT }
    ]
    for (const { api, client, headers, program } of kinds) {
      const read = (text: string) => client === GH_CLIENT ? githubForm(text) : JSON.parse(text)
      const form = { client_id: client, scope: "repo" }
      const [started] = await program([{ url: "https://github.com/login/device/code", form, headers }])
      const { device_code, user_code } = read(started!.text)
      assert.strictEqual(user_code, "ABCD-1234")
      const grant_type = "urn:ietf:params:oauth:grant-type:device_code"
      const poll = { url: GITHUB_TOKEN, form: { client_id: client, device_code, grant_type }, headers }
      const [pending, done] = await program([poll, poll])
      assert.strictEqual(read(pending!.text).error, "authorization_pending")
      const { access_token: token, scope } = read(done!.text)
      assert.match(token, /^gho_credsvc-proxy-managed---[\w-]+$/)
      assert.strictEqual(scope, "gist,read:org,repo")
      const call = { url: api, headers: { authorization: `token ${token}` } }
      assert.deepStrictEqual([(await ask(call, program)).status, (await ask(call)).status], [200, 200])
    }
  })

  it("replaces the login of the same account and client, and no other login", async () => {
    const tokenOf = async (account: string, program: Program, client?: string) =>
      githubForm((await ask(githubLogin(account, client), program)).text).access_token!
    const first = await tokenOf("ida", gh)
    const { stdout } = await sandbox.must(["list", "--json"])
    assert.include(stdout, "\"ida\"")
    assert.strictEqual(await tokenOf("ida", gh), first)
    assert.notStrictEqual(await tokenOf("jan", gh), first)
    const editor = "Ov23li8tweQw6odWQebz"
    const byClient = [await tokenOf("ida", copilot, COPILOT_CLIENT), await tokenOf("ida", copilot, editor)]
    assert.notStrictEqual(byClient[0], byClient[1])
    assert.deepStrictEqual(
      [await tokenOf("ida", copilot, COPILOT_CLIENT), await tokenOf("ida", copilot, editor)],
      byClient
    )
    // Without a known account, the login is a new one.
    const before = vendor.scriptAt("/user")
    vendor.answer("/user", { status: 500, body: {} })
    try {
      assert.notStrictEqual(await tokenOf("ida", gh), first)
    } finally {
      vendor.answer("/user", ...before)
    }
    const call = { url: USER, headers: bearer(first) }
    assert.strictEqual(JSON.parse((await ask(call, gh)).text).login, "ida")
  })

  it("uses git over HTTPS with the placeholder as the password", async () => {
    const { access_token: token } = githubForm((await ask(githubLogin("bob"), gh)).text)
    const url = "https://github.com/o/r.git/info/refs"
    assert.strictEqual((await ask({ url, headers: basic(`bob:${token}`) }, gh)).status, 200)
  })

  it("gets placeholders for the editor and session tokens of GitHub Copilot", async () => {
    const { access_token: token } = githubForm((await ask(githubLogin("cat", COPILOT_CLIENT), copilot)).text)
    const [editor, session] = await copilot([
      { url: "https://api.github.com/copilot_internal/v2/token", headers: bearer(token!) },
      withToken("https://api.individual.githubcopilot.com/models/session", token!)
    ])
    const second = JSON.parse(editor!.text).token
    assert.match(second, /credsvc-proxy-managed---[\w-]+\.[\w-]+$/)
    const { session_token } = JSON.parse(session!.text)
    assert.match(session_token, /credsvc-proxy-managed---[\w-]+\.[\w-]+$/)
    const call = { url: CHAT, json: {}, headers: { ...bearer(token!), "copilot-session-token": session_token } }
    assert.strictEqual((await ask(call, copilot)).status, 200)
    const { headers } = vendor.at("/chat/completions").at(-1)!
    assert.match(`${headers.authorization} ${headers["copilot-session-token"]}`, /^Bearer gho_canary\d+ canary-session/)
  })

  it("receives the session token itself, without a placeholder, if its login was not made in a run", async () => {
    await sandbox.must(["profile", "create", "unconnected"])
    const own = begin({ name: "copilot", flags: ["--profile", "unconnected"], mayHold: true })
    const session = withToken("https://api.individual.githubcopilot.com/models/session", "its-own-token")
    const { status, text } = await ask(session, own)
    assert.strictEqual(status, 200, text)
    assert.match(JSON.parse(text).session_token, /^canary-session/)
  })

  it("gets placeholders in place of Google's tokens, and the daemon refreshes the login with the client secret of the program's request", async () => {
    const { access_token: token, id_token, refresh_token } = JSON.parse((await ask(googleLogin("dan"), gemini)).text)
    assert.match(token, /^ya29\.credsvc-proxy-managed---/)
    assert.strictEqual(id_token.split(".").length, 3)
    const call = withToken(GENERATE, token)
    const before = vendor.counts.refreshes
    vendor.expire()
    const form = {
      client_id: GEMINI_CLIENT,
      client_secret: "program-secret",
      grant_type: "refresh_token",
      refresh_token
    }
    const answers = await gemini([call, { url: GOOGLE_TOKEN, form }, call])
    assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200])
    assert.strictEqual(JSON.parse(answers[1]!.text).access_token, token)
    assert.strictEqual(vendor.counts.refreshes, before + 1)
    const about = { url: "https://oauth2.googleapis.com/tokeninfo", method: "POST", headers: bearer(token) }
    assert.strictEqual((await ask(about, gemini)).status, 200)
  })

  it("gets placeholders at the v3 and v4 token endpoints of Google", async () => {
    const open = begin({ flags: ["--provider", "codex"], mayHold: true })
    for (const version of ["v3", "v4"]) {
      const place = `/oauth2/${version}/token`
      vendor.answer(place, { body: vendor.tokens("google", "ken") })
      const request = { ...googleLogin("ken"), url: `https://www.googleapis.com${place}` }
      assert.match((await ask(request, open)).text, /ya29\.canary/)
      assert.match((await ask(request, gemini)).text, /ya29\.credsvc-proxy-managed---/)
    }
  })

  it("does not change the logins of other clients at the same server", async () => {
    const other = begin({ name: "gemini", mayHold: true })
    const jwt = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "a.b.c" }
    const { client_id: _, client_secret: __, ...code } = googleLogin("eve").form!
    const asked: ReadonlyArray<readonly [Asked, RegExp]> = [
      [googleLogin("eve", { client_id: "another" }), /ya29\.canary/],
      [{ url: GOOGLE_TOKEN, form: code, headers: basic("another:secret") }, /ya29\.canary/],
      [{ url: GOOGLE_TOKEN, form: jwt }, /ya29\.of-a-service-account/],
      [{ url: GOOGLE_TOKEN, form: code }, /must contain exactly one client_id/],
      [
        { url: GOOGLE_TOKEN, form: { ...code, client_id: "another" }, headers: basic(`${GEMINI_CLIENT}:s`) },
        /must contain exactly one client_id/
      ],
      [
        { url: GOOGLE_TOKEN, form: code, headers: basic(`${GEMINI_CLIENT.replace("-", "%2D")}:s`) },
        /ya29\.credsvc-proxy-managed/
      ]
    ]
    const answers = await other(asked.map(([request]) => request))
    for (const [index, [, expected]] of asked.entries()) assert.match(answers[index]!.text, expected)
  })

  it("has placeholders that are refused elsewhere and cannot be exchanged for another credential", async () => {
    const github = githubForm((await ask(githubLogin("fil"), gh)).text).access_token!
    const google = JSON.parse((await ask(googleLogin("fil"), gemini)).text)
    const seen = vendor.received.length
    const attempts: ReadonlyArray<Asked> = [
      withToken(GENERATE, github),
      { url: USER, headers: bearer(google.access_token) },
      withToken(MESSAGES, github),
      { url: USER, headers: bearer(google.refresh_token) },
      { url: GITHUB_TOKEN, form: { client_id: GH_CLIENT, grant_type: "refresh_token", refresh_token: github } },
      { url: GOOGLE_TOKEN, form: { client_id: GEMINI_CLIENT, grant_type: "refresh_token", refresh_token: github } },
      {
        url: GOOGLE_TOKEN,
        form: {
          client_id: GEMINI_CLIENT,
          grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
          subject_token: google.access_token
        }
      }
    ]
    for (const [index, { status, text }] of (await run(attempts)).entries()) {
      assert.strictEqual(status, 403, `${attempts[index]!.url} ${text}`)
    }
    assert.lengthOf(vendor.received.slice(seen), 0)
  })

  it("does not affect requests without its placeholders, which use another connection", async () => {
    await sandbox.must(["login", "github-token", "--stdin"], { input: "ghp_canary_of_the_user" })
    const { access_token: token } = githubForm((await ask(githubLogin("gus"), gh)).text)
    await run([
      { url: USER, headers: bearer("github_pat_credsvc-proxy-managed") },
      { url: USER, headers: bearer(token!) }
    ])
    const sent = vendor.at("/user").slice(-2).map(({ headers }) => headers.authorization)
    assert.strictEqual(sent[0], "Bearer ghp_canary_of_the_user")
    assert.match(sent[1]!, /^Bearer gho_canary/)
  })

  it("leaves its tokens in no file but the vault, where they are sealed", () => {
    assert.deepStrictEqual(filesHolding(sandbox.directory, ...vendor.issued), [])
  })
})
