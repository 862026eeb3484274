/** Login files of programs, which are taken over and given back. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { readLoginText } from "../../../src/domain/text/LoginText.ts"
import {
  CLAUDE_CLIENT,
  CODEX_CLIENT,
  codexTokens,
  GEMINI_CLIENT,
  type LoginVendor,
  openLoginVendor
} from "../../support/LoginVendor.ts"
import { collect, filesHolding, openProgram, type RunOptions } from "../../support/Sandbox.ts"

let vendor: LoginVendor
let sandbox: ReturnType<typeof openProgram>
let number = 0

beforeAll(async () => {
  vendor = await openLoginVendor()
  sandbox = openProgram([vendor])
  await sandbox.must(["daemon", "start", "--port", "0"])
})

afterAll(async () => {
  await sandbox.close()
  await vendor.close()
})

interface Kind {
  readonly program: string
  readonly file: string
  readonly mode: number
  readonly provider: string
  readonly content: (account: string) => string
}

const soon = () => Date.now() + 3_600_000

/** As the programs write them, and with what they or others keep beside the login. */
const claude: Kind = {
  program: "claude-code",
  file: ".claude/.credentials.json",
  mode: 0o600,
  provider: "claude",
  content: (account) => {
    const { access_token: accessToken, refresh_token: refreshToken } = vendor.tokens("claude", account)
    const login = {
      accessToken,
      refreshToken,
      expiresAt: soon(),
      scopes: ["user:inference", "user:profile"],
      subscriptionType: "max",
      accountUuid: `uuid-${account}`
    }
    return `{"claudeAiOauth":${JSON.stringify(login)},\t"mcpOAuth": {"x": {"accessToken":"mcp-\\u0074oken"}}}`
  }
}
const codex: Kind = {
  program: "codex",
  file: ".codex/auth.json",
  mode: 0o640,
  provider: "codex",
  content: (account) => {
    const tokens = codexTokens(vendor, account)
    return `${JSON.stringify({ auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens, n: 1.50 }, null, 2)}\r\n`
  }
}
const opencode: Kind = {
  program: "opencode",
  file: ".local/share/opencode/auth.json",
  mode: 0o600,
  provider: "codex",
  content: (account) => {
    const { access_token: access, refresh_token: refresh } = vendor.tokens("codex", account)
    const openai = { type: "oauth", refresh, access, expires: soon(), accountId: `acct-${account}` }
    return JSON.stringify({ anthropic: { type: "api", key: "k" }, openai }, null, 2)
  }
}
/** gh writes the token of the active account twice, and keeps other hosts beside it. */
const gh: Kind = {
  program: "gh",
  file: ".config/gh/hosts.yml",
  mode: 0o600,
  provider: "gh",
  content: (account) => {
    const { access_token: token } = vendor.tokens("github", account)
    return `# by hand\ngithub.com:\n    users:\n        ${account}:\n            oauth_token: ${token}\n    git_protocol: https\n` +
      `    oauth_token: ${token}\n    user: ${account}\nghe.example.com:\n    oauth_token: gho_of_another_host\n`
  }
}
const copilot: Kind = {
  program: "copilot-cli",
  file: ".copilot/config.json",
  mode: 0o600,
  provider: "copilot",
  content: (account) => {
    const { access_token: token } = vendor.tokens("github", account)
    const login = { authTokens: { [`https://github.com:${account}`]: { token } }, lastLoggedInUser: { login: account } }
    return `// This file is managed automatically: "quoted" {\n${JSON.stringify(login, null, 2)} /* end */\n`
  }
}
const gemini: Kind = {
  program: "gemini-cli",
  file: ".gemini/oauth_creds.json",
  mode: 0o600,
  provider: "gemini-cli",
  content: (account) => {
    const { expires_in: _, ...tokens } = vendor.tokens("google", account)
    return JSON.stringify({ ...tokens, expiry_date: soon() }, null, 2)
  }
}
const hasKeyring = process.platform === "linux" &&
  ["dbus-run-session", "gnome-keyring-daemon"].every((name) => spawnSync(name, ["--version"]).status === 0)

