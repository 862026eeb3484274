/**
 * What each run proves: a process that refreshes a rotating token is killed at one chosen point, and the processes that
 * come after it on the same home find it healthy and get a token that the API takes, without a login and without having
 * sent a refresh token whose successor was stored. Every point is hit in a process that finds the home healthy, and every
 * third also in one that makes good what a kill at another point left. The process after that is left alone, and has to
 * succeed.
 *
 * The points: every durable system call of a start and a refresh (`strace` kills on its entry), and at the server the
 * arrival of the request, before and after the rotation.
 *
 * The server gives the grace without which nobody survives a lost answer; see `RotatingServer.ts`. How often it was
 * needed is the number of logins that a server without it would have cost.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { bundleProgram } from "../support/BundledProgram.ts"
import { openRotatingServer, rotatingHome, type RotatingServer } from "../support/RotatingServer.ts"
import { query } from "../support/Services.ts"

/** More than one round repeats what was done, with another timing. */
const ROUNDS = Number(process.env["CREDSVC_SWEEP_ROUNDS"] ?? 1)
const LANES = 2
const CALLS = ["fsync", "fdatasync", "pwrite64", "ftruncate", "unlink", "rename"]

type Point =
  | { readonly call: string; readonly nth: number }
  | { readonly server: "before" | "after" }
  | { readonly millis: number }

interface Ended {
  readonly token: string | undefined
  readonly killed: boolean
  readonly said: string
}

const canTrace = process.platform === "linux" &&
  childProcess.spawnSync("strace", ["-f", "-o", "/dev/null", "-e", "inject=sync:signal=SIGKILL:when=1", "true"], {
      stdio: "ignore"
    }).status === 0
if (!canTrace) console.warn("strace cannot be used here: the sweep kills at random times instead")

let directory: string
let victim: string

beforeAll(async () => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-sweep-")))
  victim = await bundleProgram(path.join(import.meta.dirname, "refreshVictim.ts"), directory)
})

afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

/** A home with one connection, and a way to run processes on it, each two hours after the one before. */
class Lane {
  readonly home: string
  readonly server: RotatingServer
  #hours = 0
  #child: childProcess.ChildProcess | undefined
  #atServer: "before" | "after" | undefined

