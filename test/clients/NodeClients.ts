/** Node in several versions, and libraries on top of it. The machine's Node, Deno and Bun have no such libraries. */
import type { Client } from "./Client.ts"

const head = `
const url = process.env.CLIENT_URL, key = process.env.CLIENTS_API_KEY
const headers = { authorization: "Bearer " + key }
const say = (value) => console.log(typeof value === "string" ? value : JSON.stringify(value))
`

interface Script {
  readonly name: string
  readonly script: string
  readonly installed?: string
  /** All versions, instead of only the oldest and the newest. */
  readonly everywhere?: boolean
  readonly since?: number
  readonly contained?: boolean
  readonly corporate?: boolean
}

const scripts: ReadonlyArray<Script> = [
  {
    name: "fetch",
    script: "say(await (await fetch(url, { headers })).text())",
    everywhere: true,
    contained: true,
    corporate: true
  },
  {
    name: "https",
    script: `const { get } = await import("node:https"); get(url, { headers }, (r) => r.pipe(process.stdout))`,
    everywhere: true
  },
  {
    name: "https with an agent of its own",
    script: `const { Agent, get } = await import("node:https")
      get(url, { headers, agent: new Agent({ keepAlive: true, maxSockets: 1 }) }, (r) => r.pipe(process.stdout))`,
    everywhere: true
  },
  {
    name: "https at another port, with an agent of its own",
    script: `const { Agent, get } = await import("node:https")
      get(url.replace(/(?<=\\.test)/, ":8443"), { headers, agent: new Agent() }, (r) => r.pipe(process.stdout))`
  },
  {
    name: "http2",
    script: `const { connect } = await import("node:http2"); const { origin, pathname } = new URL(url)
      const session = connect(origin); session.request({ ":path": pathname, ...headers }).on("end", () => session.close()).pipe(process.stdout)`
  },
  {
    name: "fetch in a worker",
    script: `const { Worker } = await import("node:worker_threads")
      new Worker("fetch(process.env.CLIENT_URL).then((r) => r.text()).then(console.log)", { eval: true })`
  },
  {
    name: "fetch in a child process",
    script: `const { execFileSync } = await import("node:child_process")
      say(execFileSync(process.execPath, ["-e", "fetch(process.env.CLIENT_URL).then((r) => r.text()).then(console.log)"]).toString())`
  },
  {
    name: "WebSocket",
    since: 22,
    script: `const socket = new WebSocket(url.replace("https:", "wss:"))
      socket.onmessage = ({ data }) => { say(data); socket.close() }`
  },
  {
    name: "undici",
    installed: "undici",
    script: `const { request } = await import("undici")
      say(await (await request(url, { headers })).body.text())`,
    since: 20
  },
  {
    name: "axios",
    installed: "axios",
    script: `const { default: axios } = await import("axios"); say((await axios.get(url, { headers })).data)`,
    everywhere: true
  },
  {
    name: "got",
    installed: "got",
    since: 20,
    script: `const { default: got } = await import("got"); say(await got(url, { headers, retry: { limit: 0 } }).text())`
  },
  {
    name: "node-fetch",
    installed: "node-fetch",
    script: `const { default: fetch } = await import("node-fetch"); say(await (await fetch(url, { headers })).text())`
  },
  {
    name: "superagent",
    installed: "superagent",
    script: `const { default: agent } = await import("superagent"); say((await agent.get(url).set(headers)).text)`
  },
  {
    name: "ws",
    installed: "ws",
    script: `const { default: WebSocket } = await import("ws")
      const socket = new WebSocket(url.replace("https:", "wss:"), { headers })
      socket.on("message", (data) => { say(String(data)); socket.close() })`,
    everywhere: true
  },
  {
    name: "openai",
    installed: "openai",
    script: `const { default: OpenAI } = await import("openai")
      const client = new OpenAI({ apiKey: key, baseURL: url, maxRetries: 0 })
      say((await client.chat.completions.create({ model: "m", messages: [] })).choices[0].message.content)`,
    since: 20
  },
  {
    name: "openai, streamed",
    installed: "openai",
    script: `const { default: OpenAI } = await import("openai")
      const client = new OpenAI({ apiKey: key, baseURL: url + "/stream", maxRetries: 0 })
      for await (const chunk of await client.chat.completions.create({ model: "m", messages: [], stream: true })) {
        say(chunk.choices[0].delta.content)
      }`,
    since: 20
  },
  {
    name: "@anthropic-ai/sdk",
    installed: "@anthropic-ai/sdk",
    script: `const { default: Anthropic } = await import("@anthropic-ai/sdk")
      const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 })
      say((await client.messages.create({ model: "m", max_tokens: 1, messages: [] })).content[0].text)`,
    since: 20
  },
  {
    name: "groq-sdk",
    installed: "groq-sdk",
    script: `const { default: Groq } = await import("groq-sdk")
      const client = new Groq({ apiKey: key, baseURL: url, maxRetries: 0 })
      say((await client.chat.completions.create({ model: "m", messages: [] })).choices[0].message.content)`
  },
  {
    name: "stripe",
    installed: "stripe",
    script: `const { default: Stripe } = await import("stripe")
      const stripe = new Stripe(key, { host: new URL(url).host, maxNetworkRetries: 0 })
      say((await stripe.customers.retrieve("served")).id)`
  },
  {
    name: "octokit",
    installed: "@octokit/rest",
    script: `const { Octokit } = await import("@octokit/rest")
      say((await new Octokit({ auth: key, baseUrl: url }).rest.users.getAuthenticated()).data.login)`,
    since: 20
  },
  {
    name: "@slack/web-api",
    installed: "@slack/web-api",
    script: `const { WebClient } = await import("@slack/web-api")
      const client = new WebClient(key, { slackApiUrl: url + "/", retryConfig: { retries: 0 } })
      say((await client.auth.test()).user)`,
    since: 20
  },
  {
    name: "@aws-sdk/client-s3",
    installed: "@aws-sdk/client-s3",
    script: `const { S3Client, ListBucketsCommand } = await import("@aws-sdk/client-s3")
      const client = new S3Client({ endpoint: url + "/s3", region: "us-east-1", maxAttempts: 1, forcePathStyle: true,
        credentials: { accessKeyId: key, secretAccessKey: key } })
      say((await client.send(new ListBucketsCommand({}))).Buckets[0].Name)`,
    since: 22
  },
  {
    name: "twilio",
    installed: "twilio",
    script: `const { default: twilio } = await import("twilio")
      const client = twilio("AC" + "0".repeat(32), key)
      const { body } = await client.request({ method: "get", uri: url })
      say(body)`
  }
]

