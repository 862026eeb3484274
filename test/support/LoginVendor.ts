/**
 * The servers that Claude Code, Codex, Copilot CLI, gh and Gemini CLI log in to, as far as their programs were observed: single-use refresh
 * tokens, the strict formats of each request, device codes, responses as forms, ID tokens with account claims, and endpoints that turn a
 * login into another credential.
 */
import { setTimeout } from "node:timers/promises"
import { type WebSocket, WebSocketServer } from "ws"
import { openScriptedSite, type Received, type Reply, type ScriptedSite, type Step } from "./ScriptedSite.ts"

export const CLAUDE_CLIENT = "9d1c250a-e61b-44d9-88ed-5944d1962f5e"
export const CODEX_CLIENT = "app_EMoamEEZ73f0CkXaXp7hrann"
export const GH_CLIENT = "178c6fc778ccc68e1d6a"
export const COPILOT_CLIENT = "Ov23ctDVkRmgkPke0Mmm"
export const GEMINI_CLIENT = "681255809395-oo8ft2oprdrnp9e3aqf6av3hmdib135j.apps.googleusercontent.com"

type VendorName = "claude" | "codex" | "github" | "google"

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

export interface LoginVendor extends ScriptedSite {
  /** All tokens and keys that it has issued. */
  readonly issued: ReadonlyArray<string>
  /** The tokens of a login, as a program has them in its file. */
  readonly tokens: (vendor: VendorName, account: string) => Record<string, string>
  /** Makes the API reject the access tokens of all logins. */
  readonly expire: () => void
  /** Ends all logins. */
  readonly end: () => void
  /** Changes token responses before they are sent. */
  change: (body: Record<string, unknown>) => Record<string, unknown>
  /** What the token endpoint responds in place of everything else. */
  trouble: Reply | undefined
  /** How long a refresh takes at the vendor, in milliseconds. */
  delay: number
  /** The lifetime of access tokens in seconds. */
  lifetime: number
  readonly counts: { refreshes: number; reused: number; revoked: number }
}

/** The tokens of a login as Codex stores them. */
export const codexTokens = (vendor: LoginVendor, account: string) => {
  const { access_token, id_token, refresh_token } = vendor.tokens("codex", account)
  const oauth_provenance = { issuer: "https://auth.openai.com", client_id: CODEX_CLIENT }
  return { id_token, access_token, refresh_token, account_id: `acct-${account}`, oauth_provenance }
}

/** Responds to authenticated requests for models. */
interface Model {
  readonly text: (path: string, body: string) => string
  /** Codex asks over WebSocket first. */
  readonly converse: (connection: WebSocket) => void
}