  constructor(home: string, server: RotatingServer) {
    this.home = home
    this.server = server
    rotatingHome(home, server)
    const token = server.token
    server.site.answer("/token", (request) => {
      if (this.#atServer === "before") this.#child?.kill("SIGKILL")
      const reply = token(request)
      if (this.#atServer === "after") this.#child?.kill("SIGKILL")
      return reply
    })
  }

  /** Runs the victim, to its end or to the point. */
  run(point?: Point, args: ReadonlyArray<string> = []): Promise<Ended> {
    const inject = point !== undefined && "call" in point
      ? ["-e", `trace=${point.call}`, "-e", `inject=${point.call}:signal=SIGKILL:when=${point.nth}`, "-o", "/dev/null"]
      : undefined
    const child = this.#start(inject, args)
    this.#atServer = point !== undefined && "server" in point ? point.server : undefined
    const timer = point !== undefined && "millis" in point
      ? setTimeout(() => child.kill("SIGKILL"), point.millis)
      : undefined
    return new Promise((resolve, reject) => {
      let said = ""
      child.stdout?.on("data", (chunk: Buffer) => said += chunk.toString())
      child.stderr?.on("data", (chunk: Buffer) => said += chunk.toString())
      child.once("error", reject)
      child.once("close", (code) => {
        clearTimeout(timer)
        const token = /^(canary-at-\S+)\n/.exec(said)?.[1]
        // strace ends as the process that it ran: by the signal, or with 128 and its number.
        resolve({ token, killed: code === null || code === 137, said })
      })
    })
  }

  /** Every durable system call that the victim makes between its start and its end. */
  async calls(): Promise<ReadonlyArray<Point>> {
    const file = path.join(directory, "calls.txt")
    const child = this.#start(["-e", `trace=${CALLS.join(",")}`, "-o", file], [])
    await new Promise((resolve) => child.once("close", resolve))
    const lines = fs.readFileSync(file, "utf8").split("\n")
    return CALLS.flatMap((call) => {
      const count = lines.filter((line) => new RegExp(`^\\d+ +${call}\\(`).test(line)).length
      return Array.from({ length: count }, (_, index) => ({ call, nth: index + 1 }))
    })
  }

  // Not with --seccomp-bpf: it counts the calls, and delivers no signal.
  #start(trace: ReadonlyArray<string> | undefined, args: ReadonlyArray<string>): childProcess.ChildProcess {
    this.#hours += 2
    const command = [process.execPath, victim, this.home, String(this.#hours), ...args]
    const [file = "", ...rest] = trace === undefined ? command : ["strace", "-f", ...trace, ...command]
    this.#child = childProcess.spawn(file, rest, {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: directory,
      // Written by the processes that store the connection, which nobody kills, and only read from then on.
      env: { ...process.env, NODE_COMPILE_CACHE: path.join(directory, "compiled") }
    })
    return this.#child
  }

  generation(): number {
    return Number(query(this.home, "SELECT generation FROM connections")[0]?.["generation"])
  }

  /** Refreshes of which nobody knows how they ended. */
  unfinished(): number {
    return query(this.home, "SELECT record_id FROM token_refreshes").length
  }

  /** Whether the answer of the last refresh is in the database: then nothing older may be sent any more. */
  settle(before: number): void {
    if (this.generation() > before && this.unfinished() === 0) this.server.stored()
  }
}

/** Where nothing better is to be had: times that cover a start and a refresh. */
const someTimes = (): ReadonlyArray<Point> => Array.from({ length: 75 }, () => ({ millis: 40 + Math.random() * 200 }))

/**
 * Kills at every point of which this lane has the turn, and after every third of them at a point far from it. The result is at
 * how many of them the process died: not quite at all, as not every commit writes as many pages.
 */
const sweep = async (lane: Lane, points: ReadonlyArray<Point>, turn: number): Promise<number> => {
  const step = async (point: Point | undefined, what: string): Promise<boolean> => {
    const before = lane.generation()
    const { killed, said, token } = await lane.run(point)
    lane.settle(before)
    if (token === undefined) assert.isTrue(point !== undefined && killed, `${what}: ${said}`)
    else {
      assert.isTrue(lane.server.accepts(token), `${what}: the API does not take the token`)
      assert.strictEqual(lane.unfinished(), 0, what)
    }
    assert.strictEqual(lane.server.counts.replays + lane.server.counts.unknown, 0, what)
    return killed
  }
  let hit = 0
  for (const [index, point] of points.entries()) {
    if (index % LANES !== turn) continue
    let kills = `killed at ${JSON.stringify(point)}`
    if (await step(point, kills)) hit++
    if (index % 3 === 0) {
      const next = points[(index + Math.floor(points.length / 2)) % points.length]!
      kills += `, then at ${JSON.stringify(next)}`
      await step(next, kills)
    }
    await step(undefined, `${kills}, then left alone`)
  }
  return hit
}

describe("kill -9 during a refresh with rotation", () => {
  it("loses no grant and sends no refresh token whose successor is stored", async () => {
    const servers: Array<RotatingServer> = []
    try {
      const lanes = await Promise.all(Array.from({ length: LANES }, async (_, index) => {
        const server = await openRotatingServer()
        servers.push(server)
        const lane = new Lane(path.join(directory, `home-${index}`), server)
        const seeded = await lane.run(undefined, [JSON.stringify(server.grant())])
        assert.strictEqual(seeded.said, "")
        return lane
      }))
      const once: ReadonlyArray<Point> = canTrace
        ? [...await lanes[0]!.calls(), { server: "before" }, { server: "after" }]
        : someTimes()
      assert.isAbove(once.length, 10)
      const points = Array.from({ length: ROUNDS }, () => once).flat()
      const hits = await Promise.all(lanes.map((lane, turn) => sweep(lane, points, turn)))
      const hit = hits.reduce((sum, count) => sum + count, 0)
      const total = (count: keyof RotatingServer["counts"]) =>
        servers.reduce((sum, { counts }) => sum + counts[count], 0)
      console.log(
        `killed at ${hit} of ${points.length} points: ${total("rotations")} rotations,`,
        `${total("graces")} lost answers tried again, ${total("replays")} replays, ${total("unknown")} lost grants`
      )
      if (canTrace) assert.isAtLeast(hit, points.length * 0.8)
      assert.isAtLeast(total("rotations"), points.length)
    } finally {
      await Promise.all(servers.map(({ close }) => close()))
    }
  }, 600_000)
})
