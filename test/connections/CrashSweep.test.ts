/**
 * Kills a process at one chosen point while it refreshes a rotating token. The processes that follow on the same home
 * must find it healthy and get a token that the upstream accepts, without a login and without sending a refresh token
 * whose successor was stored. Every point is hit in a process that starts on a healthy home, and every third also in
 * one that recovers from a kill at another point. The process after that runs undisturbed and must succeed.
 *
 * The points are every durable system call of a start and a refresh (`strace` kills on its entry), and at the server
 * the arrival of the request, before and after the rotation.
 *
 * The server grants a grace period, without which no client survives a lost response; see `RotatingServer.ts`. The
 * number of times it was needed is the number of logins that a server without it would have cost.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { bundleProgram } from "../support/BundledProgram.ts"
import { assumeRoleHome, issuingHome, openAssumeRoleServer, openIssuingServer } from "../support/IssuingServer.ts"
import { openRotatingServer, rotatingHome, type RotatingServer } from "../support/RotatingServer.ts"
import { random } from "../support/Seed.ts"
import { contentOf, query } from "../support/Services.ts"
import { canTrace } from "../support/SystemCallFaults.ts"

/** More than one round repeats the sweep with different timing. */
const ROUNDS = Number(process.env["CREDSVC_SWEEP_ROUNDS"] ?? 1)
const LANES = 2
/** The requests of a role differ from those of other stored grants only in their form, so the suite takes a share. */
const ROLE_SHARE = process.env["CREDSVC_SWEEP_ROUNDS"] === undefined ? 6 : 1
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

if (!canTrace) console.warn("strace is unavailable: the sweep kills at random times instead")

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
    const token = server.token
    server.answer(server.tokenPath, (request) => {
      if (this.#atServer === "before") this.#child?.kill("SIGKILL")
      const reply = token(request)
      if (this.#atServer === "after") this.#child?.kill("SIGKILL")
      return reply
    })
  }

  /** Runs the victim to its end or to the point. */
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
        // strace exits like the traced process: by the signal, or with 128 plus its number.
        resolve({ token, killed: code === null || code === 137, said })
      })
    })
  }

  /** Every durable system call of the victim from start to end. */
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

  // Without --seccomp-bpf, which counts the calls but delivers no signal.
  #start(trace: ReadonlyArray<string> | undefined, args: ReadonlyArray<string>): childProcess.ChildProcess {
    this.#hours += 2
    const command = [process.execPath, victim, this.home, String(this.#hours), ...args]
    const [file = "", ...rest] = trace === undefined ? command : ["strace", "-f", ...trace, ...command]
    this.#child = childProcess.spawn(file, rest, {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: directory,
      // Written by the processes that store the connection, which are not killed, and only read afterwards.
      env: { ...process.env, NODE_COMPILE_CACHE: path.join(directory, "compiled") }
    })
    return this.#child
  }

  generation(): number {
    return Number(query(this.home, "SELECT generation FROM connections")[0]?.["generation"])
  }

  /** Number of refreshes with an unknown outcome. */
  unfinished(): number {
    return query(this.home, "SELECT record_id FROM token_refreshes").length
  }

  /** Checks whether the response of the last refresh is in the database: if so, no older token may be sent. */
  settle(before: number): void {
    if (this.generation() > before && this.unfinished() === 0) this.server.stored()
  }
}

/** Random times that cover a start and a refresh, for systems without strace. */
const someTimes = (): ReadonlyArray<Point> => Array.from({ length: 75 }, () => ({ millis: 40 + random() * 200 }))

/**
 * Kills at every point of this lane's share, and after every third of them at a distant point. Returns the number of
 * points at which the process died: slightly fewer than all, because commits differ in the number of pages they write.
 */
const sweep = async (lane: Lane, points: ReadonlyArray<Point>, turn: number): Promise<number> => {
  const step = async (point: Point | undefined, what: string): Promise<boolean> => {
    const before = lane.generation()
    const { killed, said, token } = await lane.run(point)
    lane.settle(before)
    if (token === undefined) assert.isTrue(point !== undefined && killed, `${what}: ${said}`)
    else {
      assert.isTrue(lane.server.accepts(token), `${what}: the upstream does not accept the token`)
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

const sweepAll = async (
  open: () => Promise<RotatingServer>,
  prepare: (home: string, server: RotatingServer) => void,
  share = 1
) => {
  const sweepHome = fs.mkdtempSync(path.join(directory, "homes-"))
  const servers: Array<RotatingServer> = []
  try {
    const lanes = await Promise.all(Array.from({ length: LANES }, async (_, index) => {
      const server = await open()
      servers.push(server)
      const home = path.join(sweepHome, String(index))
      prepare(home, server)
      const lane = new Lane(home, server)
      const seeded = await lane.run(undefined, [JSON.stringify(server.grant())])
      assert.strictEqual(seeded.said, "")
      return lane
    }))
    const calls: ReadonlyArray<Point> = canTrace ? await lanes[0]!.calls() : someTimes()
    const once: ReadonlyArray<Point> = [
      ...calls.filter((_, index) => index % share === 0),
      { server: "before" },
      { server: "after" }
    ]
    assert.isAbove(once.length, 10)
    const points = Array.from({ length: ROUNDS }, () => once).flat()
    const hits = await Promise.all(lanes.map((lane, turn) => sweep(lane, points, turn)))
    const hit = hits.reduce((sum, count) => sum + count, 0)
    const total = (count: keyof RotatingServer["counts"]) => servers.reduce((sum, { counts }) => sum + counts[count], 0)
    console.log(
      `killed at ${hit} of ${points.length} points: ${total("rotations")} rotations,`,
      `${total("graces")} lost answers tried again, ${total("replays")} replays, ${total("unknown")} lost grants`
    )
    if (canTrace) assert.isAtLeast(hit, points.length * 0.8)
    assert.isAtLeast(total("rotations"), points.length)
    for (const { home, server } of lanes) {
      // Each stored token has exactly one entry in the audit log, written in the same transaction.
      const [{ refreshes, stored } = {}] = query(
        home,
        "SELECT (SELECT count(*) FROM audit WHERE event = 'refresh' AND status = 'ok') AS refreshes, " +
          "(SELECT generation - 1 FROM connections) AS stored"
      )
      assert.strictEqual(refreshes, stored)
      const content = contentOf(home)
      for (const canary of [server.secret, "canary-at"]) assert.isFalse(content.includes(canary), canary)
    }
  } finally {
    await Promise.all(servers.map(({ close }) => close()))
  }
}

describe("kill -9 during a refresh with rotation", () => {
  it(
    "loses no grant and sends no refresh token whose successor is stored",
    () => sweepAll(openRotatingServer, rotatingHome),
    600_000
  )
})

describe("kill -9 during the token request of a stored grant", () => {
  it(
    "loses neither the stored values nor a token that was used",
    () => sweepAll(openIssuingServer, issuingHome),
    600_000
  )
})

describe("kill -9 during the request for the keys of a role", () => {
  it(
    "loses neither the stored keys of the user nor a session that was used",
    () => sweepAll(openAssumeRoleServer, assumeRoleHome, ROLE_SHARE),
    600_000
  )
})
