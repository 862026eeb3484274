/**
 * Tests `credsvc login` against a certified authorization server: with the built program, in pipes and on a terminal.
 */
import { afterAll, assert, describe, it, vi } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import {
  applicationAt,
  confidentialClient,
  type OidcServer,
  openOidcServer,
  publicClient
} from "../../support/OidcServer.ts"
import { programTimeout } from "../../support/ProgramTimeout.ts"
import { onTerminal } from "../../support/Terminal.ts"
import { writeConfig } from "../../support/TestSites.ts"
import { useWorkplace } from "../../support/Transcript.ts"

let server: OidcServer
const workplace = useWorkplace({ daemon: false }, async ({ home, sh }) => {
  server = await openOidcServer()
  writeConfig(home, server.sites)
  const started = await sh("credsvc daemon start --port 0")
  assert.strictEqual(started.exitCode, 0, started.stderr)
  await register(applicationAt("own-app"))
  await register(applicationAt("shared-app", publicClient))
})
afterAll(() => server.close())

const register = async (document: { readonly name: string }) => {
  fs.writeFileSync(path.join(workplace.directory, `${document.name}.json`), JSON.stringify(document))
  const { exitCode, stderr } = await workplace.sh(`credsvc register ${document.name}.json --yes`)
  assert.strictEqual(exitCode, 0, stderr)
}

/** A command that runs while the test does something else. */
const running = (command: string) => {
  const child = spawn("sh", ["-c", command], { cwd: workplace.directory, env: workplace.env })
  workplace.track(child)
  const texts = { stdout: "", stderr: "" }
  const watchers = new Set<() => void>()
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text
      for (const watcher of watchers) watcher()
    })
  }
  const ended = new Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => child.on("close", (exitCode) => resolve({ ...texts, exitCode }))
  )
  return {
    ended,
    said: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(texts.stderr)
          if (match !== null) resolve(match)
        }
        watchers.add(look)
        look()
        void ended.then(() => reject(new Error(`ended without ${pattern}:\n${texts.stderr}`)))
      })
  }
}

const authorizationUrl = /https:\/\/as\.example\.test\/auth\?\S+/

/** Opens the page where the redirects to the daemon end. */
const land = async (address: string) => {
  const response = await fetch(address)
  return { path: new URL(response.url).pathname, page: await response.text() }
}

const consent = async (address: string) => land(await server.user.walk(address))

const client = JSON.stringify(confidentialClient)

