import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { inFull, median, type Row, type Section } from "./lib/Section.ts"

const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "dist")
const rounds = inFull(15, 2)

interface Start {
  readonly cpuMillis: number
  readonly memory: number
}

/** The processor time of a process, and its resident memory in MiB, from the kernel. */
const usageOf = (pid: number): Start => {
  const ticks = fs.readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]!
  const resident = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))![1]!
  return { cpuMillis: Number(ticks) / 1e6, memory: Number(resident) / 1024 }
}

/** Starts a daemon, sends the requests of a first `run`, and stops it. */
const start = async (program: string, env: NodeJS.ProcessEnv): Promise<Start> => {
  const child = spawn(process.execPath, [program, "daemon", "serve", "--port", "0"], { env })
  try {
    const origin = await new Promise<string>((resolve, reject) => {
      let output = ""
      const read = (chunk: Buffer) => {
        output += chunk.toString()
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
        if (address !== undefined) resolve(address)
      }
      child.stdout.on("data", read)
      child.stderr.on("data", read)
      child.once("exit", () => reject(new Error(`the daemon exited: ${output}`)))
    })
    for (const target of ["/health", "/proxy/routes"]) {
      const response = await fetch(`${origin}${target}`)
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${target} responded with ${response.status}`)
    }
    return usageOf(child.pid!)
  } finally {
    child.removeAllListeners("exit")
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill()
    await ended
  }
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bench-"))
  const { LANG = "C", PATH = "" } = process.env
  const copy = (name: string, keep: (definition: { readonly name: string }) => boolean) => {
    const directory = path.join(home, name)
    fs.cpSync(dist, directory, { recursive: true })
    const file = path.join(directory, "providers.json")
    const kept = (JSON.parse(fs.readFileSync(file, "utf8")) as ReadonlyArray<{ readonly name: string }>).filter(keep)
    fs.writeFileSync(file, JSON.stringify(kept))
    const env = {
      HOME: home,
      CREDSVC_HOME: path.join(home, `${name}-home`),
      CREDSVC_MASTER_KEY_MODE: "local_key",
      LANG,
      PATH
    }
    return { count: kept.length, start: () => start(path.join(directory, "credsvc.js"), env) }
  }
  try {
    const one = copy("one", ({ name }) => name === "openai")
    const all = copy("all", () => true)
    const taken: { readonly one: Array<Start>; readonly all: Array<Start> } = { one: [], all: [] }
    for (let round = inFull(-2, 0); round < rounds; round++) {
      const pair = { one: await one.start(), all: await all.start() }
      if (round < 0) continue
      taken.one.push(pair.one)
      taken.all.push(pair.all)
    }
    const more = (of: (start: Start) => number, unit: string, bar: number): Pick<Row, "result" | "bar" | "met"> => {
      // The two daemons of a round ran one after the other, so their difference is least affected by a noisy machine.
      const growth = median(taken.all.map((full, round) => of(full) - of(taken.one[round]!)))
      return {
        result: `${growth.toFixed(1)} ${unit} more (${median(taken.one.map(of)).toFixed(0)} ${unit} with one)`,
        bar: `under ${bar} ${unit}`,
        met: growth < bar
      }
    }
    return [
      {
        what: `processor time of a daemon start, ${all.count} providers against one`,
        ...more((each) => each.cpuMillis, "ms", 30)
      },
      {
        what: `resident memory after a daemon start, ${all.count} providers against one`,
        ...more((each) => each.memory, "MiB", 15)
      }
    ]
  } finally {
    fs.rmSync(home, { recursive: true, force: true })
  }
}

export const section: Section = {
  title: "Bundled providers",
  method:
    `The daemon with all bundled providers against the same daemon with one, from its start until its responses to ` +
    `/health and /proxy/routes. Medians of ${rounds} interleaved rounds.`,
  run
}
