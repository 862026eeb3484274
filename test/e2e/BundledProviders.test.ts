/** Bundled OAuth providers through the built program: its daemon, its logins, and its proxy in front of curl. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as http from "node:http"
import { objections } from "../../src/conformance/VendorApi.ts"
import { VendorAuthorizationServer } from "../../src/conformance/VendorAuthorizationServer.ts"
import { json, type VendorRequest, type VendorResponse } from "../../src/conformance/VendorMessage.ts"
import type { OAuthProvider } from "../../src/domain/Provider.ts"
import { hostsOf } from "../../src/domain/Route.ts"
import { readJsonFiles } from "../../src/platform/PackageFiles.ts"
import { decodeFiles } from "../../src/providers/BundledProviders.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { openSite, type Site, writeConfig } from "../support/TestSites.ts"
import { openWorkplace, type Workplace } from "../support/Transcript.ts"

const { definitions } = decodeFiles(readJsonFiles(new URL("../../providers/", import.meta.url)))

const vendorOf = (name: string): VendorAuthorizationServer => {
  const definition = definitions.get(name)
  if (definition?.authType !== "oauth2") throw new Error(`${name} is no OAuth provider`)
  return new VendorAuthorizationServer(definition, null)
}

/** Each with something of its own: a separator, JSON with HTTP Basic, device codes, discovery with registration. */
const vendors = {
  linear: vendorOf("linear"),
  notion: vendorOf("notion"),
  github: vendorOf("github"),
  "todoist-mcp": vendorOf("todoist-mcp")
}

const apiOf = (definition: OAuthProvider): { readonly entry: string; readonly host: string; readonly path: string } => {
  const { host, pathPrefix } = hostsOf(definition, null)[0]!
  return { entry: `${host}${pathPrefix ?? ""}`, host, path: pathPrefix ?? "/" }
}

const hostsOfVendor = (vendor: VendorAuthorizationServer): ReadonlyArray<string> => [
  ...hostsOf(vendor.definition, null).map(({ host }) => host),
  ...[vendor.issuer, ...Object.values(vendor.endpoints)].flatMap((url) =>
    url === undefined ? [] : [new URL(url).hostname]
  )
]

/** What is wrong with the last request that the API has let in or turned away. */
const found = new Map<VendorAuthorizationServer, ReadonlyArray<string>>()

const apiAnswer = (vendor: VendorAuthorizationServer, request: VendorRequest): VendorResponse => {
  const values = { access_token: vendor.accessToken ?? "", client_id: vendor.clientInUse }
  const problems = objections(
    vendor.definition,
    apiOf(vendor.definition).entry,
    { values, main: "access_token" },
    request
  )
  found.set(vendor, problems)
  return problems.length === 0
    ? json(200, { hello: "Ada" })
    : json(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" })
}

const play = (vendor: VendorAuthorizationServer): http.RequestListener => (request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text
  })
  request.on("end", () => {
    const raw = request.rawHeaders
    const received: VendorRequest = {
      method: request.method ?? "GET",
      url: new URL(request.url ?? "/", `https://${request.headers.host}`),
      headers: raw.flatMap((name, at) => at % 2 === 0 ? [[name, raw[at + 1]!] as const] : []),
      body
    }
    const answer = vendor.answer(received) ?? apiAnswer(vendor, received)
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
}

let workplace: Workplace
const sites: Array<Site> = []

beforeAll(async () => {
  const authority = makeAuthority()
  for (const vendor of Object.values(vendors)) {
    sites.push(await openSite(authority, [...new Set(hostsOfVendor(vendor))], play(vendor)))
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

/** A browser that is sent back to the daemon. */
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

/** Logs in as a person does who has the client at hand, and consents in a browser where the program asks for one. */
const login = (vendor: VendorAuthorizationServer, options = ""): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const { id, secret } = vendor.entered
    const client = JSON.stringify({ client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) })
    const { flow, name } = vendor.definition
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
        const back = vendor.consent(address)
        if (typeof back === "string") reject(new Error(back))
        else land(back.href).catch(reject)
      })
    }
    child.on("close", (exitCode) => {
      if (exitCode === 0) resolve(JSON.parse(texts.stdout))
      else reject(new Error(`exit ${exitCode}\n${texts.stdout}\n${texts.stderr}`))
    })
  })

const call = async (vendor: VendorAuthorizationServer) => {
  const { host, path } = apiOf(vendor.definition)
  const carrier = `authorization: Bearer ${vendor.definition.placeholder}`
  const { exitCode, stderr, stdout } = await workplace.sh(
    `credsvc run -- curl -sS -H '${carrier}' https://${host}${path}`
  )
  assert.strictEqual(exitCode, 0, stderr)
  return stdout
}

describe.each(
  [["linear", "pkce"], ["notion", "pkce"], ["github", "device_code"], ["todoist-mcp", "dcr_pkce"]] as const
)("%s by %s", (name, flow) => {
  const vendor = vendors[name]

  it("logs in", async () => {
    const connection = await login(vendor, vendor.definition.flow === flow ? "" : `--flow ${flow}`)
    assert.deepInclude(connection, { provider: name, flow, status: "connected" })
  })

  it("reaches its API with the token, which curl never had", async () => {
    assert.strictEqual(await call(vendor), "{\"hello\":\"Ada\"}")
    assert.deepStrictEqual(found.get(vendor), [])
  })

  it("fetches a new token when the API takes the old one no more", async () => {
    const old = vendor.accessToken
    vendor.endAccessTokens()
    assert.strictEqual(await call(vendor), "{\"hello\":\"Ada\"}")
    assert.notStrictEqual(vendor.accessToken, old)
  })

  it("is gone after revoke, at the vendor too where it has an endpoint for it", async () => {
    const { exitCode, stderr } = await workplace.sh(`credsvc revoke ${name} --yes`)
    assert.strictEqual(exitCode, 0, stderr)
    assert.strictEqual(vendor.hasTokens, vendor.endpoints.revocation === undefined)
    const { bundled } = JSON.parse((await workplace.sh("credsvc list --json")).stdout) as {
      readonly bundled: ReadonlyArray<{ readonly name: string; readonly connections: ReadonlyArray<unknown> }>
    }
    assert.deepStrictEqual(bundled.find((provider) => provider.name === name)?.connections, [])
  })
})