const kinds = [claude, codex, opencode, gh, copilot, gemini]

/** A home directory with a login file. */
const homeWith = ({ content, file, mode }: Kind, text?: string) => {
  const home = path.join(sandbox.directory, `user-${++number}`)
  const at = path.join(home, file)
  fs.mkdirSync(path.dirname(at), { recursive: true })
  const original = text ?? content(`user-${number}`)
  fs.writeFileSync(at, original)
  fs.chmodSync(at, mode)
  const credsvc = (args: ReadonlyArray<string>, options: RunOptions = {}) =>
    sandbox.credsvc(args, { ...options, env: { HOME: home, ...options.env } })
  return {
    home,
    at,
    original,
    read: () => fs.readFileSync(at, "utf8"),
    mode: () => fs.statSync(at).mode & 0o7777,
    credsvc,
    /** Runs a command that fails with this message, and leaves the file as it is. */
    refused: async (args: ReadonlyArray<string>, message: string) => {
      const before = fs.readFileSync(at, "utf8")
      const { code, stderr } = await credsvc(args)
      assert.strictEqual(code, 4, stderr)
      assert.include(stderr, message)
      assert.strictEqual(fs.readFileSync(at, "utf8"), before)
    },
    must: async (args: ReadonlyArray<string>, options?: RunOptions) => {
      const outcome = await credsvc(args, options)
      assert.strictEqual(outcome.code, 0, `${outcome.stderr}${outcome.stdout}`)
      return outcome
    }
  }
}

/** Calls `use` with the variables of a session that has an unlocked keyring. */
const inKeyringSession = async (home: string, use: (env: NodeJS.ProcessEnv) => Promise<void>) => {
  const runtime = path.join(home, "run")
  fs.mkdirSync(runtime, { mode: 0o700 })
  const script = "printf %s password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; " +
    "echo $DBUS_SESSION_BUS_ADDRESS; exec cat"
  const env = { ...sandbox.env, HOME: home, XDG_RUNTIME_DIR: runtime }
  const session = spawn("dbus-run-session", ["--", "sh", "-c", script], { env })
  const closed = once(session, "close")
  try {
    const [address] = await once(session.stdout.setEncoding("utf8"), "data")
    await use({ ...env, DBUS_SESSION_BUS_ADDRESS: address.trim() })
  } finally {
    session.stdin.end()
    await closed
  }
}

/** The statuses of the vendor's API for these access tokens, in a run. */
const callIn = async (user: ReturnType<typeof homeWith>, url: string, tokens: ReadonlyArray<string>) => {
  const script = `for (const token of ${JSON.stringify(tokens)}) {
    const response = await fetch("${url}", { method: "POST", body: "{}", headers: { authorization: "Bearer " + token } })
    console.log(response.status)
  }`
  const { stdout } = await user.must(["run", "--", process.execPath, "--input-type=module", "-e", script])
  return stdout.trim().split("\n").map(Number)
}
const MESSAGES = "https://api.anthropic.com/v1/messages"

const login = (text: string) => JSON.parse(text).claudeAiOauth

const withoutPlaceholders = (document: unknown) =>
  JSON.parse(JSON.stringify(document).replaceAll(/"[^"]*credsvc-proxy-managed[^"]*"/g, "\"token\""))

const realTokens = (text: string) => vendor.issued.filter((token) => text.includes(token))

const FAILING = `
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
const { renameSync } = fs
fs.renameSync = (from, to) => {
  if (/credentials\\.json$/.test(to)) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" })
  renameSync(from, to)
}
syncBuiltinESMExports()
`

