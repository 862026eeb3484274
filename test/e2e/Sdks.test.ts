import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import type * as Http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"
import { openSandbox, repository, type Sandbox } from "../support/Sandbox.ts"

const openaiKey = "sk-proj-0123456789abcdefABCDEF0123456789"
const anthropicKey = "sk-ant-api03-0123456789abcdefABCDEF0123456789"

interface Seen {
  readonly host: string
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
}

/** Responds as the two APIs do, as a stream if the request asks for one. */
const answer = (request: Http.IncomingMessage, body: string, response: Http.ServerResponse): void => {
  const asked = body === "" ? {} : JSON.parse(body)
  if (asked.stream === true) {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const words = ["Hello", " ", "Ada"]
    let at = 0
    const timer = setInterval(() => {
      const word = words[at++]
      if (word === undefined) {
        clearInterval(timer)
        response.end("data: [DONE]\n\n")
        return
      }
      response.write(
        `data: ${
          JSON.stringify({
            id: "c1",
            object: "chat.completion.chunk",
            choices: [{ index: 0, delta: { content: word } }]
          })
        }\n\n`
      )
    }, 30)
    return
  }
  const content = request.headers.host === "api.anthropic.com"
    ? { id: "m1", type: "message", role: "assistant", content: [{ type: "text", text: "Hello Ada" }] }
    : {
      id: "c1",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello Ada" } }]
    }
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(content))
}

const scripts = {
  "openai.mjs": `
import OpenAI from "openai"
const client = new OpenAI()
const messages = [{ role: "user", content: "hi" }]
console.log(client.apiKey)
const whole = await client.chat.completions.create({ model: "gpt-4o", messages })
console.log(whole.choices[0].message.content)
let streamed = ""
for await (const chunk of await client.chat.completions.create({ model: "gpt-4o", messages, stream: true })) {
  streamed += chunk.choices[0].delta.content
}
console.log(streamed)
`,
  "anthropic.mjs": `
import Anthropic from "@anthropic-ai/sdk"
const client = new Anthropic()
console.log(client.apiKey)
const message = await client.messages.create({ model: "claude-x", max_tokens: 9, messages: [{ role: "user", content: "hi" }] })
console.log(message.content[0].text)
`,
  "refused.mjs": `
import OpenAI from "openai"
const client = new OpenAI({ apiKey: "credsvc-proxy-managed", baseURL: "https://api.mistral.ai/v1", maxRetries: 0 })
try {
  await client.models.list()
} catch (error) {
  console.log(error.status, error.message)
}
`
}

/** Node 24 supports the proxy variables itself. The machine's Node may be older and need the preload. */
const nodes = [process.execPath, "/usr/bin/node"].filter((node) => fs.existsSync(node)).map((node) => ({
  node,
  version: execFileSync(node, ["--version"], { encoding: "utf8" }).trim()
})).filter(({ version }, index, all) => all.findIndex((other) => other.version === version) === index)

describe("SDKs inside run", () => {
  let sandbox: Sandbox
  let server: https.Server
  const seen: Array<Seen> = []

  beforeAll(async () => {
    const hosts = ["api.openai.com", "api.anthropic.com"]
    const authority = CertificateAuthority.make(hosts)
    const contexts = new Map(hosts.map((host) => [host, authority.issue(host)]))
    const { createSecureContext } = await import("node:tls")
    server = https.createServer({
      SNICallback: (name, done) => {
        const leaf = contexts.get(name)
        if (leaf === undefined) return done(new Error(`no certificate for ${name}`))
        done(null, createSecureContext({ cert: leaf.certPem, key: leaf.keyPem }))
      }
    }, (request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => body += chunk.toString())
      request.on("end", () => {
        seen.push({ host: request.headers.host ?? "", path: request.url ?? "", headers: request.headers })
        answer(request, body, response)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    sandbox = await openSandbox({ connect: false })
    const authorityFile = path.join(sandbox.directory, "authority.pem")
    fs.writeFileSync(authorityFile, authority.rootPem)
    const file = path.join(sandbox.home, "config.json")
    const config = JSON.parse(fs.readFileSync(file, "utf8"))
    config.upstream.extra_ca_certs = [authorityFile]
    for (const host of hosts) config.upstream.resolve[`${host}:443`] = `127.0.0.1:${port}`
    fs.writeFileSync(file, JSON.stringify(config))
    for (const [name, text] of Object.entries(scripts)) fs.writeFileSync(path.join(sandbox.directory, name), text)
    fs.symlinkSync(path.join(repository, "node_modules"), path.join(sandbox.directory, "node_modules"))
    for (const [provider, key] of [["openai", openaiKey], ["anthropic", anthropicKey]] as const) {
      const login = await sandbox.credsvc(["login", provider, "--stdin"], { input: key })
      if (login.code !== 0) throw new Error(login.stderr)
    }
  })

  afterAll(async () => {
    await sandbox.close()
    server.closeAllConnections()
    server.close()
  })

  for (const { node, version } of nodes) {
    it(`openai works with the placeholder, streamed or not, on Node ${version}`, async () => {
      const child = await sandbox.credsvc(["run", "--", node, "openai.mjs"])
      assert.strictEqual(child.code, 0, child.stderr)
      const [held, whole, streamed] = child.stdout.trim().split("\n")
      assert.include(held, "credsvc-proxy-managed")
      assert.strictEqual(whole, "Hello Ada")
      assert.strictEqual(streamed, "Hello Ada")
      const request = seen.at(-1)
      assert.strictEqual(request?.headers.authorization, `Bearer ${openaiKey}`)
      assert.strictEqual(request?.path, "/v1/chat/completions")
    })

    it(`@anthropic-ai/sdk works with the placeholder, on Node ${version}`, async () => {
      const child = await sandbox.credsvc(["run", "--", node, "anthropic.mjs"])
      assert.strictEqual(child.code, 0, child.stderr)
      const [held, text] = child.stdout.trim().split("\n")
      assert.include(held, "credsvc-proxy-managed")
      assert.strictEqual(text, "Hello Ada")
      const request = seen.at(-1)
      assert.strictEqual(request?.headers["x-api-key"], anthropicKey)
      assert.isUndefined(request?.headers.authorization)
      assert.isString(request?.headers["anthropic-version"])
    })

    it(`both work with --base-url, without a proxy or certificate, on Node ${version}`, async () => {
      for (
        const [script, path] of [["openai.mjs", "/v1/chat/completions"], ["anthropic.mjs", "/v1/messages"]] as const
      ) {
        const env = { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9", NODE_USE_ENV_PROXY: "1" }
        const child = await sandbox.credsvc(["run", "--base-url", "--", node, script], { env })
        assert.strictEqual(child.code, 0, child.stderr)
        assert.match(child.stdout, /credsvc-proxy-managed[^\n]*\nHello Ada\n/)
        const request = seen.at(-1)
        assert.strictEqual(request?.path, path)
        assert.include(
          [`Bearer ${openaiKey}`, anthropicKey],
          request?.headers.authorization ?? request?.headers["x-api-key"]
        )
      }
    })

    it(`an SDK's error shows the command that creates the missing connection, on Node ${version}`, async () => {
      const child = await sandbox.credsvc(["run", "--", node, "refused.mjs"])
      assert.match(child.stdout, /^403 .*credsvc login mistral/)
    })
  }
})
