import { assert, describe, it } from "@effect/vitest"
import { type Behavior, openHostileAuthorizationServer, paths } from "../support/HostileAuthorizationServer.ts"
import { collect, openProgram } from "../support/Sandbox.ts"
import { contentOf } from "../support/Services.ts"
import { shared } from "../support/Shared.ts"
import { visit } from "../support/UserAgent.ts"

/** An API whose files need the scope `write`, which only the tokens of a login that asked for it have. */
const behavior: Behavior = {
  authorize: (asked) => ({ code: `code-for ${asked.get("scope")}` }),
  script: {
    [paths.token]: ({ form }, server) => ({
      body: server.tokens({ access_token: `canary-${form.get("code")?.includes("write") === true ? "write" : "read"}` })
    }),
    "/files": ({ headers }) =>
      headers.authorization === "Bearer canary-write" ? { status: 200 } : {
        status: 403,
        headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="write"` }
      }
  }
}

describe("A request whose credential lacks a scope", () => {
  const there = shared(async () => {
    const server = await openHostileAuthorizationServer({ behavior })
    const program = openProgram([server])
    return {
      server,
      program,
      close: async () => {
        await program.close()
        await server.close()
      }
    }
  })

  /** Logs in with a browser that consents to everything. Returns the scope that it was asked for. */
  const login = async (args: ReadonlyArray<string>): Promise<string | null> => {
    const { program, server } = there
    const child = program.start([...args, "--no-browser"])
    const ended = collect(child)
    const url = await new Promise<string>((resolve, reject) => {
      let said = ""
      child.stderr.on("data", (text: string) => {
        said += text
        const [found] = /https:\S+\/authorize\?\S+(?=\s)/.exec(said) ?? []
        if (found !== undefined) resolve(found)
      })
      child.once("close", () => reject(new Error(said)))
    })
    await visit(server.redirect(url))
    const { code, stderr } = await ended
    assert.strictEqual(code, 0, stderr)
    return server.asked(url).get("scope")
  }

  it(
    "is reported with the command that requests the scope, in a header field, the logs, the dashboard and explain",
    async () => {
      const { program, server } = there
      const { issuer } = server
      await program.must(["daemon", "start", "--port", "0"])
      await program.must([
        "register",
        "--yes",
        program.define({
          name: "hostile",
          auth_type: "oauth2",
          flow: "pkce",
          api_url: issuer,
          oauth: {
            issuer,
            authorization_url: issuer + paths.authorize,
            token_url: issuer + paths.token,
            client_id: "public-app",
            client_authentication: "none",
            scopes: ["read"]
          }
        } as { readonly name: string })
      ])
      assert.strictEqual(await login(["login", "hostile"]), "read")

      const call = async () =>
        (await program.must(["run", "--", "curl", "-s", "--suppress-connect-headers", "-D", "-", `${issuer}/files`]))
          .stdout
      const response = await call()
      assert.match(response, /^HTTP\/\S+ 403/)
      const [, command = ""] = /x-credsvc-hint: .*: (credsvc login .*)\r/i.exec(response) ?? []
      assert.strictEqual(command, "credsvc login hostile --add-scopes write")
      const page = await fetch(`${program.daemonUrl()}/ui/requests`)
      const shown = {
        "log requests": (await program.must(["log", "requests"])).stdout,
        explain: (await program.must(["explain", "GET", `${issuer}/files`])).stdout,
        "the page": await page.text(),
        "the daemon's log": contentOf(`${program.home}/server`)
      }
      for (const [where, text] of Object.entries(shown)) assert.include(text, command, where)

      assert.strictEqual(await login(command.split(" ").slice(1)), "read write")
      assert.match(await call(), /^HTTP\/\S+ 200/)
      assert.notInclude((await program.must(["explain", "GET", `${issuer}/files`])).stdout, "--add-scopes")
    },
    120_000
  )
})
