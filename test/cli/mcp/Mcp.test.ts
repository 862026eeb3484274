import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { canContain, openContainedSandbox } from "../../support/ContainedSandbox.ts"
import * as fc from "../../support/FastCheck.ts"
import { type McpSession, openMcpSession } from "../../support/McpSession.ts"
import { oidcDefinition, openOAuthSandbox } from "../../support/OAuthSandbox.ts"
import { killDaemon } from "../../support/Processes.ts"
import { collect, demoDefinition, demoHost, entry, openSandbox, type Sandbox } from "../../support/Sandbox.ts"
import { shared } from "../../support/Shared.ts"
import { visit } from "../../support/UserAgent.ts"

const placeholder = "credsvc-proxy-managed"

const spare = {
  ...demoDefinition,
  name: "spare",
  display_name: "Spare API",
  api_url: "https://spare.demo.test",
  hosts: ["spare.demo.test"],
  export: { env: { api_key: "SPARE_API_KEY" } }
}

/** Starts a program in a run. */
const inRun = (...flags: ReadonlyArray<string>) => [process.execPath, entry, "run", "--quiet", ...flags, "--"]

/** A program that starts another one without a variable that it has itself. */
const without = (variable: string) => ["sh", "-c", `env -u ${variable} "$@"; exit $?`, "sh"]

const request = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

const hello = request(1, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" }
})

/** Submits the form of a login page with a key, as the user's browser does. */
const enterKey = async (page: string, key: string) => {
  const html = await (await fetch(page)).text()
  const [, token = ""] = /name="form_token" value="([^"]+)"/.exec(html) ?? []
  const response = await fetch(page, {
    method: "POST",
    redirect: "manual",
    headers: { origin: new URL(page).origin },
    body: new URLSearchParams({ form_token: token, action: "connect", api_key: key })
  })
  assert.strictEqual(response.status, 303, await response.text())
}

const register = async (sandbox: Sandbox, definition: { readonly name: string }) => {
  const file = path.join(sandbox.directory, `${definition.name}.json`)
  fs.writeFileSync(file, JSON.stringify(definition))
  await sandbox.must(["register", file, "--yes"])
}

