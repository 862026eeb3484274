import * as fs from "node:fs"
import * as path from "node:path"
import { dist, environment, startDaemon } from "../lib/Daemon.ts"
import { temporaryDirectory } from "../lib/Programs.ts"
import { processorTime, residentMib } from "./lib/Processes.ts"
import { Rounds } from "./lib/Rounds.ts"
import { inFull, type Row, type Section, valueAtMost } from "./lib/Section.ts"

const ROUNDS = inFull(15, 2)

interface Start {
  readonly cpuMillis: number
  readonly memory: number
}

/** Starts a daemon, sends the requests of a first `run`, and stops it. */
const start = async (program: string, home: string): Promise<Start> => {
  await using daemon = await startDaemon(environment(home), { file: program })
  for (const target of ["/health", "/proxy/routes"]) {
    const response = await fetch(daemon.url + target)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${target} responded with ${response.status}`)
  }
  const pids = [daemon.child.pid!]
  return { cpuMillis: processorTime(pids) / 1000, memory: residentMib(pids) }
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  using home = temporaryDirectory("bench")
  const copy = (name: string, keep: (definition: { readonly name: string }) => boolean) => {
    const directory = path.join(home.path, name)
    fs.cpSync(dist, directory, { recursive: true })
    const file = path.join(directory, "providers.json")
    const kept = (JSON.parse(fs.readFileSync(file, "utf8")) as ReadonlyArray<{ readonly name: string }>).filter(keep)
    fs.writeFileSync(file, JSON.stringify(kept))
    return {
      count: kept.length,
      start: () => start(path.join(directory, "credsvc.js"), path.join(home.path, `${name}-home`))
    }
  }
  const copies = { all: copy("all", () => true), one: copy("one", ({ name }) => name === "openai") }
  const taken = new Rounds<`${keyof typeof copies} ${keyof Start}`>()
  for (let round = inFull(-2, 0); round < ROUNDS; round++) {
    for (const name of ["one", "all"] as const) {
      const { cpuMillis, memory } = await copies[name].start()
      if (round < 0) continue
      await taken.takeAll([`${name} cpuMillis`, `${name} memory`], async () => [cpuMillis, memory])
    }
  }
  const more = (what: string, of: keyof Start, unit: string, bar: number): Row => {
    const [all, one] = [`all ${of}`, `one ${of}`] as const
    const detail = ` more (${taken.median(one).toFixed(0)} ${unit} with one)`
    return valueAtMost(
      `${what} a daemon start, ${copies.all.count} providers against one`,
      taken.difference(all, one),
      bar,
      unit,
      detail
    )
  }
  return [
    more("processor time of", "cpuMillis", "ms", 30),
    more("resident memory after", "memory", "MiB", 15)
  ]
}

export const section: Section = {
  title: "Bundled providers",
  method:
    `The daemon with all bundled providers against the same daemon with one, from its start until its responses to ` +
    `/health and /proxy/routes. Medians of ${ROUNDS} interleaved rounds.`,
  run
}