export const openLoginVendor = async (model?: Model): Promise<LoginVendor> => {
  const issued: Array<string> = []
  const refreshable = new Map<string, { readonly account: string; readonly vendor: VendorName }>()
  /** The accounts of the accepted tokens. */
  const accepted = new Map<string, string>()
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

  const tokensOf = (name: VendorName, account: string): Record<string, unknown> => {
    number++
    if (name === "github") {
      const access = issue(`gho_canary${number}`)
      accepted.set(access, account)
      return { access_token: access, token_type: "bearer", scope: "gist,read:org,repo" }
    }
    if (name === "google") {
      const [access, refresh] = [issue(`ya29.canary-${number}`), issue(`1//canary-${number}`)]
      accepted.set(access, account)
      refreshable.set(refresh, { account, vendor: name })
      const scope =
        "openid https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/userinfo.email"
      const common = { access_token: access, expires_in: vendor.lifetime, scope, token_type: "Bearer" }
      return { ...common, refresh_token: refresh, id_token: jwt(account, GEMINI_CLIENT) }
    }
    const access = name === "claude"
      ? issue(`sk-ant-oat01-canary-${number}`)
      : jwt(account, "https://api.openai.com/v1")
    const refresh = issue(name === "claude" ? `sk-ant-ort01-canary-${number}` : `rt_canary_${number}`)
    accepted.set(access, account)
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
      // Exchanges the ID token for a key.
      case "urn:ietf:params:oauth:grant-type:token-exchange":
        return { body: { access_token: issue("sk-canary-exchanged") } }
      default:
        return refused("unsupported_grant_type")
    }
  }

  /** GitHub's token endpoint for any client, which responds with a form unless asked for JSON. */
  const github: Step = ({ form, headers }) => {
    const reply = (body: Record<string, unknown>): Reply =>
      headers.accept?.includes("json") === true ? { body } : {
        headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
        body: new URLSearchParams(body as Record<string, string>).toString()
      }
    const code = form.get("device_code") ?? form.get("code") ?? ""
    if (form.get("client_id") === null || !code.startsWith("code-of-")) return reply({ error: "bad_verification_code" })
    if (form.has("device_code") && !polled.has(code)) {
      polled.add(code)
      return reply({ error: "authorization_pending", error_description: "The authorization request is still pending." })
    }
    return reply(vendor.change(tokensOf("github", code.replace("code-of-", ""))))
  }
  const polled = new Set<string>()

  const google: Step = async ({ form, headers }) => {
    if (vendor.trouble !== undefined) return vendor.trouble
    const refused = (error: string, status = 400): Reply => ({ status, body: { error } })
    if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded") !== true) {
      return refused("invalid_request")
    }
    switch (form.get("grant_type")) {
      case "authorization_code":
        if (!form.has("client_secret") && headers.authorization === undefined) return refused("invalid_client", 401)
        return { body: vendor.change(tokensOf("google", form.get("code")!.replace("code-of-", ""))) }
      case "refresh_token": {
        if ((form.get("client_secret") ?? "") === "") return refused("invalid_client", 401)
        const login = refreshable.get(form.get("refresh_token") ?? "")
        if (login?.vendor !== "google") return refused("invalid_grant")
        counts.refreshes++
        await setTimeout(vendor.delay)
        // The refresh token stays valid, and the response contains none.
        const { refresh_token: other, ...tokens } = tokensOf("google", login.account)
        refreshable.delete(other as string)
        return { body: vendor.change(tokens) }
      }
      case "urn:ietf:params:oauth:grant-type:jwt-bearer":
        return { body: { access_token: "ya29.of-a-service-account", token_type: "Bearer", expires_in: 3600 } }
      default:
        return refused("unsupported_grant_type")
    }
  }

  const api: Step = ({ body, headers, path }) => {
    const { authorization = "" } = headers
    const basic = /^Basic (.+)$/.exec(authorization)?.[1]
    const given = basic === undefined
      ? authorization.replace(/^(?:Bearer|token) /i, "")
      : Buffer.from(basic, "base64").toString().replace(/^[^:]*:/, "")
    if (accepted.has(given) && model !== undefined) {
      return { headers: { "content-type": "text/event-stream" }, body: model.text(path, body) }
    }
    const login = accepted.get(given)
    if (login === undefined) return { status: 401, body: { error: "expired" } }
    return { body: { ok: true, given, login, id: Number.parseInt(Buffer.from(login).toString("hex").slice(-12), 16) } }
  }

  const forAccepted = (body: object, more: Reply["headers"] = {}): Step => ({ headers: { authorization = "" } }) =>
    accepted.has(authorization.replace(/^(?:Bearer|token) /i, "")) ? { headers: more, body } : { status: 401, body: {} }

  const revoke: Step = (request) => {
    const given = fieldsOf(request)?.["token"] ?? ""
    if (refreshable.delete(given)) counts.revoked++
    return { body: {} }
  }

  const sockets = new WebSocketServer({ noServer: true })
  const site = await openScriptedSite(
    [
      "platform.claude.com",
      "api.anthropic.com",
      "auth.openai.com",
      "chatgpt.com",
      "api.openai.com",
      "github.com",
      "api.github.com",
      "api.individual.githubcopilot.com",
      "oauth2.googleapis.com",
      "www.googleapis.com",
      "cloudcode-pa.googleapis.com",
      "telemetry.example.com"
    ],
    {
      "/v1/oauth/token": token("claude"),
      "/v1/oauth/token/revoke": revoke,
      "/oauth/token": token("codex"),
      "/oauth/revoke": revoke,
      "/login/device/code": ({ headers }) => {
        const body = {
          device_code: `code-of-device-${++number}`,
          user_code: "ABCD-1234",
          verification_uri: "https://github.com/login/device",
          expires_in: 899,
          interval: 1
        }
        return headers.accept?.includes("json") === true ? { body } : {
          headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
          body: new URLSearchParams({ ...body, expires_in: "899", interval: "1" }).toString()
        }
      },
      "/login/oauth/access_token": github,
      "/copilot_internal/v2/token": () => ({ body: { token: issue(`tid=canary-copilot;exp=1;n=${++number}`) } }),
      "/api/accounts/deviceauth/usercode": () => ({
        body: { device_auth_id: `device-${++number}`, user_code: "ABCD-1234", interval: "1" }
      }),
      "/api/accounts/deviceauth/token": ({ body }) => {
        const id: string = JSON.parse(body).device_auth_id
        if (!polled.has(id)) return polled.add(id), { status: 403, body: {} }
        return { body: { authorization_code: `code-of-${id}`, code_challenge: "challenge", code_verifier: "verifier" } }
      },
      "/models/session": () => ({ body: { session_token: issue(`canary-session-${++number}`) } }),
      "/chat/completions": api,
      "/user": api,
      // gh reads the scopes of its token, and the name of its user.
      "/": forAccepted({}, { "x-oauth-scopes": "gist, read:org, repo" }),
      "/graphql": forAccepted({ data: { viewer: { login: "ada" } } }),
      "/copilot_internal/user": forAccepted({
        login: "ada",
        copilot_plan: "individual",
        access_type_sku: "monthly_subscriber_quota",
        chat_enabled: true,
        endpoints: { api: "https://api.individual.githubcopilot.com" }
      }),
      "/models": forAccepted({
        data: ["claude-sonnet-5", "gpt-5.5"].map((id) => ({
          id,
          name: id,
          vendor: "canary",
          version: id,
          object: "model",
          preview: false,
          model_picker_enabled: true,
          policy: { state: "enabled" },
          supported_endpoints: ["/chat/completions"],
          capabilities: {
            family: id,
            type: "chat",
            object: "model_capabilities",
            tokenizer: "o200k_base",
            limits: { max_context_window_tokens: 128_000, max_output_tokens: 16_000, max_prompt_tokens: 128_000 },
            supports: { streaming: true, tool_calls: true, parallel_tool_calls: true }
          }
        }))
      }),
      "/o/r.git/info/refs": api,
      "/token": google,
      "/revoke": revoke,
      "/tokeninfo": forAccepted({ aud: GEMINI_CLIENT, expires_in: 3000, scope: "openid" }),
      // Gemini CLI asks a small model which other model it is to use.
      "/v1internal:generateContent": forAccepted({
        response: {
          candidates: [{
            finishReason: "STOP",
            content: { role: "model", parts: [{ text: "{\"complexity_reasoning\":\"short\",\"complexity_score\":1}" }] }
          }]
        }
      }),
      "/v1internal:streamGenerateContent": api,
      "/v1internal:loadCodeAssist": {
        body: { currentTier: { id: "standard-tier" }, cloudaicompanionProject: "canary" }
      },
      "/v1internal:listExperiments": forAccepted({}),
      "/v1internal:retrieveUserQuota": forAccepted({}),
      "/oauth2/v2/userinfo": { body: { email: "ada@example.com" } },
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
    },
    model && ((request, socket, head) => {
      const { authorization = "" } = request.headers
      if (!accepted.has(authorization.replace("Bearer ", ""))) return socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n")
      sockets.handleUpgrade(request, socket, head, model.converse)
    })
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
    expire: () => {
      accepted.clear()
      for (const connection of sockets.clients) connection.terminate()
    },
    end: () => refreshable.clear()
  }
  return vendor
}
