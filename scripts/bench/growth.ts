import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Paths } from "../../src/config/Paths.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { startCluster } from "../../test/support/postgres/Cluster.ts"
import { programsDirectory } from "../../test/support/postgres/Installation.ts"
import { register } from "../../test/support/RegisteredRun.ts"
import { type Daemon, environment, program, startDaemon } from "../lib/Daemon.ts"
import { temporaryDirectory, timeOf } from "../lib/Programs.ts"
import { residentMib } from "./lib/Processes.ts"
import { inFull, median, quick, type Row, type Section, valueAtMost } from "./lib/Section.ts"

const seed = path.join(import.meta.dirname, "lib", "growth", "seed.ts")

interface Size {
  readonly connections: number
  readonly entries: number
  readonly requests: number
}

/** Enough to fill pages and to reach the limits of a search: growth beyond that must cost nothing. */
const small: Size = { connections: 100, entries: 3000, requests: 30_000 }
const factor = inFull(1, 0.1)
const large: Size = { connections: 10_000 * factor, entries: 100_000 * factor, requests: 1_000_000 * factor }
const runs = 200
const replicas = 3
const rounds = inFull(15, 5)
const starts = inFull(5, 1)

interface Target {
  readonly what: string
  readonly target: string
  readonly body?: object
  /** Whether a proxy sends the request, in a registered run. */
  readonly inRun?: boolean
  /** Whether the request is also measured with replicas. */
  readonly shared?: boolean
}

const resolved = { host: "api.openai.com", provider: "openai", connection: "default" }

const targets: ReadonlyArray<Target> = [
  { what: "resolve a credential", target: "/credentials/resolve", body: resolved, inRun: true, shared: true },
  { what: "the routing table of a run", target: "/proxy/routes", inRun: true, shared: true },
  { what: "another default, a write", target: "/connections/openai/default/default", body: {}, shared: true },
  { what: "the connections of a provider", target: "/connections?provider=openai" },
  { what: "the newest 50 audit entries", target: "/audit?limit=50", shared: true },
  { what: "the one audit entry of a kind", target: "/audit?limit=50&event=vault-create" },
  { what: "the newest 50 requests", target: "/audit/requests?limit=50", shared: true },
  { what: "50 failed requests", target: "/audit/requests?limit=50&failed=true" },
  { what: "requests to a host without any", target: "/audit/requests?limit=50&host=nothing.test" },
  { what: "page: overview", target: "/ui/", shared: true },
  { what: "page: connections", target: "/ui/connections", shared: true },
  { what: "page: providers", target: "/ui/apps" },
  { what: "page: a provider", target: "/ui/apps/openai" },
  { what: "page: runs", target: "/ui/runs" },
  { what: "page: requests", target: "/ui/requests", shared: true },
  { what: "page: requests of a provider", target: "/ui/requests?provider=openai" },
  { what: "page: activity", target: "/ui/audit" },
  { what: "metrics", target: "/metrics", shared: true }
]

interface ReadyDaemon extends Daemon {
  readonly home: string
  /** Milliseconds from the start of the process until `/ready` succeeded. */
  readonly started: number
}

