/** The built program in its own home, with a certified authorization server and an API that accepts its tokens. */
import { type OidcServer, type OidcServerOptions, openOidcServer, publicClient } from "./OidcServer.ts"
import { collect, openProgram, type Outcome, type RunOptions } from "./Sandbox.ts"
import { visit } from "./UserAgent.ts"

export interface LoginOptions extends RunOptions {
  /** Submitted in the forms of the authorization server. */
  readonly fill?: Readonly<Record<string, string>>
  /** Called after the command has printed the address of the page and before the user visits it. */
  readonly meanwhile?: () => Promise<unknown>
}

/** A definition of the test's server. `oauth` extends or changes its section. */
export const oidcDefinition = (
  { api, issuer }: OidcServer,
  more: { readonly name?: string; readonly flow?: string; readonly oauth?: object } = {}
) => ({
  name: more.name ?? "oidc",
  auth_type: "oauth2",
  flow: more.flow ?? "pkce",
  flows: ["pkce", "device_code", "dcr_pkce"],
  api_url: api.origin,
  oauth: {
    authorization_url: `${issuer}/auth`,
    token_url: `${issuer}/token`,
    revocation_url: `${issuer}/token/revocation`,
    device_authorization_url: `${issuer}/device/auth`,
    registration_url: `${issuer}/reg`,
    issuer,
    scopes: ["openid", "offline_access", "read"],
    client_authentication: "none",
    ...publicClient,
    ...more.oauth
  }
})

export const openOAuthSandbox = async (options: OidcServerOptions = {}) => {
  const server = await openOidcServer(options)
  const program = openProgram(server.sites)

  /** Runs `credsvc login …`, and acts as a user who consents to everything on the pages that the command names. */
  const login = async (args: ReadonlyArray<string>, run: LoginOptions = {}): Promise<Outcome> => {
    const child = program.start(["login", ...args, "--no-browser"], run)
    const ended = collect(child, run.input, run.timeout)
    const shown = await new Promise<string | undefined>((resolve) => {
      let said = ""
      child.stderr.on("data", (chunk: Buffer) => {
        said += chunk.toString("utf8")
        if (new RegExp(`${server.issuer}/.*\\n`).test(said)) resolve(said)
      })
      child.once("close", () => resolve(undefined))
    })
    if (shown !== undefined) {
      await run.meanwhile?.()
      const [page = ""] = /https:\S+/.exec(shown.slice(shown.indexOf(server.issuer))) ?? []
      const userCode = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(shown)?.[0]
      const fill = { ...(userCode === undefined ? {} : { user_code: userCode }), ...run.fill }
      const destination = await server.user.walk(page, fill)
      if (!destination.startsWith(server.issuer)) await visit(destination)
    }
    return ended
  }

  const close = async (): Promise<void> => {
    await program.close()
    await server.close()
  }
  try {
    await program.must(["daemon", "start", "--port", "0"])
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...program,
    server,
    register: async (definition: { readonly name: string }) =>
      void await program.must(["register", program.define(definition), "--force"]),
    login,
    close
  }
}

export type OAuthSandbox = Awaited<ReturnType<typeof openOAuthSandbox>>