describe("a login file of a program", () => {
  for (const kind of kinds) {
    it(`gets placeholders, and its original content back (${kind.program})`, async () => {
      const user = homeWith(kind)
      const { stdout } = await user.must(["login", kind.program, "--adopt", "--json"])
      const connection = JSON.parse(stdout)
      assert.strictEqual(connection.provider, kind.provider)
      assert.strictEqual(connection.has_refresh_token, kind !== gh && kind !== copilot)
      const replaced = user.read()
      assert.deepStrictEqual(realTokens(replaced), [])
      assert.strictEqual(user.mode(), kind.mode)
      // Apart from the tokens, nothing has changed.
      const before = realTokens(user.original).reduce((text, token) => text.replaceAll(token, "token"), user.original)
      assert.deepStrictEqual(withoutPlaceholders(readLoginText(replaced)), readLoginText(before))
      assert.deepStrictEqual(filesHolding(sandbox.directory, ...realTokens(user.original)), [])
      // Again, it changes nothing.
      await user.must(["login", kind.program, "--adopt"])
      assert.strictEqual(user.read(), replaced)

      const undone = await user.must(["login", kind.program, "--undo", "--json"])
      assert.deepStrictEqual(JSON.parse(undone.stdout), { status: "restored", path: user.at })
      assert.strictEqual(user.read(), user.original)
      assert.strictEqual(user.mode(), kind.mode)
      const name = connection.connection_name
      assert.notStrictEqual((await user.credsvc(["get", kind.provider, "--connection", name])).code, 0)
    })
  }

  it("of gh contains only github.com in contained runs, and has a placeholder that works in every run", async () => {
    const user = homeWith(gh)
    await user.must(["login", "gh", "--keep", "--connection", "kept-host"])
    const own = fs.readFileSync(path.join(user.home, ".local/state/credsvc/agents/gh", gh.file), "utf8")
    assert.deepStrictEqual(Object.keys(JSON.parse(own)), ["github.com"])
    assert.deepStrictEqual(realTokens(own), [])
    await user.must(["login", "gh", "--adopt"])
    const [token = ""] = /gho_credsvc[\w-]+/.exec(user.read()) ?? []
    assert.deepStrictEqual(await callIn(user, "https://api.github.com/user", [token]), [200])
    assert.include((await user.must(["run", "--", "env"])).stdout, `GH_TOKEN=gho_credsvc-proxy-managed---`)
  })

  it("of Gemini CLI is refreshed by the daemon after the program has sent its client secret", async () => {
    const user = homeWith(gemini)
    fs.writeFileSync(user.at, user.original.replace(/(?<="expiry_date": )\d+/, String(Date.now() - 1000)))
    await user.must(["login", "gemini-cli", "--adopt"])
    const { access_token, refresh_token } = JSON.parse(user.read())
    vendor.expire()
    const before = vendor.counts.refreshes
    const body = {
      client_id: GEMINI_CLIENT,
      client_secret: "program-secret",
      grant_type: "refresh_token",
      refresh_token
    }
    const script =
      `const post = async (url, init) => console.log((await fetch(url, { method: "POST", ...init })).status)
    await post("https://oauth2.googleapis.com/token", { body: new URLSearchParams(${JSON.stringify(body)}) })
    const headers = { authorization: "Bearer ${access_token}" }
    await post("https://cloudcode-pa.googleapis.com/v1internal:generateContent", { headers })`
    const program = path.join(user.home, "gemini")
    fs.writeFileSync(`${program}.mjs`, script)
    fs.writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${program}.mjs"\n`, { mode: 0o755 })
    const { stdout } = await user.must(["run", "--", program])
    assert.strictEqual(stdout, "200\n200\n")
    assert.strictEqual(vendor.counts.refreshes, before + 1)
  })

  it("has placeholders that authenticate requests in runs, and the daemon refreshes the login", async () => {
    const user = homeWith(claude)
    await user.must(["login", "claude-code", "--adopt"])
    const { accessToken } = login(user.read())
    assert.deepStrictEqual(await callIn(user, MESSAGES, [accessToken]), [200])
    const before = vendor.counts.refreshes
    vendor.expire()
    assert.deepStrictEqual(await callIn(user, MESSAGES, [accessToken, accessToken]), [200, 200])
    assert.strictEqual(vendor.counts.refreshes, before + 1)
    assert.strictEqual(vendor.counts.reused, 0)

    // The refresh token of the original has been used.
    const replaced = user.read()
    await user.refused(["login", "claude-code", "--undo"], "has refreshed the login, so the original tokens")
    // Taking over the same original again must not replace the newer tokens.
    fs.writeFileSync(user.at, user.original)
    await user.must(["login", "claude-code", "--adopt"])
    assert.strictEqual(user.read(), replaced)
    assert.deepStrictEqual(await callIn(user, MESSAGES, [accessToken]), [200])
    await user.must(["login", "claude-code", "--undo", "--force"])
    assert.strictEqual(user.read(), user.original)
    assert.strictEqual(vendor.counts.reused, 0)
  })

  it("is taken over again after the program has logged in by itself, or has emptied the file", async () => {
    const user = homeWith(claude)
    await user.must(["login", "claude-code", "--adopt"])
    const replaced = user.read()
    const emptied = user.original.replace(/("(?:access|refresh)Token":")sk[^"]*/g, "$1")
    fs.writeFileSync(user.at, emptied)
    await user.must(["login", "claude-code", "--adopt"])
    assert.strictEqual(user.read(), replaced)

    const newer = claude.content(`user-${number}`)
    fs.writeFileSync(user.at, newer)
    await user.must(["login", "claude-code", "--adopt"])
    assert.strictEqual(login(user.read()).accessToken, login(replaced).accessToken)
    await user.must(["login", "claude-code", "--undo"])
    assert.strictEqual(user.read(), newer)
  })

  it("is restored over changes only with --force", async () => {
    const user = homeWith(claude)
    await user.must(["login", "claude-code", "--adopt"])
    fs.appendFileSync(user.at, "\n")
    await user.refused(["login", "claude-code", "--undo"], "has changed since")
    await user.must(["login", "claude-code", "--undo", "--force"])
    assert.strictEqual(user.read(), user.original)
  })

  it.skipIf(!hasKeyring)("may be an entry of the keyring, which gets placeholders and is restored", async () => {
    const user = homeWith(codex)
    fs.rmSync(user.at)
    await inKeyringSession(user.home, async (env) => {
      const digest = createHash("sha256").update(fs.realpathSync(path.dirname(user.at))).digest("hex")
      const library = createRequire(import.meta.url).resolve("@napi-rs/keyring")
      const script = `const secret = require("node:fs").readFileSync(0, "utf8")
      const { Entry } = require(${JSON.stringify(library)})
      const entry = new Entry("Codex Auth", "cli|${digest.slice(0, 16)}", { linux: { store: "secret-service" } })
      if (secret !== "") entry.setPassword(secret)
      process.stdout.write(entry.getPassword())`
      const inEntry = async (secret = "") =>
        (await collect(spawn(process.execPath, ["-e", script], { env }), secret)).stdout
      assert.strictEqual(await inEntry(user.original), user.original)
      const scan = async () => (await user.must(["scan"], { env })).stderr
      assert.include(await scan(), "Codex CLI has a login in the entry \"Codex Auth\" of the Secret Service.")

      const own = path.join(user.home, ".local/state/credsvc/agents/codex", codex.file)
      await user.must(["login", "codex", "--keep"], { env })
      assert.strictEqual(await inEntry(), user.original)
      assert.include(fs.readFileSync(own, "utf8"), "credsvc-proxy-managed---")
      assert.deepStrictEqual(realTokens(fs.readFileSync(own, "utf8")), [])

      await user.must(["login", "codex", "--adopt"], { env })
      const replaced = await inEntry()
      assert.deepStrictEqual(realTokens(replaced), [])
      const { tokens } = JSON.parse(replaced)
      const api = "https://chatgpt.com/backend-api/codex/responses"
      assert.deepStrictEqual(await callIn(user, api, [tokens.access_token]), [200])
      // Codex reads it before the entry, and rejects its placeholder.
      assert.notInclude((await user.must(["run", "--", "env"])).stdout, "CODEX_ACCESS_TOKEN")
      assert.deepStrictEqual(JSON.parse(fs.readFileSync(own, "utf8")).tokens, tokens)
      assert.notInclude(await scan(), "Codex CLI is logged in")

      await user.must(["login", "codex", "--undo"], { env })
      assert.strictEqual(await inEntry(), user.original)
      assert.isFalse(fs.existsSync(user.at))
    })
  })

  it("does not change with --keep, and the vault gets no refresh token", async () => {
    const user = homeWith(claude)
    const { stdout } = await user.must(["login", "claude-code", "--keep", "--json"])
    assert.strictEqual(user.read(), user.original)
    assert.isFalse(JSON.parse(stdout).has_refresh_token)
    const own = path.join(user.home, ".local/state/credsvc/agents/claude-code", claude.file)
    const { claudeAiOauth, ...others } = JSON.parse(fs.readFileSync(own, "utf8"))
    assert.deepStrictEqual(others, {})
    assert.deepStrictEqual(realTokens(JSON.stringify(claudeAiOauth)), [])
    assert.deepStrictEqual(await callIn(user, MESSAGES, [claudeAiOauth.accessToken]), [200])
    // The daemon responds to a refresh by the program, with placeholders only.
    const body = JSON.stringify({
      grant_type: "refresh_token",
      refresh_token: claudeAiOauth.refreshToken,
      client_id: CLAUDE_CLIENT
    })
    const script = `const response = await fetch("https://platform.claude.com/v1/oauth/token", {
      method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(body)} })
    console.log(response.status, await response.text())`
    const refreshed = await user.must(["run", "--", process.execPath, "--input-type=module", "-e", script])
    assert.match(refreshed.stdout, /^200 /)
    assert.include(refreshed.stdout, claudeAiOauth.accessToken)
    assert.deepStrictEqual(realTokens(refreshed.stdout), [])
    await user.must(["login", "claude-code", "--keep"])
    assert.strictEqual((await user.must(["list", "--json"])).stdout.match(/"kept-claude"/g)?.length, 1)
  })

  it("with placeholders of a login that was removed is not taken over", async () => {
    for (const forget of [false, true]) {
      const user = homeWith(codex)
      const { stdout } = await user.must(["login", "codex", "--adopt", "--json"])
      const name = JSON.parse(stdout).connection_name
      const replaced = user.read()
      if (forget) {
        await user.must(["login", "codex", "--undo"])
        fs.writeFileSync(user.at, replaced)
      } else await user.must(["logout", "codex", "--connection", name])
      await user.refused(["login", "codex", "--adopt"], "no longer has")
      assert.notStrictEqual((await user.credsvc(["get", "codex", "--connection", name])).code, 0)
    }
  })

  it("is restored with --force after a logout, but not after a revocation", async () => {
    const user = homeWith(codex)
    const adopt = async () =>
      JSON.parse((await user.must(["login", "codex", "--adopt", "--json"])).stdout).connection_name as string
    await user.must(["logout", "codex", "--connection", await adopt()])
    await user.refused(["login", "codex", "--undo"], "its login was removed from the vault")
    await user.must(["login", "codex", "--undo", "--force"])
    assert.strictEqual(user.read(), user.original)

    await adopt()
    await user.must(["revoke", "codex", "--yes"])
    const undone = await user.credsvc(["login", "codex", "--undo", "--force"])
    assert.include(undone.stderr, "no original of")
    assert.deepStrictEqual(realTokens(user.read()), [])
  })

  it("that cannot be written is not taken over", async () => {
    const user = homeWith(claude)
    const failing = path.join(user.home, "failing.mjs")
    fs.writeFileSync(failing, FAILING)
    const args = ["login", "claude-code", "--adopt", "--connection", "unwritten"]
    const { code, stderr } = await user.credsvc(args, { env: { NODE_OPTIONS: `--import=${failing}` } })
    assert.isAbove(code, 0)
    assert.include(stderr, "the disk is full")
    assert.strictEqual(user.read(), user.original)
    assert.notStrictEqual((await user.credsvc(["get", "claude", "--connection", "unwritten"])).code, 0)
    await user.must(args)
  })

  it("gets a connection of its own with --keep, which replaces no other connection", async () => {
    for (const kind of [codex, opencode]) {
      const { connection_name } = JSON.parse(
        (await homeWith(kind).must(["login", kind.program, "--keep", "--json"])).stdout
      )
      assert.strictEqual(connection_name, `kept-${kind.program}`)
    }
    await homeWith(codex).refused(["login", "codex", "--keep"], "not the one that --keep stored for this file")

    const user = homeWith(claude)
    await user.must(["login", "claude-code", "--adopt", "--connection", "kept-claude", "--force"])
    fs.writeFileSync(user.at, user.original)
    assert.strictEqual((await user.credsvc(["login", "claude-code", "--keep"])).code, 4)
    const { stdout } = await user.must(["get", "claude", "--connection", "kept-claude", "--json"])
    assert.isTrue(JSON.parse(stdout).has_refresh_token)
  })

  const withLogin = (change: (login: Record<string, unknown>) => object) => (text: string) =>
    JSON.stringify({ claudeAiOauth: change(login(text)) })
  type Refusal = readonly [
    what: string,
    kind: Kind,
    change: (text: string) => string,
    message: string,
    options?: ReadonlyArray<string>
  ]
  const refusals: ReadonlyArray<Refusal> = [
    ["without a login", claude, () => "{}", "has no access token"],
    ["that is not JSON", claude, (text) => text.slice(1), "is neither a JSON document"],
    [
      "that names a member twice",
      claude,
      (text) => `{"claudeAiOauth":{},${text.slice(1)}`,
      "is neither a JSON document"
    ],
    ["of an API key", codex, () => "{\"OPENAI_API_KEY\":\"sk-1\",\"tokens\":null}", "has no access token"],
    [
      "of another issuer",
      codex,
      (text) => text.replace("\"https://auth.openai.com\"", "\"https://auth.example.com\""),
      "another issuer, \"https://auth.example.com\""
    ],
    ["of another client", codex, (text) => text.replace(CODEX_CLIENT, "app_other"), "another client, \"app_other\""],
    [
      "that has expired and has no refresh token",
      claude,
      withLogin(({ accessToken }) => ({ accessToken, expiresAt: Date.now() - 1000 })),
      "has expired, and no refresh token"
    ],
    [
      "with a token in another place",
      claude,
      (text) => text.replace("mcp-", login(text).refreshToken),
      "has its tokens in additional places, where credsvc would not replace them"
    ],
    [
      "with a real token beside a placeholder",
      claude,
      withLogin((own) => ({ ...own, accessToken: "sk-ant-oat01-credsvc-proxy-managed" })),
      "both tokens and placeholders"
    ],
    ["given together with --flow", claude, (text) => text, "has no effect with --adopt", ["--adopt", "--flow", "pkce"]],
    [
      "of several accounts",
      gh,
      (text) => text.replace(/(users:\n)/, "$1        other:\n            oauth_token: gho_other\n"),
      "the logins of several accounts"
    ],
    [
      "that is YAML with values that are not plain",
      gh,
      (text) => text.replace("https", "|\n  x"),
      "only unquoted one-line values"
    ],
    [
      "whose token is in the keyring",
      gh,
      (text) => text.replaceAll(/^ *oauth_token: gho_canary.*\n/gm, ""),
      "--insecure-storage"
    ],
    ["without an original", claude, (text) => text, "no original of", ["--undo"]]
  ]
  for (const [what, kind, change, message, options = ["--adopt"]] of refusals) {
    it(`${what} is refused, and does not change`, async () => {
      const user = homeWith(kind)
      const text = change(user.original)
      fs.writeFileSync(user.at, text)
      const { code, stderr } = await user.credsvc(["login", kind.program, ...options])
      assert.isAbove(code, 0)
      assert.include(stderr, message)
      assert.strictEqual(user.read(), text)
    })
  }

  const places: ReadonlyArray<readonly [what: string, change: (at: string) => void, message: string]> = [
    ["is absent", (at) => fs.rmSync(at), "keyring"],
    [
      "is absent with its directory",
      (at) => fs.rmSync(path.dirname(at), { recursive: true }),
      "has no access token"
    ],
    ["is a symbolic link", (at) => {
      fs.renameSync(at, `${at}.other`)
      fs.symlinkSync(`${at}.other`, at)
    }, "symbolic link"],
    ["has a second hard link", (at) => fs.linkSync(at, `${at}.other`), "hard link"],
    [
      "is below a directory that all users can change",
      (at) => fs.chmodSync(path.dirname(at), 0o777),
      "can be changed by other users"
    ],
    ["is too large", (at) => fs.appendFileSync(at, " ".repeat(300_000)), "is larger than"],
    ["is not UTF-8", (at) => fs.appendFileSync(at, Buffer.from([0xff])), "UTF-8"],
    ...process.getuid?.() === 0
      ? [
        [
          "belongs to another user",
          (at: string) => fs.chownSync(at, 12_345, 12_345),
          "belongs to another user"
        ] as const
      ]
      : []
  ]
  it.each(places)("that %s is refused", async (_, change, message) => {
    const user = homeWith(claude)
    change(user.at)
    const { code, stderr } = await user.credsvc(["login", "claude-code", "--adopt"])
    assert.strictEqual(code, 4, stderr)
    assert.include(stderr, message)
    if (fs.existsSync(user.at)) assert.include(user.read(), user.original)
  })

  it("of a running program is taken over with --force only", async () => {
    const user = homeWith(claude)
    const program = path.join(user.home, "claude")
    fs.writeFileSync(program, "process.stdin.resume(); console.log()")
    const child = spawn(process.execPath, [program], { env: { HOME: user.home }, stdio: ["pipe", "pipe", "ignore"] })
    try {
      await once(child.stdout!, "data")
      await user.refused(["login", "claude-code", "--adopt"], `Claude Code is running (process ${child.pid})`)
      await user.must(["login", "claude-code", "--adopt", "--force"])
      assert.deepStrictEqual(realTokens(user.read()), [])
    } finally {
      child.kill()
    }
  })
})

