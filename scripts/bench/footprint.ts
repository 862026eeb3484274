import { residentMib } from "./lib/Processes.ts"
import { HOST, openProxyTestbed } from "./lib/ProxyTestbed.ts"
import { Rounds } from "./lib/Rounds.ts"
import { atMost, inFull, quick, type Results, type Row, type Section, valueAtMost } from "./lib/Section.ts"

const ROUNDS = inFull(5, 1)
const IDLE_MILLISECONDS = inFull(6000, 5000)

const LOAD_MILLISECONDS = 5000
const AFTER_MILLISECONDS = 60_000

const names = ["proxy", "daemon", "bare"] as const

/** The memory of two processes under load over 64 connections, and a minute later. */
const underLoad = async (
  name: "credsvc" | "forwarder"
): Promise<{ readonly loaded: number; readonly later: number }> => {
  await using testbed = await openProxyTestbed()
  const target = await testbed.candidate(name)
  const pids = [target.pid, target.daemon ?? await testbed.bareServer()]
  const generator = testbed.persistentWorker("generator")
  const load = generator({ target, host: HOST, connections: 64, warmUp: 0, measured: LOAD_MILLISECONDS })
  await new Promise((resolve) => setTimeout(resolve, LOAD_MILLISECONDS))
  const loaded = residentMib(pids)
  await load
  await new Promise((resolve) => setTimeout(resolve, AFTER_MILLISECONDS))
  return { loaded, later: residentMib(pids) }
}

const rowsUnderLoad = async (): Promise<ReadonlyArray<Row>> => {
  const ours = await underLoad("credsvc")
  const floor = await underLoad("forwarder")
  const floorOf = (what: string, mebibytes: number): Row => ({
    what: `the floor of Node (it copies bytes between two TLS connections) and a bare server, ${what}`,
    result: `${mebibytes.toFixed(0)} MiB`
  })
  return [
    valueAtMost("proxy and daemon together, with 64 connections", ours.loaded, 180, "MiB"),
    floorOf("with 64 connections", floor.loaded),
    valueAtMost("proxy and daemon together, 60 s later", ours.later, 140, "MiB"),
    floorOf("60 s later", floor.later)
  ]
}

const run = async (): Promise<Results> => {
  const taken = new Rounds<(typeof names)[number]>()
  for (let round = 0; round < ROUNDS; round++) {
    await using testbed = await openProxyTestbed()
    const pids = { ...await testbed.ownProcesses(), bare: await testbed.bareServer() }
    await new Promise((resolve) => setTimeout(resolve, IDLE_MILLISECONDS))
    for (const name of names) await taken.take(name, async () => residentMib([pids[name]]))
  }
  const row = (what: string, name: "proxy" | "daemon", bar: number) =>
    atMost(what, taken.comparison(name, "bare", "MiB"), bar)
  const bars = [
    { label: "daemon", value: taken.median("daemon") },
    { label: "proxy of a run", value: taken.median("proxy") },
    { label: "bare server of node:https", value: taken.median("bare") }
  ]
  return {
    rows: [
      { what: "a bare server of `node:https`", result: `1.00x (${taken.median("bare").toFixed(0)} MiB)` },
      row("the proxy of a run", "proxy", 1.25),
      row("the daemon", "daemon", 1.35),
      ...quick ? [] : await rowsUnderLoad()
    ],
    charts: [{ name: "footprint", title: "Resident memory, idle", unit: " MiB", bars }]
  }
}

export const section: Section = {
  title: "Memory of idle processes",
  method:
    `The resident memory ${
      IDLE_MILLISECONDS / 1000
    } s after the start of a daemon with one connection, a run, and a server that only ` +
    `responds to TLS connections with a constant text, on the same Node. Medians of ${ROUNDS} starts.`,
  run
}
