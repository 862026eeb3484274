/** Tests bundled OAuth providers with the built program: its daemon, its logins, and its proxy in front of curl. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as http from "node:http"
import { FakeAuthorizationServer } from "../../src/conformance/FakeAuthorizationServer.ts"
import { objections } from "../../src/conformance/FakeProviderApi.ts"
import { json, type ProviderRequest, type ProviderResponse } from "../../src/conformance/ProviderMessage.ts"
import type { OAuthProvider } from "../../src/domain/definition/Provider.ts"
import { hostsOf } from "../../src/domain/definition/ProviderHosts.ts"
import { readJsonFiles } from "../../src/platform/PackageFiles.ts"
import { decodeFiles } from "../../src/providers/BundledProviders.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { openSite, type Site, writeConfig } from "../support/TestSites.ts"
import { openWorkplace, type Workplace } from "../support/Transcript.ts"

const { definitions } = decodeFiles(readJsonFiles(new URL("../../providers/", import.meta.url)))

const serverOf = (name: string): FakeAuthorizationServer => {
  const definition = definitions.get(name)
  if (definition?.authType !== "oauth2") throw new Error(`${name} is not an OAuth provider`)
  return new FakeAuthorizationServer(definition, null)
}

/** Providers that differ: a scope separator, JSON with HTTP Basic, device codes, discovery with registration. */
const servers = {
  linear: serverOf("linear"),
  notion: serverOf("notion"),
  github: serverOf("github"),
  "todoist-mcp": serverOf("todoist-mcp")
}

const apiOf = (definition: OAuthProvider): { readonly entry: string; readonly host: string; readonly path: string } => {
  const { host, pathPrefix } = hostsOf(definition, null)[0]!
  return { entry: `${host}${pathPrefix ?? ""}`, host, path: pathPrefix ?? "/" }
}

const hostsOfServer = (server: FakeAuthorizationServer): ReadonlyArray<string> => [
  ...hostsOf(server.definition, null).map(({ host }) => host),
  ...[server.issuer, ...Object.values(server.endpoints)].flatMap((url) =>
    url === undefined ? [] : [new URL(url).hostname]
  )
]

/** The problems of the last request to each API. */
const found = new Map<FakeAuthorizationServer, ReadonlyArray<string>>()

const apiAnswer = (server: FakeAuthorizationServer, request: ProviderRequest): ProviderResponse => {
  const values = { access_token: server.accessToken ?? "", client_id: server.clientInUse }
  const problems = objections(
    server.definition,
    apiOf(server.definition).entry,
    { values, main: "access_token" },
    request
  )
  found.set(server, problems)
  return problems.length === 0
    ? json(200, { hello: "Ada" })
    : json(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" })
}

const listenerOf = (server: FakeAuthorizationServer): http.RequestListener => (request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text
  })
  request.on("end", () => {
    const raw = request.rawHeaders
    const received: ProviderRequest = {
      method: request.method ?? "GET",
      url: new URL(request.url ?? "/", `https://${request.headers.host}`),
      headers: raw.flatMap((name, at) => at % 2 === 0 ? [[name, raw[at + 1]!] as const] : []),
      body
    }
    const answer = server.answer(received) ?? apiAnswer(server, received)
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
}

let workplace: Workplace
const sites: Array<Site> = []

beforeAll(async () => {
  const authority = makeAuthority()
  for (const server of Object.values(servers)) {
    sites.push(await openSite(authority, [...new Set(hostsOfServer(server))], listenerOf(server)))
  }
  workplace = await openWorkplace({ daemon: false })
  writeConfig(workplace.home, sites)
  const started = await workplace.sh("credsvc daemon start --port 0")
  assert.strictEqual(started.exitCode, 0, started.stderr)
})

afterAll(async () => {
  await workplace.close()
  for (const site of sites) await site.close()
})

/** Follows redirects like a browser, back to the daemon. */
const land = (address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    http.get(address, { agent: false }, (response) => {
      const { location } = response.headers
      response.resume().on("end", () => {
        if (location === undefined) resolve()
        else land(new URL(location, address).href).then(resolve, reject)
      })
    }).on("error", reject)
  })

/** Logs in as a user who has client credentials ready, and consents in a browser if the program opens one. */
const login = (server: FakeAuthorizationServer, options = ""): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const { id, secret } = server.entered
    const client = JSON.stringify({ client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) })
    const { flow, name } = server.definition
    const stdin = flow === "dcr_pkce" ? "" : `printf %s '${client}' | `
    const command = `${stdin}credsvc login ${name} ${stdin === "" ? "" : "--stdin"} --no-browser --json ${options}`
    const child = spawn("sh", ["-c", command], { cwd: workplace.directory, env: workplace.env })
    workplace.track(child)
    const texts = { stdout: "", stderr: "" }
    let visited = false
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        texts[stream] += text
        const address = /https:\/\/\S+[?&]response_type=\S+(?=\n)/.exec(texts.stderr)?.[0]
        if (address === undefined || visited) return
        visited = true
        const back = server.consent(address)
        if (typeof back === "string") reject(new Error(back))
        else land(back.href).catch(reject)
      })
    }
    child.on("close", (exitCode) => {
      if (exitCode === 0) resolve(JSON.parse(texts.stdout))
      else reject(new Error(`exit ${exitCode}\n${texts.stdout}\n${texts.stderr}`))
    })
  })

const call = async (server: FakeAuthorizationServer) => {
  const { host, path } = apiOf(server.definition)
  const carrier = `authorization: Bearer ${server.definition.placeholder}`
  const { exitCode, stderr, stdout } = await workplace.sh(
    `credsvc run -- curl -sS -H '${carrier}' https://${host}${path}`
  )
  assert.strictEqual(exitCode, 0, stderr)
  return stdout
}

describe.each(
  [["linear", "pkce"], ["notion", "pkce"], ["github", "device_code"], ["todoist-mcp", "dcr_pkce"]] as const
)("%s by %s", (name, flow) => {
  const server = servers[name]

  it("logs in", async () => {
    const connection = await login(server, server.definition.flow === flow ? "" : `--flow ${flow}`)
    assert.deepInclude(connection, { provider: name, flow, status: "connected" })
  })

  it("reaches its API with the token, which curl never has", async () => {
    assert.strictEqual(await call(server), "{\"hello\":\"Ada\"}")
    assert.deepStrictEqual(found.get(server), [])
  })

  it("refreshes the token when the API rejects the old one", async () => {
    const old = server.accessToken
    server.endAccessTokens()
    assert.strictEqual(await call(server), "{\"hello\":\"Ada\"}")
    assert.notStrictEqual(server.accessToken, old)
  })

  it("is gone after revoke, and its tokens too if the server has a revocation endpoint", async () => {
    const { exitCode, stderr } = await workplace.sh(`credsvc revoke ${name} --yes`)
    assert.strictEqual(exitCode, 0, stderr)
    assert.strictEqual(server.hasTokens, server.endpoints.revocation === undefined)
    const { bundled } = JSON.parse((await workplace.sh("credsvc list --json")).stdout) as {
      readonly bundled: ReadonlyArray<{ readonly name: string; readonly connections: ReadonlyArray<unknown> }>
    }
    assert.deepStrictEqual(bundled.find((provider) => provider.name === name)?.connections, [])
  })
})
