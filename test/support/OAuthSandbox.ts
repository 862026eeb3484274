/** The built program in its own home, with a certified authorization server and an API that accepts its tokens. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type OidcServer, type OidcServerOptions, openOidcServer, publicClient } from "./OidcServer.ts"
import { killDaemon } from "./Processes.ts"
import { cleanEnvironment, collect, type Outcome, programIn, type RunOptions } from "./Sandbox.ts"
import { writeConfig } from "./TestSites.ts"
import { visit } from "./UserAgent.ts"

export interface OAuthSandbox {
  readonly directory: string
  readonly home: string
  readonly server: OidcServer
  readonly env: NodeJS.ProcessEnv
  readonly credsvc: (args: ReadonlyArray<string>, options?: RunOptions) => Promise<Outcome>
  /** Like `credsvc`, but dies unless the command succeeds. */
  readonly must: (args: ReadonlyArray<string>, options?: RunOptions) => Promise<Outcome>
  readonly register: (definition: { readonly name: string }) => Promise<void>
  /** Runs `credsvc login …` and a user who consents to everything on the pages that it names. */
  readonly login: (args: ReadonlyArray<string>, options?: LoginOptions) => Promise<Outcome>
  /** The base URL of the running daemon. */
  readonly daemonUrl: () => string
  readonly close: () => Promise<void>
}

export interface LoginOptions extends RunOptions {
  /** Submitted in the forms of the authorization server. */
  readonly fill?: Readonly<Record<string, string>>
  /** Called after the command has named the page and before the user visits it. */
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

export const openOAuthSandbox = async (options: OidcServerOptions = {}): Promise<OAuthSandbox> => {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-oauth-")))
  const home = path.join(directory, "home")
  const server = await openOidcServer(options)
  writeConfig(home, server.sites)
  const env = cleanEnvironment(home)
  const { credsvc, must, start } = programIn(directory, env)
  const daemonUrl = () => {
    const { host, port } = JSON.parse(fs.readFileSync(path.join(home, "server", "daemon.json"), "utf8"))
    return `http://${host}:${port}`
  }

  const login = async (args: ReadonlyArray<string>, run: LoginOptions = {}): Promise<Outcome> => {
    const child = start(["login", ...args, "--no-browser"], run)
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

  const sandbox: OAuthSandbox = {
    directory,
    home,
    server,
    env,
    credsvc,
    must,
    register: async (definition) => {
      const file = path.join(directory, `${definition.name}.json`)
      fs.writeFileSync(file, JSON.stringify(definition))
      await must(["register", file, "--force"])
    },
    login,
    daemonUrl,
    close: async () => {
      await killDaemon(home)
      await server.close()
      fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  try {
    await must(["daemon", "start", "--port", "0"])
    return sandbox
  } catch (error) {
    await sandbox.close()
    throw error
  }
}
