import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type OAuthSandbox, oidcDefinition, openOAuthSandbox } from "../support/OAuthSandbox.ts"
import { killDaemon } from "../support/Processes.ts"
import { filesHolding } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"

const SECONDS = 1000
/**
 * The lifetime of an access token in seconds. Shorter ones would be inexact, because the server counts in whole
 * seconds.
 */
const LIFETIME = 2

/** Sends one request to the API under `run`. curl prints the status. */
const called = async (sandbox: OAuthSandbox): Promise<string> => {
  const curl = ["curl", "-s", "-o", "body", "-w", "%{http_code}", `${sandbox.server.api.origin}/v1/me`]
  const { stdout } = await sandbox.must(["run", "--", ...curl])
  return stdout
}

const bearer = (sandbox: OAuthSandbox): string | undefined =>
  sandbox.server.api.authorizations.at(-1)?.replace("Bearer ", "")

describe("OAuth with a certified authorization server", () => {
  const sandbox = shared(() => openOAuthSandbox({ accessTokenLifetime: LIFETIME }))
  beforeAll(async () => {
    await sandbox.register(oidcDefinition(sandbox.server))
  }, 120 * SECONDS)

  const get = async (field: string): Promise<string> =>
    (await sandbox.must(["get", "oidc", "--field", field])).stdout.trim()

  const tokenIsOver = () => new Promise((resolve) => setTimeout(resolve, LIFETIME * SECONDS))

  const refreshes = () => sandbox.server.tokenRequests("refresh_token")

  it("logs in with a code and PKCE, and only the API sees the token", async () => {
    const { code, stderr } = await sandbox.login(["oidc"])
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(await get("status"), "connected")
    assert.strictEqual(await called(sandbox), "200")
    const token = bearer(sandbox) ?? ""
    assert.isAbove(token.length, 20)
    assert.deepStrictEqual(filesHolding(sandbox.home, token), [])
  })

  it("sends the API a new token when the old one expires, even after the daemon was killed", async () => {
    const before = bearer(sandbox)
    await tokenIsOver()
    assert.strictEqual(await called(sandbox), "200")
    assert.notStrictEqual(bearer(sandbox), before)
    await killDaemon(sandbox.home)
    await tokenIsOver()
    await sandbox.must(["daemon", "start", "--port", "0"])
    assert.strictEqual(await called(sandbox), "200")
    const used = refreshes().map(({ params }) => String(params["refresh_token"]))
    assert.isAtLeast(used.length, 2)
    assert.strictEqual(new Set(used).size, used.length)
    assert.strictEqual(sandbox.server.reused(), 0)
    assert.deepStrictEqual(filesHolding(sandbox.home, ...used), [])
  })

  it("requires a login after the provider has ended the grant, and works again after this login", async () => {
    const grants = refreshes().map(({ params }) => String(params["refresh_token"]))
    const last = await sandbox.server.provider.RefreshToken.find(grants.at(-1) ?? "", { ignoreExpiration: true })
    await sandbox.server.provider.RefreshToken.revokeByGrantId(last?.grantId ?? "")
    await tokenIsOver()
    const { code, stderr } = await sandbox.credsvc(["export", "oidc"])
    assert.strictEqual(code, 5, stderr)
    assert.include(stderr, "credsvc login oidc")
    assert.strictEqual(await get("status"), "expired")
    const again = await sandbox.login(["oidc", "--force"])
    assert.strictEqual(again.code, 0, again.stderr)
    assert.strictEqual(await called(sandbox), "200")
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

  it("leaves no code or `state` in any file, and no problem for doctor", async () => {
    await sandbox.must(["doctor", "--json"])
    const codes = sandbox.server.tokenRequests("authorization_code").map(({ params }) => String(params["code"]))
    const states = sandbox.server.requests.map(({ params }) => params["state"]).filter((state) => state !== undefined)
    assert.deepStrictEqual(filesHolding(sandbox.home, ...codes, ...states.map(String)), [])
  })
})