const oldest = 18
/** The version that this project is built for. */
const own = 24
const versions = [18, 20, 22, own, 26]

export const nodeClients: ReadonlyArray<Client> = scripts.flatMap(
  ({ contained, corporate, everywhere, installed, name, script, since = oldest }) =>
    versions.filter((version) => version >= since).filter((version, index, known) =>
      everywhere === true || index === 0 || index === known.length - 1
    ).map((version): Client => ({
      name: `node ${version} ${name}`,
      command: version === own ? process.execPath : `node${version}`,
      args: ["--input-type=module", "-e", head + script],
      installed,
      contained,
      corporate
    }))
)

/** SDKs without an explicit URL: they read it from the variable that `export.base_urls` names. */
const addressed = (name: string, installed: string, script: string): Client => ({
  name: `node ${own} ${name}, base URL from the SDK's environment variable`,
  command: process.execPath,
  args: ["--input-type=module", "-e", head + script],
  installed,
  option: "--base-url"
})

export const addressedClients: ReadonlyArray<Client> = [
  addressed(
    "ws",
    "ws",
    `const { default: WebSocket } = await import("ws")
     const socket = new WebSocket(url.replace("http:", "ws:"), { headers })
     socket.on("message", (data) => { say(String(data)); socket.close() })`
  ),
  addressed(
    "openai",
    "openai",
    `const { default: OpenAI } = await import("openai")
     const client = new OpenAI({ apiKey: key, maxRetries: 0 })
     say((await client.chat.completions.create({ model: "m", messages: [] })).choices[0].message.content)`
  ),
  addressed(
    "@anthropic-ai/sdk",
    "@anthropic-ai/sdk",
    `const { default: Anthropic } = await import("@anthropic-ai/sdk")
     const client = new Anthropic({ apiKey: key, maxRetries: 0 })
     say((await client.messages.create({ model: "m", max_tokens: 1, messages: [] })).content[0].text)`
  ),
  addressed(
    "groq-sdk",
    "groq-sdk",
    `const { default: Groq } = await import("groq-sdk")
     const client = new Groq({ apiKey: key, maxRetries: 0 })
     say((await client.chat.completions.create({ model: "m", messages: [] })).choices[0].message.content)`
  ),
  addressed(
    "@google/genai",
    "@google/genai",
    `const { GoogleGenAI } = await import("@google/genai")
     say((await new GoogleGenAI({ apiKey: key }).models.generateContent({ model: "m", contents: "hi" })).text)`
  )
]

const deno = (name: string, script: string, more: Partial<Client> = {}): Client => ({
  name: `deno ${name}`,
  command: "deno",
  args: ["run", "--allow-all", "--quiet", "--no-config", "main.mjs"],
  files: { "main.mjs": script },
  env: { DENO_DIR: "deno-cache", DENO_NO_UPDATE_CHECK: "1" },
  ...more
})

const bun = (name: string, script: string, more: Partial<Client> = {}): Client => ({
  name: `bun ${name}`,
  command: "bun",
  args: ["-e", head + script],
  ...more
})

const socket = `const socket = new WebSocket(process.env.CLIENT_URL.replace("https:", "wss:"))
  socket.onmessage = ({ data }) => { console.log(String(data)); socket.close() }
  socket.onerror = ({ message }) => { console.error(message); process.exit(1) }`

export const otherRuntimes: ReadonlyArray<Client> = [
  deno("fetch", "console.log(await (await fetch(process.env.CLIENT_URL)).text())"),
  deno("node:https", `import { get } from "node:https"; get(process.env.CLIENT_URL, (r) => r.pipe(process.stdout))`),
  deno("WebSocket", socket, { contained: true }),
  bun("fetch", "say(await (await fetch(url, { headers })).text())"),
  bun("node:https", `const { get } = await import("node:https"); get(url, { headers }, (r) => r.pipe(process.stdout))`),
  bun(
    "openai",
    `const { default: OpenAI } = await import("openai")
     const client = new OpenAI({ apiKey: key, baseURL: url, maxRetries: 0 })
     say((await client.chat.completions.create({ model: "m", messages: [] })).choices[0].message.content)`,
    { installed: "openai" }
  ),
  bun("WebSocket", socket, { option: "--hook bun" }),
  bun("WebSocket without the hook", socket, { contained: true, fails: "it reads no proxy variable" })
]
