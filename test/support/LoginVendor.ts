/**
 * The servers that Claude Code and Codex log in to, as far as their programs were observed: single-use refresh tokens, the strict formats of
 * each request, identity tokens with account claims, and endpoints that turn a login into another credential.
 */
import { setTimeout } from "node:timers/promises"
import { type Received, type Reply, type ScriptedSite, type Step } from "./ScriptedSite.ts"
import { openScriptedSite } from "./ScriptedSite.ts"
import { makeAuthority } from "./TestCertificates.ts"

export const CLAUDE_CLIENT = "9d1c250a-e61b-44d9-88ed-5944d1962f5e"
export const CODEX_CLIENT = "app_EMoamEEZ73f0CkXaXp7hrann"

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

export interface LoginVendor extends ScriptedSite {
  /** All tokens and keys that it has issued. */
  readonly issued: ReadonlyArray<string>
  /** The tokens of a login, as a program has them in its file. */
  readonly tokens: (vendor: "claude" | "codex", account: string) => Record<string, string>
  /** Makes the API reject the access tokens of all logins. */
  readonly expire: () => void
  /** Ends all logins. */
  readonly end: () => void
  /** Changes token responses on their way. */
  change: (body: Record<string, unknown>) => Record<string, unknown>
  /** What the token endpoint responds in place of everything else. */
  trouble: Reply | undefined
  /** How long a refresh takes at the vendor, in milliseconds. */
  delay: number
  /** The lifetime of access tokens in seconds. */
  lifetime: number
  readonly counts: { refreshes: number; reused: number; revoked: number }
}

/** `model` responds to an authenticated request for a model. */
export const openLoginVendor = async (model?: (body: string) => string): Promise<LoginVendor> => {
  const issued: Array<string> = []
  const refreshable = new Map<string, { readonly account: string; readonly vendor: "claude" | "codex" }>()
  const accepted = new Set<string>()
  const spent = new Set<string>()
  const counts = { refreshes: 0, reused: 0, revoked: 0 }
  let number = 0

  const issue = (text: string): string => {
    issued.push(text)
    return text
  }

  const jwt = (account: string, audience: string): string => {
    number++
    const claims = {
      aud: [audience],
      email: `${account}@example.com`,
      exp: Math.floor(Date.now() / 1000) + vendor.lifetime,
      iss: "https://auth.openai.com",
      jti: `canary-jti-${number}`,
      sub: `user-${account}`,
      "https://api.openai.com/auth": {
        chatgpt_account_id: `acct-${account}`,
        chatgpt_plan_type: "plus",
        chatgpt_user_id: `user-${account}`,
        internal: "canary-internal-claim"
      }
    }
    return issue(`${encoded({ alg: "RS256" })}.${encoded(claims)}.canary-signature-${number}`)
  }

  const tokensOf = (name: "claude" | "codex", account: string): Record<string, unknown> => {
    number++
    const access = name === "claude"
      ? issue(`sk-ant-oat01-canary-${number}`)
      : jwt(account, "https://api.openai.com/v1")
    const refresh = issue(name === "claude" ? `sk-ant-ort01-canary-${number}` : `rt_canary_${number}`)
    accepted.add(access)
    refreshable.set(refresh, { account, vendor: name })
    const common = { access_token: access, refresh_token: refresh, expires_in: vendor.lifetime }
    return name === "claude"
      ? {
        ...common,
        token_type: "Bearer",
        scope: "user:inference user:profile",
        account: { uuid: `uuid-${account}`, email_address: `${account}@example.com` },
        organization: { uuid: "org-1" }
      }
      : { ...common, id_token: jwt(account, CODEX_CLIENT) }
  }

  const fieldsOf = ({ body, headers }: Received): Record<string, string> | undefined => {
    try {
      return headers["content-type"] === "application/json"
        ? JSON.parse(body)
        : Object.fromEntries(new URLSearchParams(body))
    } catch {
      return undefined
    }
  }

  const token = (name: "claude" | "codex"): Step => async (request) => {
    if (vendor.trouble !== undefined) return vendor.trouble
    const fields = fieldsOf(request)
    const isJson = request.headers["content-type"] === "application/json"
    const refused = (error: string, code = 400): Reply => ({
      status: code,
      body: name === "claude" ? { error } : { error: { code: error } }
    })
    switch (fields?.["grant_type"]) {
      case "authorization_code":
        if (isJson !== (name === "claude") || fields["code_verifier"] === undefined) return refused("invalid_request")
        return { body: vendor.change(tokensOf(name, fields["code"]!.replace("code-of-", ""))) }
      case "refresh_token": {
        const given = fields["refresh_token"] ?? ""
        if (!isJson) return refused("invalid_request")
        if (name === "claude" && !request.headers["user-agent"]?.startsWith("axios/")) return { status: 429, body: {} }
        if (spent.has(given)) {
          counts.reused++
          return name === "claude" ? refused("invalid_grant") : refused("refresh_token_reused", 401)
        }
        const login = refreshable.get(given)
        if (login?.vendor !== name) return refused("invalid_grant", name === "claude" ? 400 : 401)
        refreshable.delete(given)
        spent.add(given)
        counts.refreshes++
        await setTimeout(vendor.delay)
        return { body: vendor.change(tokensOf(name, login.account)) }
      }
      // Exchanges the identity token for a key.
      case "urn:ietf:params:oauth:grant-type:token-exchange":
        return { body: { access_token: issue("sk-canary-exchanged") } }
      default:
        return refused("unsupported_grant_type")
    }
  }

  const api: Step = ({ body, headers }) => {
    const given = headers.authorization?.replace(/^Bearer /, "") ?? ""
    if (accepted.has(given) && model !== undefined) {
      return { headers: { "content-type": "text/event-stream" }, body: model(body) }
    }
    return accepted.has(given) ? { body: { ok: true, given } } : { status: 401, body: { error: "expired" } }
  }

  const revoke: Step = (request) => {
    const given = fieldsOf(request)?.["token"] ?? ""
    if (refreshable.delete(given)) counts.revoked++
    return { body: {} }
  }

  const site = await openScriptedSite(
    makeAuthority(),
    [
      "platform.claude.com",
      "api.anthropic.com",
      "auth.openai.com",
      "chatgpt.com",
      "api.openai.com",
      "telemetry.example.com"
    ],
    {
      "/v1/oauth/token": token("claude"),
      "/v1/oauth/token/revoke": revoke,
      "/oauth/token": token("codex"),
      "/oauth/revoke": revoke,
      "/v1/messages": api,
      "/backend-api/codex/responses": api,
      "/api/hello": { body: { hello: true } },
      "/backend-api/wham/accounts/check": (request) => {
        const id = request.headers["chatgpt-account-id"]
        return {
          body: {
            accounts: [{
              id,
              name: null,
              structure: "personal",
              workspace_backend_origin: "https://chatgpt.com",
              account_routing_override: "NO_CONSTRAINT"
            }]
          }
        }
      },
      "/api/oauth/claude_cli/create_api_key": () => ({ body: { raw_key: issue("sk-ant-api03-canary") } }),
      "/api/accounts/v1/agent/register": () => ({ body: { agent: issue("canary-agent") } }),
      "/events": { body: {} }
    }
  )
  const vendor: LoginVendor = {
    ...site,
    issued,
    counts,
    delay: 0,
    lifetime: 28_800,
    trouble: undefined,
    change: (body) => body,
    tokens: (name, account) => tokensOf(name, account) as Record<string, string>,
    expire: () => accepted.clear(),
    end: () => refreshable.clear()
  }
  return vendor
}