describe("login without a terminal", () => {
  it("reads client credentials from stdin, prints the URL on stderr, and the connection as JSON", async () => {
    const login = running(`printf %s '${client}' | credsvc login own-app --stdin --no-browser --json`)
    const [address] = await login.said(authorizationUrl)
    const { path: landed, page } = await consent(address)
    assert.match(landed, /^\/auth\/sessions\/[\w-]{43}\/input$/)
    assert.include(page, "Acme is connected")
    const { exitCode, stdout, stderr } = await login.ended
    assert.strictEqual(exitCode, 0, stderr)
    assert.deepInclude(JSON.parse(stdout), {
      provider: "own-app",
      flow: "pkce",
      status: "connected",
      access_token: "***REDACTED***"
    })
    assert.include(stderr, "Log in to Acme at as.example.test.")
    assert.notInclude(stderr + stdout, confidentialClient.client_secret)
  })

  it("reports an existing connection (exit 6), and reuses the client credentials", async () => {
    const existing = await workplace.sh("credsvc login own-app")
    assert.strictEqual(existing.exitCode, 6)
    const login = running("credsvc login own-app --force --no-browser")
    const [address] = await login.said(authorizationUrl)
    await consent(address)
    assert.strictEqual((await login.ended).exitCode, 0)
  })

  it("fails with the provider's message when the user denies access (exit 2)", async () => {
    const login = running("credsvc login shared-app --no-browser --json")
    const [address] = await login.said(authorizationUrl)
    await land(await server.user.walk(address, { decision: "deny" }))
    const { exitCode, stdout } = await login.ended
    assert.strictEqual(exitCode, 2)
    const document = JSON.parse(stdout) as Record<string, string>
    assert.strictEqual(document["error"], "AuthenticationFailedError")
    assert.include(document["message"], "access_denied")
  })

  it("fails after --timeout, and a later callback cannot complete the login", async () => {
    const login = running("credsvc login shared-app --no-browser --timeout 5")
    const [address] = await login.said(authorizationUrl)
    const { exitCode, stderr } = await login.ended
    assert.strictEqual(exitCode, 2)
    assert.include(stderr, "did not complete within 5 seconds")
    assert.include((await consent(address)).page, "Login to Acme cancelled")
    assert.strictEqual((await workplace.sh("credsvc get shared-app")).exitCode, 3)
  })

  it("does not read stdin while NODE_DEBUG would print it", async () => {
    const login = running(`printf secret | NODE_DEBUG=stream credsvc login openai --stdin --no-check`)
    const { exitCode, stderr } = await login.ended
    assert.strictEqual(exitCode, 2)
    assert.include(stderr, "error: --stdin: cannot read stdin while NODE_DEBUG makes Node print it\n")
    assert.notInclude(stderr, "73 65 63 72 65 74")
  })

  it("fails instead of prompting when the provider rejects the client credentials from stdin", async () => {
    const wrong = JSON.stringify({ ...confidentialClient, client_secret: "wrong" })
    const login = running(`printf %s '${wrong}' | credsvc login own-app --connection w --stdin --no-browser`)
    // The provider's stored client is used, so stdin is not needed.
    const [address] = await login.said(authorizationUrl)
    await consent(address)
    const unread = await login.ended
    assert.strictEqual(unread.exitCode, 0)
    assert.match(unread.stderr, /warning: stdin is not read, [^]*credsvc\s+revoke\s+own-app/)
    await register(applicationAt("other-app"))
    const other = running(`printf %s '${wrong}' | credsvc login other-app --stdin --no-browser`)
    // The pushed authorization request already tells that, before a browser opens.
    const { exitCode, stderr } = await other.ended
    assert.strictEqual(exitCode, 2)
    assert.include(stderr, "invalid_client")
  })

  it("registers the provider of a URL only with --yes, and then logs in", async () => {
    const address = "https://api.example.test/mcp"
    const refused = await workplace.sh(`credsvc login ${address}`)
    assert.strictEqual(refused.exitCode, 2)
    assert.include(refused.stderr, "Server:    api.example.test\nLogin at:  as.example.test\n")
    assert.include(refused.stderr, "--yes")
    assert.strictEqual((await workplace.sh("credsvc inspect example-mcp")).exitCode, 4)
    const login = running(`credsvc login ${address} --yes --no-browser --json`)
    const [url] = await login.said(authorizationUrl)
    const pushed = server.requests.findLast(({ route }) => route === "pushed_authorization_request")
    assert.strictEqual(pushed?.params["resource"], address)
    await consent(url)
    const { exitCode, stdout, stderr } = await login.ended
    assert.strictEqual(exitCode, 0, stderr)
    assert.deepInclude(JSON.parse(stdout), { provider: "example-mcp", flow: "dcr_pkce", status: "connected" })
    // The URL now belongs to a registered provider with a connection.
    assert.strictEqual((await workplace.sh(`credsvc login ${address}`)).exitCode, 6)
  })

  it("reports an invalid URL (exit 2) and an unreachable server (exit 8)", async () => {
    for (const address of ["http://mcp.example.test", "https://user@mcp.example.test", "https://127.0.0.1/mcp"]) {
      const { exitCode, stderr } = await workplace.sh(`credsvc login ${address} --yes`)
      assert.strictEqual(exitCode, 2, `${address}: ${stderr}`)
    }
    const { exitCode, stderr } = await workplace.sh("credsvc login https://nobody.invalid/mcp --yes")
    assert.strictEqual(exitCode, 8, stderr)
  })
})