/** Ends the command before the n-th operation on the file that it replaces. */
const KILLER = `
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
let left = Number(process.env.KILL_BEFORE)
let more = Infinity
for (const name of ["openSync", "writeSync", "fchmodSync", "fsyncSync", "closeSync", "renameSync"]) {
  const real = fs[name]
  fs[name] = (...args) => {
    if (more === Infinity && /credentials\\.json\\..*tmp$/.test(String(args[0]))) more = 20
    if (more < Infinity && more-- > 0 && left-- === 0) process.kill(process.pid, "SIGKILL")
    // The directory is opened, synced and closed after that.
    if (name === "renameSync") more = 3
    return real(...args)
  }
}
syncBuiltinESMExports()
`

describe("a command that replaces a login file", () => {
  for (const action of ["--adopt", "--undo"]) {
    it(`loses nothing when it ends at any step (${action})`, async () => {
      const killer = path.join(sandbox.directory, "killer.mjs")
      fs.writeFileSync(killer, KILLER)
      let kills = 0
      for (let step = 0;; step++) {
        const user = homeWith(claude)
        if (action === "--undo") await user.must(["login", "claude-code", "--adopt"])
        const env = { NODE_OPTIONS: `--import=${killer}`, KILL_BEFORE: String(step) }
        const { code } = await user.credsvc(["login", "claude-code", action], { env })
        const before = user.read()
        assert.isTrue(before === user.original || realTokens(before).length === 0, before)
        if (code !== 0) kills++
        // Undone at once, or after the command was repeated.
        if (step % 2 === 0) await user.must(["login", "claude-code", "--adopt"])
        if (step === 0) assert.deepStrictEqual(await callIn(user, MESSAGES, [login(user.read()).accessToken]), [200])
        if (step % 2 === 0 || action === "--adopt" || code !== 0) await user.must(["login", "claude-code", "--undo"])
        assert.strictEqual(user.read(), user.original)
        assert.deepStrictEqual(fs.readdirSync(path.dirname(user.at)), [path.basename(user.at)])
        if (code === 0) break
      }
      assert.isAtLeast(kills, 8)
      assert.strictEqual(vendor.counts.reused, 0)
    })
  }
})
