import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { ProviderDefinition, ProviderName } from "../../src/domain/definition/Provider.ts"
import { packProviders } from "../../src/providers/BundledProviders.ts"
import { atMost, inFull, median, ratiosOf, type Row, type Section } from "./lib/Section.ts"

const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "dist")
const providers = 600
const connections = 12
const rounds = inFull(300, 40)
const warmUp = inFull(100, 40)

const heaviest = 60_000

/**
 * A copy of the program with the measured number of bundled providers: the existing ones and copies under other names.
 */
const installWithMany = (directory: string): string => {
  const copy = path.join(directory, "dist")
  fs.cpSync(dist, copy, { recursive: true })
  const file = path.join(copy, "providers.json")
  const bundled = (JSON.parse(fs.readFileSync(file, "utf8")) as ReadonlyArray<{ readonly definition: string }>)
    .map(({ definition }) => JSON.parse(definition) as ProviderDefinition)
  const more = Array.from({ length: Math.max(0, providers - bundled.length) }, (_, index): ProviderDefinition => ({
    ...bundled[index % bundled.length]!,
    name: `bench-${index}` as ProviderName,
    aliases: [],
    alternatives: [],
    hosts: [`api.bench-${index}.example`],
    apiUrl: `https://api.bench-${index}.example`
  }))
  fs.writeFileSync(file, packProviders([...bundled, ...more]))
  return path.join(copy, "credsvc.js")
}

interface Taken {
  readonly millis: number
  readonly body: string
}

const request = (agent: http.Agent, url: string): Promise<Taken> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    http.get(url, { agent }, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => body += chunk)
      response.on("end", () => {
        if (response.statusCode === 200) resolve({ millis: performance.now() - started, body })
        else reject(new Error(`${url} responded with ${response.statusCode}: ${body}`))
      })
      response.on("error", reject)
    }).on("error", reject)
  })

/** The size of the page and of everything that it loads, in bytes. */
const weigh = async (agent: http.Agent, origin: string, page: string): Promise<number> => {
  const { body } = await request(agent, origin + page)
  const files = [...body.matchAll(/(?:href|src)="(\/ui\/(?:assets\/[^"]+|icon\.svg))"/g)].map((match) => match[1]!)
  const parts = await Promise.all(files.map((file) => request(agent, origin + file)))
  return [body, ...parts.map((part) => part.body)].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

const pages = [
  { name: "overview", page: "/ui/", route: "/connections" },
  { name: "connections", page: "/ui/connections", route: "/connections" },
  { name: `${providers} providers`, page: "/ui/apps", route: "/connections" },
  { name: `search among ${providers} providers`, page: "/ui/apps?q=bench", route: "/connections" },
  { name: "one provider", page: "/ui/apps/openai", route: "/connections?provider=openai" }
] as const

const run = async (): Promise<ReadonlyArray<Row>> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bench-"))
  const { LANG = "C", PATH = "" } = process.env
  const program = installWithMany(directory)
  const env = {
    HOME: directory,
    CREDSVC_HOME: path.join(directory, "home"),
    CREDSVC_MASTER_KEY_MODE: "local_key",
    LANG,
    PATH
  }
  const credsvc = (args: ReadonlyArray<string>, input = ""): string => {
    const ended = spawnSync(process.execPath, [program, ...args], { env, input, encoding: "utf8", timeout: 60_000 })
    if (ended.status !== 0) throw new Error(`credsvc ${args.join(" ")} ended with ${ended.status}: ${ended.stderr}`)
    return ended.stdout
  }
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  try {
    credsvc(["daemon", "start", "--port", "0"])
    for (let index = 0; index < connections; index++) {
      credsvc(
        ["login", "openai", "--connection", `number-${index}`, "--stdin"],
        "sk-bench-0123456789abcdef0123456789abcdef"
      )
    }
    const { daemon_url: origin } = JSON.parse(credsvc(["whoami", "--json"])) as { readonly daemon_url: string }
    const rows: Array<Row> = []
    for (const { name, page, route } of pages) {
      const taken = { page: [] as Array<number>, route: [] as Array<number> }
      for (let round = -warmUp; round < rounds; round++) {
        const ofPage = await request(agent, origin + page)
        const ofRoute = await request(agent, origin + route)
        if (round < 0) continue
        taken.page.push(ofPage.millis)
        taken.route.push(ofRoute.millis)
      }
      rows.push(
        atMost(
          `${name}, against GET ${route}`,
          ratiosOf(taken.page, taken.route),
          1.5,
          `${median(taken.page).toFixed(2)} ms`
        )
      )
      const weight = await weigh(agent, origin, page)
      rows.push({
        what: `${name}: size with stylesheet, script and icon`,
        result: `${(weight / 1000).toFixed(1)} KB`,
        bar: `less than ${heaviest / 1000} KB`,
        met: weight < heaviest
      })
    }
    return rows
  } finally {
    agent.destroy()
    try {
      credsvc(["daemon", "stop"])
    } finally {
      fs.rmSync(directory, { recursive: true, force: true })
    }
  }
}

export const section: Section = {
  title: "Pages",
  method:
    `The dashboard's pages with ${providers} providers and ${connections} connections, alternating with the route ` +
    `that returns the state of the same connections as JSON, over one connection. The results are medians of ${rounds} requests. The size is that of everything that a first visit loads, uncompressed.`,
  run
}