describe("credsvc mcp", () => {
  const sandbox = shared(() => openSandbox())
  let session: McpSession
  const open = (wrapper: ReadonlyArray<string> = [], env: NodeJS.ProcessEnv = {}) =>
    openMcpSession({ env: { ...sandbox.env, ...env }, cwd: sandbox.directory, wrapper })

  /** Another session, until the test ends. */
  const openOther = async (...options: Parameters<typeof open>) => {
    const session = await open(...options)
    onTestFinished(() => session.close())
    return session
  }

  beforeAll(async () => {
    await register(sandbox, spare)
    session = await open()
  })
  afterAll(() => session?.close())

  it("describes its tools with input and output schemas, and marks those that change nothing", async () => {
    const { tools } = await session.client.listTools()
    assert.deepStrictEqual(
      tools.map(({ annotations, name }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
      [
        ["list_connections", true, false],
        ["find_providers", true, false],
        ["explain_url", true, false],
        ["request_login", false, false],
        ["check_login", true, false]
      ]
    )
    for (const { description, inputSchema, name, outputSchema } of tools) {
      assert.isNotEmpty(description, name)
      assert.strictEqual(inputSchema.type, "object", name)
      assert.strictEqual(inputSchema["additionalProperties"], false, name)
      assert.strictEqual(outputSchema?.type, "object", name)
    }
  })

  it("explains placeholders in its instructions, which are also a resource", async () => {
    const instructions = session.client.getInstructions() ?? ""
    assert.include(instructions, placeholder)
    assert.include(instructions, "credsvc run -- <command>")
    const { resources } = await session.client.listResources()
    const { contents } = await session.client.readResource({ uri: resources[0]!.uri })
    assert.strictEqual((contents[0] as { readonly text: string }).text, instructions)
  })

  it("lists connected providers with hosts, status and placeholders", async () => {
    const { data, text } = await session.call("list_connections")
    assert.deepStrictEqual(JSON.parse(text), data)
    const { providers, ...place } = data
    assert.deepStrictEqual(place, { profile: place.profile, inside_run: false, limited_to: null, other_hosts: "allow" })
    assert.deepStrictEqual(providers, [{
      provider: "demo",
      display_name: "Demo API",
      hosts: [demoHost],
      variables: [{ name: "DEMO_API_KEY", value: placeholder }],
      connections: [
        { name: "default", used: true, status: "connected", problem: null, account: null, expires_at: null }
      ]
    }])
  })

  it("finds providers by name and host, even without a connection", async () => {
    const byHost = await session.call("find_providers", { query: "SPARE.demo" })
    assert.deepStrictEqual(byHost.data, {
      providers: [{
        provider: "spare",
        display_name: "Spare API",
        auth_type: "api_key",
        connected: false,
        hosts: ["spare.demo.test"],
        variables: ["SPARE_API_KEY"]
      }],
      more: 0
    })
    const many = await session.call("find_providers", { query: "a" })
    assert.strictEqual(many.data.providers.length, 20)
    assert.isAbove(many.data.more, 100)
  })

  const explained = async (url: string, from = session) => {
    const { data } = await from.call("explain_url", { url })
    return [data.outcome, data.provider, data.connection]
  }

  it("explains whether a request to a URL gets a credential, as the proxy decides it", async () => {
    assert.deepStrictEqual(await explained(`https://${demoHost}/v1/whoami?q=1`), ["credential", "demo", "default"])
    assert.deepStrictEqual(await explained("https://spare.demo.test"), ["not_connected", "spare", null])
    assert.deepStrictEqual(await explained("https://example.com"), ["no_credential", null, null])
    assert.deepStrictEqual(await explained(`https://${demoHost}:8443`), ["no_credential", null, null])
    assert.deepStrictEqual(await explained("https://127.0.0.1"), ["no_credential", null, null])
    assert.deepStrictEqual(await explained(`http://${demoHost}`), ["refused", null, null])
    assert.deepStrictEqual(await explained("http://example.com"), ["no_credential", null, null])
  })

  it("rejects invalid arguments with a message for the agent", async () => {
    const rejected = async (name: string, args: object) => {
      const { data, isError, text } = await session.call(name, { ...args })
      assert.isTrue(isError)
      assert.isUndefined(data)
      return text
    }
    assert.strictEqual(
      await rejected("explain_url", { url: "https://user:hunter2@example.com" }),
      "url: must be an http or https URL without a user or password"
    )
    assert.strictEqual(await rejected("list_connections", { reveal: true }), "reveal: is an unknown field")
    assert.strictEqual(
      await rejected("request_login", { provider: "demo", base_url: "https://evil.example" }),
      "base_url: is an unknown field"
    )
    assert.strictEqual(await rejected("request_login", {}), "provider: is missing")
    assert.match(await rejected("request_login", { provider: "../etc" }), /^provider: must be a name/)
    assert.match(
      await rejected("request_login", { provider: "demmo" }),
      /^Provider "demmo" not found\. Did you mean .*demo/
    )
    assert.match(await rejected("check_login", { provider: "demo", wait_seconds: 3600 }), /^wait_seconds: must be/)
    assert.match(await rejected("check_login", { provider: "spare" }), /has started no login for/)
    const unknown = await session.client.callTool({ name: "get_secret" }).then(
      () => "",
      (error: Error) => error.message
    )
    assert.match(unknown, /unknown tool/)
  })

  it("starts no login for a connection that works", async () => {
    const { data } = await session.call("request_login", { provider: "demo" })
    assert.strictEqual(data.state, "connected")
    assert.isNull(data.url)
  })

  it("asks the user for a login on a page of the daemon, and reports the state of the login", async () => {
    const { data: started } = await session.call("request_login", { provider: "spare", connection: "work" })
    assert.strictEqual(started.state, "waiting_for_user")
    const { data: again } = await session.call("request_login", { provider: "spare", connection: "work" })
    assert.strictEqual(again.url, started.url)
    const waiting = session.call("check_login", { provider: "spare", connection: "work", wait_seconds: 25 })
    await enterKey(started.url, sandbox.key)
    assert.strictEqual((await waiting).data.state, "completed")
    const { data } = await session.call("list_connections")
    assert.deepStrictEqual(data.providers.map(({ provider }: any) => provider), ["demo", "spare"])
    assert.deepStrictEqual(await explained("https://spare.demo.test"), ["credential", "spare", "work"])
    assert.notInclude(session.received(), sandbox.key)
  })

  it("reports a login that the user cancelled", async () => {
    const { data } = await session.call("request_login", { provider: "spare", connection: "declined" })
    await fetch(data.url, {
      method: "POST",
      redirect: "manual",
      headers: { origin: new URL(data.url).origin },
      body: new URLSearchParams({ action: "cancel" })
    })
    const ended = await session.call("check_login", { provider: "spare", connection: "declined" })
    assert.strictEqual(ended.data.state, "cancelled")
    assert.isNull(ended.data.url)
  })

  it("sends the user to the provider's page of the dashboard if a login needs the base URL", async () => {
    const { data } = await session.call("request_login", { provider: "zendesk" })
    assert.strictEqual(data.state, "waiting_for_user")
    assert.match(data.url, /^http:\/\/127\.0\.0\.1:\d+\/ui\/apps\/zendesk$/)
    assert.strictEqual((await fetch(data.url)).status, 200)
    const later = await session.call("check_login", { provider: "zendesk", wait_seconds: 1 })
    assert.strictEqual(later.data.url, data.url)
  })

  it("returns no secret for any arguments of any tool", async () => {
    const { tools } = await session.client.listTools()
    const known = fc.constantFrom<unknown>(
      "demo",
      "spare",
      "default",
      "work",
      "*",
      "",
      `https://${demoHost}/`,
      true,
      0,
      null
    )
    const names = fc.constantFrom(
      "provider",
      "connection",
      "url",
      "query",
      "reveal",
      "show_secret",
      "force",
      "__proto__"
    )
    const hostile = fc.dictionary(fc.oneof(names, fc.string()), fc.oneof(known, fc.jsonValue()), { maxKeys: 5 })
    const calls = fc.tuple(fc.constantFrom(...tools.map(({ name }) => name)), hostile)
    await fc.assert(
      fc.asyncProperty(calls, async ([name, args]) => {
        await session.call(name, args).catch(() => undefined)
      }),
      { numRuns: 150 }
    )
    for (const { name } of tools) {
      for (
        const args of [{}, { provider: "demo" }, { provider: "demo", reveal: "true" }, { url: `https://${demoHost}` }]
      ) {
        await session.call(name, args).catch(() => undefined)
      }
    }
    const received = session.received()
    for (const encoding of ["utf8", "base64", "hex"] as const) {
      assert.notInclude(received, Buffer.from(sandbox.key).toString(encoding).replace(/=+$/, "").slice(0, -2))
    }
  })

  it("sends the daemon only requests that cannot reveal a secret", async () => {
    await session.call("list_connections")
    await session.close()
    const { stdout } = await sandbox.credsvc(["log", "--raw", "-n", "99999"])
    const sent = stdout.split("\n").filter((line) => line.includes(" | DEBUG    | credsvc.mcp:send:"))
      .map((line) => /\] ([A-Z]+ \S+):/.exec(line)?.[1])
    assert.isNotEmpty(sent)
    assert.sameMembers([...new Set(sent)], [
      "GET /runs",
      "GET /whoami",
      "GET /proxy/routes",
      "GET /providers",
      "GET /connections",
      "POST /auth/sessions",
      "GET /auth/sessions/:session_id"
    ])
    session = await open()
  })

  it("has the limits of the outer run", async () => {
    const limited = await openOther(inRun("--provider", "spare", "--unmatched", "deny"))
    const { data } = await limited.call("list_connections")
    assert.deepStrictEqual([data.inside_run, data.limited_to, data.other_hosts], [true, ["spare"], "deny"])
    assert.deepStrictEqual(data.providers.map(({ provider }: any) => provider), ["spare"])
    assert.deepStrictEqual(await explained(`https://${demoHost}`, limited), ["refused", null, null])
    const found = await limited.call("find_providers", { query: "demo" })
    assert.deepStrictEqual(found.data.providers.map(({ provider }: any) => provider), ["spare"])
    const login = await limited.call("request_login", { provider: "openai" })
    assert.isTrue(login.isError)
    assert.match(login.text, /^This run is limited to spare and does not include openai\./)
    assert.include(limited.client.getInstructions() ?? "", "already behind that proxy")
  })

  it("returns the same result as credsvc explain in a run with rules", async () => {
    const rules = ["--allow", `GET ${demoHost}/v1/**`, "--allow", "POST spare.demo.test/**", "--unmatched", "deny"]
    const wrapper = inRun(...rules)
    const limited = await openOther(wrapper)
    const requests = [
      [`https://${demoHost}/v1/whoami`, "GET"],
      [`https://${demoHost}/v1/whoami?q=1`],
      [`https://${demoHost}/v1/whoami`, "DELETE"]
    ] as const
    const seen = new Set<string>()
    for (const [url, method] of requests) {
      const { data } = await limited.call("explain_url", method === undefined ? { url } : { method, url })
      const command = [...wrapper.slice(2), process.execPath, entry, "explain", "--json", method ?? "GET", url]
      const { outcome, provider, connection, rule, variables } = JSON.parse((await sandbox.credsvc(command)).stdout)
      const { message, ...answer } = data
      assert.deepStrictEqual(answer, { outcome, provider, connection, rule, variables }, `${method} ${url}`)
      assert.include(message, url)
      seen.add(outcome)
    }
    assert.deepStrictEqual([...seen].toSorted(), ["credential", "refused"])
  })

  it("refuses everything inside a run that the daemon does not know", async () => {
    for (const wrapper of [[], without("CREDSVC_RUN")]) {
      const lost = await openOther(wrapper, { CREDSVC_RUN: "0123456789" })
      for (const [name, args] of [["list_connections", {}], ["request_login", { provider: "spare" }]] as const) {
        const { isError, text } = await lost.call(name, args)
        assert.isTrue(isError)
        assert.match(text, /inside a run that the daemon does not know/)
      }
    }
  })

  it("uses the profile of the outer run", async () => {
    await sandbox.must(["profile", "create", "other"])
    const inOther = await openOther(inRun("--profile", "other"))
    const { data } = await inOther.call("list_connections")
    assert.deepStrictEqual([data.profile, data.providers], ["other", []])
  })

  it("recognizes a run even if the agent does not pass on the run's variables", async () => {
    const stripped = await openOther([...inRun(), ...without("CREDSVC_RUN")])
    assert.isTrue((await stripped.call("list_connections")).data.inside_run)
  })

  it("shows the connection that the outer run uses", async () => {
    await sandbox.credsvc(["login", "demo", "--connection", "second", "--stdin"], { input: sandbox.key })
    onTestFinished(() => sandbox.credsvc(["logout", "demo", "--connection", "second"]).then(() => {}))
    const limited = await openOther(inRun("--connection", "demo=second"))
    const { data } = await limited.call("list_connections")
    const { connections } = data.providers.find(({ provider }: any) => provider === "demo")
    assert.deepStrictEqual(connections.map(({ name, used }: any) => [name, used]), [["default", false], [
      "second",
      true
    ]])
    assert.deepStrictEqual((await explained(`https://${demoHost}`, limited))[2], "second")
    const other = await limited.call("request_login", { provider: "demo", connection: "third" })
    assert.match(other.text, /limited to demo=second and does not include demo=third/)
  })

  it("reconnects to the daemon after a restart, and starts a daemon if none runs", async () => {
    await session.call("list_connections")
    await sandbox.must(["daemon", "restart"])
    assert.isFalse((await session.call("list_connections")).isError)
    await killDaemon(sandbox.home)
    const together = await Promise.all(
      Array.from(
        { length: 12 },
        (_, index) =>
          index % 2 === 0
            ? session.call("list_connections")
            : session.call("explain_url", { url: `https://${demoHost}` })
      )
    )
    assert.deepStrictEqual(
      together.map(({ text }, index) => index % 2 === 0 || text.includes("credential")),
      together.map(() => true)
    )
    assert.isFalse(together.some(({ isError }) => isError))
  })

  it("reports why it cannot use the daemon, and continues to serve", async () => {
    const lost = await openOther([], { CREDSVC_DAEMON_URL: "http://127.0.0.1:9" })
    const { isError, text } = await lost.call("list_connections")
    assert.isTrue(isError)
    assert.match(text, /http:\/\/127\.0\.0\.1:9\b.*credsvc daemon start/)
    assert.strictEqual((await lost.client.listTools()).tools.length, 5)
  })

  it("stops waiting when the client cancels a call", async () => {
    await session.call("request_login", { provider: "spare", connection: "waiting" })
    // The daemon lets 8 requests wait for one login, so a ninth shows that the cancelled ones are gone.
    for (let round = 0; round < 9; round++) {
      const controller = new AbortController()
      const call = session.call(
        "check_login",
        { provider: "spare", connection: "waiting", wait_seconds: 25 },
        { signal: controller.signal }
      )
      await session.call("explain_url", { url: "https://example.com" })
      controller.abort()
      await call.then(() => assert.fail("the call was not cancelled"), () => undefined)
    }
    const began = performance.now()
    const { data } = await session.call("check_login", { provider: "spare", connection: "waiting", wait_seconds: 1 })
    assert.strictEqual(data.state, "waiting_for_user")
    assert.isBelow(performance.now() - began, 20_000)
  })

  it("writes only protocol messages to stdout, responds after malformed input, and ends at the end of stdin", async () => {
    const lines = [
      hello,
      JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
      "{ not json",
      "",
      "[]",
      "null",
      JSON.stringify({ jsonrpc: "1.0", id: 2, method: "ping" }),
      JSON.stringify({ jsonrpc: "2.0", id: 3, method: 3 }),
      request(4, "no/such/method"),
      request(5, "tools/call", { name: 3 }),
      "\u0000\u001b[31m",
      request(6, "ping"),
      request(7, "tools/call", { name: "list_connections" })
    ]
    const child = spawn(process.execPath, [entry, "mcp", "--verbose"], { env: sandbox.env, stdio: "pipe" })
    const { code, stderr, stdout } = await collect(child, `${lines.join("\n")}\n`)
    assert.strictEqual(code, 0, stderr)
    const messages = stdout.trim().split("\n").map((line) => JSON.parse(line))
    const byId = new Map(messages.map((message) => [message.id, message]))
    assert.strictEqual(byId.get(4).error.code, -32601)
    assert.isDefined(byId.get(5).error)
    assert.deepStrictEqual(byId.get(6).result, {})
    assert.isDefined(byId.get(7).result.structuredContent)
    assert.isTrue(messages.every(({ jsonrpc }) => jsonrpc === "2.0"))
  })

  it("serves clients that begin with a handshake, and clients of the protocol revision that has none", async () => {
    const key = (name: string) => `io.modelcontextprotocol/${name}`
    const modern = (id: number, method: string, params: object = {}, revision = "2026-07-28") =>
      request(id, method, { ...params, _meta: { [key("protocolVersion")]: revision, [key("clientCapabilities")]: {} } })
    const lines = [
      modern(1, "server/discover"),
      modern(2, "tools/list"),
      modern(3, "tools/call", { name: "list_connections" }),
      modern(4, "resources/read", { uri: "credsvc://instructions" }),
      modern(5, "tools/list", {}, "2099-01-01"),
      request(6, "tools/list", { _meta: { [key("protocolVersion")]: "2026-07-28" } }),
      hello.replace("\"id\":1", "\"id\":7"),
      request(8, "tools/list")
    ]
    const child = spawn(process.execPath, [entry, "mcp"], { env: sandbox.env, stdio: "pipe" })
    const { code, stderr, stdout } = await collect(child, `${lines.join("\n")}\n`)
    assert.strictEqual(code, 0, stderr)
    const byId = new Map(
      stdout.trim().split("\n").map((line) => JSON.parse(line)).map((message) => [message.id, message])
    )
    const { result } = byId.get(1)
    assert.include(result.supportedVersions, "2026-07-28")
    assert.deepStrictEqual(result.capabilities, { tools: {}, resources: {} })
    assert.strictEqual(result._meta[key("serverInfo")].name, "credsvc")
    for (const id of [1, 2, 3, 4]) assert.strictEqual(byId.get(id).result.resultType, "complete", String(id))
    for (const id of [1, 2, 4]) assert.isAbove(byId.get(id).result.ttlMs, 0, String(id))
    assert.isDefined(byId.get(3).result.structuredContent)
    assert.strictEqual(byId.get(5).error.code, -32022)
    assert.deepStrictEqual(byId.get(5).error.data.supported, result.supportedVersions)
    assert.strictEqual(byId.get(6).error.code, -32602)
    assert.strictEqual(byId.get(7).result.protocolVersion, "2025-06-18")
    assert.deepStrictEqual(byId.get(8).result.tools, byId.get(2).result.tools)
    assert.notProperty(byId.get(8).result, "resultType")
  })

  it("ends when a message exceeds the size limit", async () => {
    const child = spawn(process.execPath, [entry, "mcp"], { env: sandbox.env, stdio: "pipe" })
    const { code, stdout } = await collect(child, `${hello}\n${"x".repeat(1024 * 1024)}`)
    assert.strictEqual(code, 0)
    assert.strictEqual(stdout.trim().split("\n").length, 1)
  })

  it("ends when the client exits without closing stdin", async () => {
    const child = spawn(process.execPath, [entry, "mcp"], { env: sandbox.env, stdio: "pipe" })
    child.stdin.write(`${hello}\n`)
    await new Promise((resolve) => child.stdout.once("data", resolve))
    child.stdout.destroy()
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.stdin.on("error", () => {})
    child.stdin.write(`${request(2, "tools/list")}\n${request(3, "tools/list")}\n`)
    assert.strictEqual(await ended, 0)
  })

  it("uses the daemon's client in one module only, which calls five operations", () => {
    const directory = new URL("../../../src/cli/mcp/", import.meta.url)
    const codeOf = (file: string) => fs.readFileSync(new URL(file, directory), "utf8").replace(/^import type .*$/gm, "")
    const using = fs.readdirSync(directory).filter((file) =>
      // Types may name the client, as in `DaemonClient | Logins`.
      /OperationCall|GroupClient|\bDaemonClient\b(?! *\|)|Routes\.ts|Responses\.ts/.test(codeOf(file))
    )
    assert.deepStrictEqual(using, ["McpDaemon.ts"])
    const code = codeOf("McpDaemon.ts")
    assert.notMatch(code, /\bDaemonClient\b|\bperform\b|callDecoded|Responses\.ts/)
    assert.deepStrictEqual(
      [...code.matchAll(/\bcall\(([^,)]*)/g)].map(([, id]) => id),
      ["system.whoami", "providers.list", "connections.list", "auth.start", "auth.get"].map((id) => `"${id}"`)
    )
  })
})

describe("credsvc mcp with an OAuth provider", () => {
  const sandbox = shared(() => openOAuthSandbox())
  const open = async () => {
    const session = await openMcpSession({ env: sandbox.env, cwd: sandbox.directory })
    onTestFinished(() => session.close())
    return session
  }

  it("returns neither state nor code of a login, and no token", async () => {
    const session = await open()
    await sandbox.register(oidcDefinition(sandbox.server))
    const { data } = await session.call("request_login", { provider: "oidc" })
    assert.strictEqual(data.state, "waiting_for_user")
    assert.isTrue(data.url.startsWith(`${sandbox.daemonUrl()}/auth/sessions/`), data.url)
    const page = await (await fetch(data.url)).text()
    const [, next = ""] = /<a class="button" href="([^"]+)"/.exec(page) ?? []
    const authorization = new URL(next.replaceAll("&amp;", "&"))
    const waiting = session.call("check_login", { provider: "oidc", wait_seconds: 25 })
    const callback = await sandbox.server.user.walk(authorization.href)
    await visit(callback)
    const { data: ended } = await waiting
    assert.strictEqual(ended.state, "completed", ended.message)

    const { data: device } = await session.call("request_login", { provider: "oidc", connection: "again" })
    assert.strictEqual(device.state, "waiting_for_user")
    await session.call("list_connections")
    const received = session.received()
    const secrets = [
      authorization.searchParams.get("state"),
      authorization.searchParams.get("code_challenge"),
      new URL(callback).searchParams.get("code")
    ]
    for (const secret of secrets) assert.notInclude(received, secret ?? assert.fail("the login has no such part"))
    const { stdout } = await sandbox.must(["export", "oidc", "--format", "json"])
    for (const secret of Object.values(JSON.parse(stdout) as Record<string, string>)) {
      if (secret.length > 15) assert.notInclude(received, secret)
    }
  })

  it("returns no user code of a device login", async () => {
    const session = await open()
    await sandbox.register(oidcDefinition(sandbox.server, { name: "device", flow: "device_code" }))
    const { data } = await session.call("request_login", { provider: "device" })
    const [code = assert.fail("the page shows no code")] =
      /\b[A-Z]{4}-[A-Z]{4}\b/.exec(await (await fetch(data.url)).text()) ??
        []
    assert.notInclude(session.received(), code)
  })
})

describe.skipIf(!canContain)("credsvc mcp in a contained run", () => {
  it("reports that no daemon runs, and what the agent can do", async () => {
    const sandbox = await openContainedSandbox()
    const wrapper = [process.execPath, entry, "run", "--contain", "--quiet", "--", ...without("CREDSVC_CONTAINED")]
    onTestFinished(() => sandbox.close())
    const session = await openMcpSession({ env: sandbox.env, cwd: sandbox.work, seen: sandbox.seen, wrapper })
    onTestFinished(() => session.close())
    assert.include(session.client.getInstructions() ?? "", "inside a contained run")
    const { isError, text } = await session.call("list_connections")
    assert.isTrue(isError)
    assert.match(text, /inside a contained run.*Start the server outside of the run/)
  })
})
