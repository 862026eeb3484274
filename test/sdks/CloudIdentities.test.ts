/** Tests clients of Google Cloud and Azure inside the real `credsvc run`, which find its connections as the identity of a machine. */
import { generateKeyPairSync } from "node:crypto"
import * as fs from "node:fs"
import type * as Http from "node:http"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { canContainClients } from "../support/ContainedSandbox.ts"
import { installedPackages } from "../support/InstalledPackages.ts"
import { openProgram } from "../support/Sandbox.ts"
import { openSite, type Site } from "../support/TestSites.ts"

const TOKENS: Readonly<Record<string, string>> = { google: "ya29.canary-of-google", azure: "eyJ0.canary-of-azure" }
const ACCOUNT = "robot@acme-prod.iam.gserviceaccount.com"

/** What each API returns to a request with the real token. */
const APIS: Readonly<Record<string, readonly [cloud: string, body: object]>> = {
  "storage.googleapis.com": ["google", { kind: "storage#buckets", items: [{ id: "served", name: "served" }] }],
  "aiplatform.googleapis.com": ["google", {
    candidates: [{ content: { role: "model", parts: [{ text: "served" }] } }]
  }],
  "management.azure.com": ["azure", { value: [{ id: "/subscriptions/1/resourceGroups/served", name: "served" }] }],
  "vault.azure.net": ["none", {}]
}
const ISSUERS: Readonly<Record<string, string>> = {
  "oauth2.googleapis.com": "google",
  "login.microsoftonline.com": "azure"
}

const respond: Http.RequestListener = (request, response) => {
  const host = request.headers.host ?? ""
  const send = (status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  request.resume().once("end", () => {
    const issuer = ISSUERS[host]
    if (issuer !== undefined) {
      return send(200, { access_token: TOKENS[issuer], token_type: "Bearer", expires_in: 3600, refresh_token: "next" })
    }
    const [cloud = "", body = {}] = APIS[host] ?? []
    return request.headers.authorization === `Bearer ${TOKENS[cloud]}`
      ? send(200, body)
      : send(401, { error: "no token" })
  })
}

interface CloudClient {
  readonly name: string
  readonly needs: string
  readonly script: string
}

const clients: ReadonlyArray<CloudClient> = [
  {
    name: "google-auth-library, with the project and the account",
    needs: "google-auth-library",
    script: `const { GoogleAuth } = require("google-auth-library")
      const auth = new GoogleAuth({ scopes: "https://www.googleapis.com/auth/cloud-platform" })
      const { data } = await auth.request({ url: "https://storage.googleapis.com/storage/v1/b?project=x" })
      console.log(data.items[0].name, await auth.getProjectId(), (await auth.getCredentials()).client_email)`
  },
  {
    name: "@google-cloud/storage",
    needs: "@google-cloud/storage",
    script: `const { Storage } = require("@google-cloud/storage")
      console.log((await new Storage().getBuckets())[0][0].name)`
  },
  {
    name: "@google/genai with Vertex AI",
    needs: "@google/genai",
    script: `const { GoogleGenAI } = require("@google/genai")
      const ai = new GoogleGenAI({ vertexai: true, project: "acme-prod", location: "global" })
      console.log((await ai.models.generateContent({ model: "gemini", contents: "x" })).text)`
  },
  ...["ManagedIdentityCredential", "DefaultAzureCredential"].map((kind) => ({
    name: `@azure/arm-resources with ${kind}`,
    needs: "@azure/arm-resources",
    script: `const { ${kind} } = require("@azure/identity")
      const { ResourceManagementClient } = require("@azure/arm-resources")
      const groups = new ResourceManagementClient(new ${kind}(), "1").resourceGroups.list()
      for await (const { name } of groups) console.log(name)`
  })),
  {
    name: "@azure/identity for a resource without a connection: the next credential is tried, and",
    needs: "@azure/identity",
    script: `const { ChainedTokenCredential, ManagedIdentityCredential } = require("@azure/identity")
      const login = { getToken: async () => ({ token: "served", expiresOnTimestamp: Date.now() + 1e6 }) }
      const chain = new ChainedTokenCredential(new ManagedIdentityCredential(), login)
      console.log((await chain.getToken("https://vault.azure.net/.default")).token)`
  }
]

const isMissing = ({ needs }: CloudClient): boolean =>
  !fs.existsSync(path.join(installedPackages("sdks"), "node_modules", needs))

describe("clients of clouds under credsvc run", () => {
  let site: Site
  let program: ReturnType<typeof openProgram>

  beforeAll(async () => {
    site = await openSite([...Object.keys(APIS), ...Object.keys(ISSUERS)], respond)
    program = openProgram([site])
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const keyFile = JSON.stringify({
      type: "service_account",
      client_email: ACCOUNT,
      private_key_id: "1",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri: "https://oauth2.googleapis.com/token"
    })
    await program.must(["daemon", "start", "--port", "0"])
    await program.must(["login", "google-service-account", "--stdin"], { input: JSON.stringify({ key_file: keyFile }) })
    await program.must(["login", "azure", "--flow", "refresh_token", "--stdin"], {
      input: JSON.stringify({ client_id: "app", refresh_token: "first" })
    })
  }, 120_000)
  afterAll(async () => {
    await program.close()
    await site.close()
  })

  for (const client of clients) {
    for (const contained of [false, true]) {
      it.skipIf(isMissing(client) || (contained && !canContainClients))(
        `${client.name} reaches the API with the credential${contained ? ", contained" : ""}`,
        async () => {
          const directory = path.join(program.directory, contained ? "contained" : "plain")
          const home = path.join(directory, "..", "user")
          for (const made of [directory, home]) fs.mkdirSync(made, { recursive: true })
          const { code, stderr, stdout } = await program.credsvc(
            [
              "run",
              ...(contained ? ["--contain"] : []),
              "--",
              process.execPath,
              "-e",
              `(async () => { ${client.script} })()`
            ],
            { cwd: directory, env: { NODE_PATH: path.join(installedPackages("sdks"), "node_modules"), HOME: home } }
          )
          assert.strictEqual(code, 0, stderr)
          assert.match(stdout, /^served/, stderr)
          assert.notInclude(stdout, "canary")
          if (client.needs === "google-auth-library") assert.strictEqual(stdout, `served acme-prod ${ACCOUNT}\n`)
        },
        120_000
      )
    }
  }
})