describe("login on a terminal", () => {
  it("opens the provider's page once, without `state` in an argument, and shows the remaining time on a line that it clears", async () => {
    const bin = path.join(workplace.directory, "browser")
    const opened = path.join(workplace.directory, "opened")
    fs.mkdirSync(bin)
    fs.writeFileSync(
      path.join(bin, "xdg-open"),
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" >> '${opened}.all'\ncp '${opened}.all' '${opened}.new'\nmv '${opened}.new' '${opened}'\n`,
      {
        mode: 0o755
      }
    )
    const terminal = onTerminal(workplace, "credsvc login shared-app", {
      env: { DISPLAY: ":9", PATH: `${bin}:${workplace.env["PATH"]}` }
    })
    await terminal.until(/Waiting \((?:10:00|9:\d\d) left, Ctrl-C cancels\)/)
    await vi.waitUntil(() => fs.existsSync(opened), { timeout: programTimeout, interval: 20 })
    const [count, url = "", ...rest] = fs.readFileSync(opened, "utf8").trim().split("\n")
    assert.strictEqual(count, "1")
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/auth\/sessions\/[\w-]{43}\/input\?onward=1$/)
    assert.deepStrictEqual(rest, [])
    const onward = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? ""
    assert.match(onward, authorizationUrl)
    await consent(onward)
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    assert.match(stripVTControlCharacters(shown), /Logged in to shared-app/)
    assert.include(shown, "\r\u001b[KLogged in")
  })

  it("cancels the login on Ctrl-C (exit 2), after which a callback is rejected", async () => {
    const terminal = onTerminal(workplace, "exec credsvc login shared-app --force --flow pkce")
    await terminal.until(/Address or code: $/)
    const address = authorizationUrl.exec(stripVTControlCharacters(terminal.shown()))![0]
    terminal.type("\u0003")
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 2)
    assert.match(shown, /Ctrl-C\s+cancels\./)
    assert.include((await consent(address)).page, "Login to Acme cancelled")
  })

  it("rejects the pasted URL of another login, and accepts the final URL of a browser on another machine", async () => {
    const terminal = onTerminal(workplace, "credsvc login shared-app --connection pasted --flow pkce")
    await terminal.until(/Address or code: $/)
    const url = authorizationUrl.exec(stripVTControlCharacters(terminal.shown()))![0]
    const location = await server.user.walk(url)
    terminal.type(`${location.replace(/state=[^&]+/, `state=${"x".repeat(43)}`)}\r`)
    await terminal.until(/belongs to another login[^]*Address or code: $/)
    terminal.type(`${location}\r`)
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    const code = new URL(location).searchParams.get("code")
    assert.isNotNull(code)
    assert.notInclude(shown, code)
  })

  it("offers the device code first on a machine without a browser", async () => {
    const terminal = onTerminal(workplace, "exec credsvc login shared-app --connection device")
    await terminal.until(/1\. device_code \(Enter a code on any device\)[^]*Login method \[device_code\]: $/)
    terminal.type("\r")
    await terminal.until(/Code: [A-Z-]{8,}/)
    terminal.type("\u0003")
    assert.strictEqual((await terminal.ended).exitCode, 2)
  })

  it("asks for the client credentials, then shows the device code and where to enter it", async () => {
    await register(applicationAt("device-app"))
    const terminal = onTerminal(workplace, "credsvc login device-app --flow device_code")
    await terminal.until(/Client ID: $/)
    terminal.type(`${publicClient.client_id}\r`)
    await terminal.until(/Client secret \(optional\): $/)
    terminal.type("\r")
    await terminal.until(/Code: [A-Z-]{8,}/)
    const shown = stripVTControlCharacters(terminal.shown())
    assert.include(shown, "Enter the code for Acme at as.example.test.")
    const code = /Code: ([A-Z-]+)/.exec(shown)![1]!
    const address = /URL: {2}(\S+)/.exec(shown)![1]!
    await server.user.walk(`${address}?user_code=${code}`)
    const ended = await terminal.ended
    assert.strictEqual(ended.exitCode, 0, ended.shown)
  })

  it("shows the hosts of the server and of its login, and registers nothing without confirmation", async () => {
    const terminal = onTerminal(workplace, "credsvc login https://api.example.test/other")
    await terminal.until(/and log in\? \[y\/N\] $/)
    const shown = stripVTControlCharacters(terminal.shown())
    assert.match(shown, /Server: {4}api\.example\.test\r\nLogin at: {2}as\.example\.test\r\n/)
    terminal.type("n\r")
    assert.strictEqual((await terminal.ended).exitCode, 2)
    const { stdout } = await workplace.sh("credsvc list --json")
    assert.notInclude(stdout, "api.example.test/other")
  })
})
