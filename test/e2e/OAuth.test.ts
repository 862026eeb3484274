import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type OAuthSandbox, oidcDefinition, openOAuthSandbox } from "../support/OAuthSandbox.ts"
import { confidentialClient } from "../support/OidcServer.ts"
import { killDaemon } from "../support/Processes.ts"
import { filesHolding } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"
import { visit } from "../support/UserAgent.ts"

const SECONDS = 1000
/**
 * The lifetime of an access token in seconds. Shorter ones would be inexact, because the server counts in whole
 * seconds.
 */
const LIFETIME = 2

/** Sends one request to the API under `run`. curl prints the status. */
const called = async (sandbox: OAuthSandbox, target = "/v1/me"): Promise<string> => {
  const curl = ["curl", "-s", "-o", "body", "-w", "%{http_code}", sandbox.server.api.origin + target]
  const { stdout } = await sandbox.must(["run", "--", ...curl])
  return stdout
}

const bearer = (sandbox: OAuthSandbox): string | undefined =>
  sandbox.server.api.requests.at(-1)?.authorization?.replace("Bearer ", "")

describe("OAuth with a certified authorization server", () => {
  const sandbox = shared(() => openOAuthSandbox())
  beforeAll(async () => {
    await sandbox.register(oidcDefinition(sandbox.server))
  }, 120 * SECONDS)

  const get = async (provider: string, field: string): Promise<string> =>
    (await sandbox.must(["get", provider, "--field", field])).stdout.trim()

  it("logs in with a code and PKCE, and only the API sees the token", async () => {
    const { code, stderr } = await sandbox.login(["oidc"])
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(await get("oidc", "status"), "connected")
    assert.strictEqual(await called(sandbox), "200")
    const token = bearer(sandbox) ?? ""
    assert.isAbove(token.length, 20)
    assert.deepStrictEqual(filesHolding(sandbox.home, token), [])
  })

  it("sends the same redirect URI in both requests, and a challenge that matches the verifier", () => {
    const authorization = sandbox.server.requests.find(({ route }) => route === "authorization")?.params ?? {}
    const exchange = sandbox.server.tokenRequests("authorization_code")[0]?.params ?? {}
    assert.strictEqual(authorization["redirect_uri"], `${sandbox.daemonUrl()}/auth/callback/oauth`)
    assert.strictEqual(exchange["redirect_uri"], authorization["redirect_uri"])
    assert.strictEqual(authorization["code_challenge_method"], "S256")
    assert.match(String(exchange["code_verifier"]), /^[A-Za-z0-9_-]{43}$/)
    assert.notStrictEqual(exchange["code_verifier"], authorization["state"])
  })

  it("asks for the client's id and secret once, and keeps them for the next login", async () => {
    const { client_authentication: _, client_id: __, ...definition } = oidcDefinition(sandbox.server).oauth
    const oauth = { ...definition, client_authentication: "client_secret_basic" }
    await sandbox.register({ ...oidcDefinition(sandbox.server, { name: "confidential" }), oauth } as never)
    const first = await sandbox.login(["confidential", "--stdin"], { input: JSON.stringify(confidentialClient) })
    assert.strictEqual(first.code, 0, first.stderr)
    const again = await sandbox.login(["confidential", "--force"])
    assert.strictEqual(again.code, 0, again.stderr)
    const exchange = sandbox.server.tokenRequests("authorization_code").at(-1)
    assert.match(exchange?.authorization ?? "", /^Basic /)
    assert.isUndefined(exchange?.params["client_secret"])
    assert.deepStrictEqual(filesHolding(sandbox.home, confidentialClient.client_secret), [])
  })

  it("logs in with a device code: the terminal shows the URL and the code", async () => {
    const { code, stderr } = await sandbox.login(["oidc", "--flow", "device_code", "--connection", "device"])
    assert.strictEqual(code, 0, stderr)
    assert.match(stderr, /https:\/\/as\.example\.test\/device/)
    assert.match(stderr, /[A-Z]{4}-[A-Z]{4}/)
    assert.strictEqual(await get("oidc", "flow"), "pkce")
    const { stdout } = await sandbox.must(["get", "oidc", "--connection", "device", "--field", "flow"])
    assert.strictEqual(stdout.trim(), "device_code")
  })

  it("logs out without a request to the provider, and logs in again", async () => {
    const before = sandbox.server.requests.length
    await sandbox.must(["logout", "oidc", "--connection", "device"])
    assert.strictEqual(sandbox.server.requests.length, before)
    const { code, stderr } = await sandbox.login(["oidc", "--connection", "device"])
    assert.strictEqual(code, 0, stderr)
  })

  it("continues a login that was in progress when the daemon restarted", async () => {
    const url = sandbox.daemonUrl()
    const started = await fetch(`${url}/auth/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ provider: "oidc", connection: "restarted" })
    }).then((response) => response.json() as Promise<any>)
    await sandbox.must(["daemon", "restart"])
    assert.strictEqual(sandbox.daemonUrl(), url)
    const back = await sandbox.server.user.walk(started.next_action.url)
    await visit(back)
    const ended = await fetch(`${url}/auth/sessions/${started.session_id}?wait=25`)
      .then((response) => response.json() as Promise<any>)
    assert.strictEqual(ended.status, "completed", ended.message)
  })

  it("revokes at the provider and deletes everything, including client credentials", async () => {
    const { stdout } = await sandbox.must(["revoke", "oidc", "--json", "--yes"])
    assert.strictEqual(JSON.parse(stdout).provider_contacted, true)
    const revoked = sandbox.server.requests.filter(({ route }) => route === "revocation")
    assert.deepStrictEqual(revoked.map(({ status }) => status), revoked.map(() => 200))
    assert.isTrue(revoked.some(({ params }) => params["token_type_hint"] === "refresh_token"))
    const { code } = await sandbox.credsvc(["get", "oidc"])
    assert.strictEqual(code, 3)
  })

  it("leaves doctor healthy and no code or token in any file", async () => {
    await sandbox.must(["doctor", "--json"])
    const codes = sandbox.server.tokenRequests("authorization_code").map(({ params }) => String(params["code"]))
    for (const code of codes) assert.deepStrictEqual(filesHolding(sandbox.home, code), [])
    const states = sandbox.server.requests.map(({ params }) => params["state"]).filter((state) => state !== undefined)
    for (const state of states) assert.deepStrictEqual(filesHolding(sandbox.home, String(state)), [])
  })
})

describe("OAuth refresh with a server that rotates its refresh tokens", () => {
  const sandbox = shared(() => openOAuthSandbox({ accessTokenLifetime: LIFETIME }))
  beforeAll(async () => {
    await sandbox.register(oidcDefinition(sandbox.server))
    const { code, stderr } = await sandbox.login(["oidc"])
    assert.strictEqual(code, 0, stderr)
  }, 120 * SECONDS)

  const tokenIsOver = () => new Promise((resolve) => setTimeout(resolve, LIFETIME * SECONDS))

  const refreshes = () => sandbox.server.tokenRequests("refresh_token")

  it("sends the API a new token when the old one expires, using each refresh token once", async () => {
    for (let round = 1; round <= 2; round++) {
      const before = bearer(sandbox)
      await tokenIsOver()
      assert.strictEqual(await called(sandbox), "200")
      assert.notStrictEqual(bearer(sandbox), before)
    }
    const used = refreshes().map(({ params }) => String(params["refresh_token"]))
    assert.isAtLeast(used.length, 2)
    assert.strictEqual(new Set(used).size, used.length)
    assert.strictEqual(sandbox.server.reused(), 0)
    for (const token of used) assert.deepStrictEqual(filesHolding(sandbox.home, token), [])
  })

  it("continues after the daemon was killed", async () => {
    await killDaemon(sandbox.home)
    await tokenIsOver()
    await sandbox.must(["daemon", "start", "--port", "0"])
    assert.strictEqual(await called(sandbox), "200")
    assert.strictEqual(sandbox.server.reused(), 0)
  })

  it("exports a refreshed token when the old one expires, and never the refresh token", async () => {
    await tokenIsOver()
    const before = refreshes().length
    const { stdout } = await sandbox.must(["export", "oidc", "--format", "json"])
    assert.isAbove(refreshes().length, before)
    const [token] = Object.values(JSON.parse(stdout)) as ReadonlyArray<string>
    assert.notStrictEqual(token, bearer(sandbox))
    assert.isDefined(await sandbox.server.provider.AccessToken.find(token ?? "", { ignoreExpiration: true }))
    const everything = await sandbox.must(["inspect", "oidc"])
    for (const { params } of refreshes()) assert.notInclude(everything.stdout, String(params["refresh_token"]))
  })

  it("requires a login once the provider has ended the grant, and works again after the login", async () => {
    const grants = refreshes().map(({ params }) => String(params["refresh_token"]))
    const last = await sandbox.server.provider.RefreshToken.find(grants.at(-1) ?? "", { ignoreExpiration: true })
    await sandbox.server.provider.RefreshToken.revokeByGrantId(last?.grantId ?? "")
    await tokenIsOver()
    const { code, stderr } = await sandbox.credsvc(["export", "oidc"])
    assert.strictEqual(code, 5, stderr)
    assert.include(stderr, "credsvc login oidc")
    const { stdout } = await sandbox.must(["get", "oidc", "--field", "status"])
    assert.strictEqual(stdout.trim(), "expired")
    const again = await sandbox.login(["oidc", "--force"])
    assert.strictEqual(again.code, 0, again.stderr)
    assert.strictEqual(await called(sandbox), "200")
  })
})

describe("an MCP server without a definition", () => {
  const sandbox = shared(() => openOAuthSandbox())

  const requestsOf = (route: string) => sandbox.server.requests.filter((request) => request.route === route)

  it("supports a login with only its URL: discovery, registration, code, resource", async () => {
    const { api, issuer } = sandbox.server
    const { code, stderr } = await sandbox.login([api.mcpUrl, "--yes"])
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, new URL(issuer).host)
    const [registration] = requestsOf("registration")
    assert.strictEqual(registration?.params["token_endpoint_auth_method"], "none")
    assert.strictEqual(registration?.params["application_type"], "native")
    const [authorization] = requestsOf("authorization")
    assert.strictEqual(authorization?.params["resource"], api.mcpUrl)
    assert.strictEqual(sandbox.server.tokenRequests("authorization_code")[0]?.params["resource"], api.mcpUrl)
    assert.strictEqual(await called(sandbox, "/mcp"), "200")
  })

  it("reuses the registered client at the next login, and deletes it on revoke", async () => {
    const { stdout } = await sandbox.must(["list", "--json"])
    const [provider] = JSON.parse(stdout).custom as ReadonlyArray<{ readonly name: string }>
    const name = provider?.name ?? ""
    const again = await sandbox.login([name, "--force"])
    assert.strictEqual(again.code, 0, again.stderr)
    assert.lengthOf(requestsOf("registration"), 1)
    await sandbox.must(["revoke", name, "--yes"])
    assert.lengthOf(requestsOf("client_delete"), 1)
    assert.strictEqual(requestsOf("client_delete")[0]?.status, 204)
  })
})