const ask = async ({ url }: Daemon, target: string, init: RequestInit = {}): Promise<number> => {
  const began = performance.now()
  const response = await fetch(url + target, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${target} responded with ${response.status}: ${text}`)
  return performance.now() - began
}

const start = async (home: string, env: NodeJS.ProcessEnv = {}): Promise<ReadyDaemon> => {
  const began = performance.now()
  const daemon = await startDaemon(environment(home, env))
  await ask(daemon, "/ready")
  return { ...daemon, home, started: performance.now() - began }
}

const timed = (home: string, args: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}): number =>
  timeOf(process.execPath, args, { env: environment(home, more) })

/** Registers runs until the scope closes, and returns the id of one. */
const registerRuns = async ({ home, url }: ReadyDaemon, count: number, scope: Scope.Scope): Promise<string> => {
  let id = ""
  for (let run = 0; run < count; run++) {
    id = randomBytes(16).toString("hex")
    const registration = Effect.flatMap(Paths, (paths) => register({ url, paths }, id)).pipe(
      Effect.provide([Paths.layerHome(home), PeerOwner.layer]),
      Scope.provide(scope)
    )
    const { status } = await Effect.runPromise(registration)
    if (status !== 200) throw new Error(`the daemon responded with ${status} to a registration`)
  }
  return id
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`

const compared = (what: string, empty: ReadonlyArray<number>, grown: ReadonlyArray<number>, bar: number): Row => {
  const ratio = median(grown) / median(empty)
  return {
    what,
    result: `${ratio.toFixed(2)}x (${ms(median(empty))} to ${ms(median(grown))})`,
    bar: `at most ${bar}x`,
    met: ratio <= bar
  }
}

/** Measures one daemon of each store, or several replicas of each. */
const measure = async (
  one: ReadonlyArray<ReadyDaemon>,
  other: ReadonlyArray<ReadyDaemon>,
  label: string
): Promise<ReadonlyArray<Row>> => {
  const scope = Scope.makeUnsafe()
  // Waits as long as the section on memory does.
  await new Promise((resolve) => setTimeout(resolve, 6000))
  const memory = [one[0]!, other[0]!].map(({ child }) => residentMib([child.pid!])) as [number, number]
  const rows: Array<Row> = [{
    what: `${label}memory of a daemon, 6 s after its start`,
    result: `${(memory[1] / memory[0]).toFixed(2)}x (${memory[0].toFixed(0)} to ${memory[1].toFixed(0)} MiB)`,
    bar: "at most 1.5x",
    met: memory[1] <= 1.5 * memory[0]
  }]
  const idsOf = (daemons: ReadonlyArray<ReadyDaemon>, count: number) =>
    Promise.all(daemons.map((daemon) => registerRuns(daemon, Math.ceil(count / daemons.length), scope)))
  try {
    const ids = [await idsOf(one, one.length), await idsOf(other, runs)] as const
    for (const { body, inRun, shared, target, what } of targets) {
      if (label !== "" && shared !== true) continue
      const init = (run: string): RequestInit => ({
        headers: {
          ...body === undefined ? {} : { "content-type": "application/json" },
          ...inRun === true ? { "credsvc-run": run } : {}
        },
        ...body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      })
      const took = { one: [] as Array<number>, other: [] as Array<number> }
      // The first round at each daemon is not measured: it reads from disk what later rounds find in memory.
      for (let round = -one.length; round < rounds; round++) {
        const at = (round + one.length) % one.length
        const pair = [
          await ask(one[at]!, target, init(ids[0][at]!)),
          await ask(other[at]!, target, init(ids[1][at]!))
        ] as const
        if (round === -one.length && target === "/proxy/routes") {
          rows.push({ what: `${label}${what}, the first after the start`, result: `${ms(pair[0])} to ${ms(pair[1])}` })
        }
        if (round < 0) continue
        took.one.push(pair[0])
        took.other.push(pair[1])
      }
      rows.push(compared(label + what, took.one, took.other, 2))
    }
    const ready: Array<number> = []
    for (let round = 0; round < rounds; round++) ready.push(await ask(other[round % other.length]!, "/ready"))
    rows.push(valueAtMost(`${label}readiness, the slowest of ${rounds}`, Math.max(...ready), 50, "ms"))
    await ask(other[0]!, "/connections")
    const all = await ask(other[0]!, "/connections")
    rows.push({
      what: `${label}all connections, which are not paged`,
      result: `${ms(all)}, ${(all * 1000 / large.connections).toFixed(0)} us for each`
    })
    return rows
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  await using stack = new AsyncDisposableStack()
  const directory = stack.use(temporaryDirectory("bench")).path
  const cluster = programsDirectory() === undefined || quick ? undefined : await startCluster()
  stack.defer(async () => cluster?.stop())
  const homes = { one: path.join(directory, "one"), other: path.join(directory, "other") }
  const names = ["one", "other"] as const
  for (const [name, { connections, entries, requests }] of [["one", small], ["other", large]] as const) {
    timed(homes[name], [seed, homes[name], String(connections), String(entries), String(requests)])
  }
  const took = { one: [] as Array<number>, other: [] as Array<number> }
  for (let round = 0; round < starts; round++) {
    for (const name of names) {
      await using daemon = await start(homes[name])
      took[name].push(daemon.started)
    }
  }
  const rows: Array<Row> = [compared("start, until it is ready", took.one, took.other, 2)]
  {
    await using one = await start(homes.one)
    await using other = await start(homes.other)
    rows.push(...await measure([one], [other], ""))
    const backups = names.map((name) =>
      timed(homes[name], [program, "admin", "backup", path.join(directory, `${name}.backup`)])
    )
    const { size } = fs.statSync(path.join(directory, "other.backup"))
    rows.push({
      what: "backup, verified",
      result: `${ms(backups[0]!)} to ${ms(backups[1]!)} for ${(size / 2 ** 20).toFixed(0)} MiB`
    })
  }
  if (cluster === undefined) return rows
  const env = (name: string) => ({
    CREDSVC_DATABASE_URL: `postgres:///postgres?host=${cluster.directory}&user=credsvc&schema=${name}`
  })
  const moved = names.map((name) =>
    timed(homes[name], [program, "admin", "restore", path.join(directory, `${name}.backup`), "--replace"], env(name))
  )
  rows.push({ what: "restore into PostgreSQL, verified", result: `${ms(moved[0]!)} to ${ms(moved[1]!)}` })
  const homesOf = (name: "one" | "other") => {
    const copies = Array.from({ length: replicas - 1 }, (_, at) => `${homes[name]}-${at}`)
    for (const copy of copies) {
      fs.cpSync(homes[name], copy, { recursive: true })
      fs.rmSync(path.join(copy, "server", "manifest.anchor"), { force: true })
    }
    return [homes[name], ...copies]
  }
  const sharing: Record<"one" | "other", Array<ReadyDaemon>> = { one: [], other: [] }
  for (const name of names) {
    for (const home of homesOf(name)) sharing[name].push(stack.use(await start(home, env(name))))
  }
  const label = `${replicas} replicas: `
  const startsOf = (daemons: ReadonlyArray<ReadyDaemon>) => daemons.map((daemon) => daemon.started)
  rows.push(compared(`${label}start`, startsOf(sharing.one), startsOf(sharing.other), 2))
  rows.push(...await measure(sharing.one, sharing.other, label))
  return rows
}

export const section: Section = {
  title: "Growth",
  method:
    `A store with ${large.connections} connections, ${large.entries} audit entries, ${large.requests} logged requests and ${runs} runs against one ` +
    `with ${small.connections}, ${small.entries}, ${small.requests} and one, whose pages are full as well. Medians of ${rounds} interleaved rounds of a ` +
    `client that sends one request at a time, with the store in a file, and with ${replicas} replicas on PostgreSQL.`,
  run
}
