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
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { openRotatingServer, rotatingHome, type RotatingServer } from "../../support/RotatingServer.ts"
import { contentOf, query } from "../../support/Services.ts"
import { canTrace } from "../../support/SystemCallFaults.ts"
import { suiteDirectory } from "../../support/TestDirectories.ts"
import { bundleVictim, type Point, type Victim } from "../../support/Victim.ts"

/** More than one round repeats the sweep with different timing. */
const ROUNDS = Number(process.env["CREDSVC_SWEEP_ROUNDS"] ?? 1)
const LANES = 2

const directory = suiteDirectory()
const victim = await bundleVictim(path.join(import.meta.dirname, "refreshVictim.ts"), directory)

/** A home with one connection, and a way to run processes on it, each two hours after the one before. */
class Lane {
  readonly home: string
  readonly server: RotatingServer
  readonly #run: ReturnType<Victim["runsAt"]>
  #hours = 0

  constructor(home: string, server: RotatingServer) {
    this.home = home
    this.server = server
    this.#run = victim.runsAt(server)
  }

  async run(point?: Point, ...args: ReadonlyArray<string>) {
    const { killed, said } = await this.#run([...this.#next(), ...args], point)
    return { killed, said, token: /^canary-at-\S+$/m.exec(said)?.[0] }
  }

  points(): Promise<ReadonlyArray<Point>> {
    return victim.points(this.#next())
  }

  #next(): ReadonlyArray<string> {
    this.#hours += 2
    return [this.home, String(this.#hours)]
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

const sweepAll = async () => {
  const sweepHome = fs.mkdtempSync(path.join(directory, "homes-"))
  const servers: Array<RotatingServer> = []
  try {
    const lanes = await Promise.all(Array.from({ length: LANES }, async (_, index) => {
      const server = await openRotatingServer()
      servers.push(server)
      const home = path.join(sweepHome, String(index))
      rotatingHome(home, server)
      const lane = new Lane(home, server)
      const seeded = await lane.run(undefined, JSON.stringify(server.grant()))
      assert.strictEqual(seeded.said, "")
      return lane
    }))
    const once = await lanes[0]!.points()
    if (canTrace) assert.isAbove(once.length, 10)
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
    for (const { home } of lanes) {
      // Each stored token has exactly one entry in the audit log, written in the same transaction.
      const [{ refreshes, stored } = {}] = query(
        home,
        "SELECT (SELECT count(*) FROM audit WHERE event = 'refresh' AND status = 'ok') AS refreshes, " +
          "(SELECT generation - 1 FROM connections) AS stored"
      )
      assert.strictEqual(refreshes, stored)
      const content = contentOf(home)
      for (const canary of ["canary-rt", "canary-at"]) assert.isFalse(content.includes(canary), canary)
    }
  } finally {
    await Promise.all(servers.map(({ close }) => close()))
  }
}

describe("kill -9 during a refresh with rotation", () => {
  it("loses no grant and sends no refresh token whose successor is stored", sweepAll, 600_000)
})
