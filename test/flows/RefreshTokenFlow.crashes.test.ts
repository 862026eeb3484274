/**
 * Kills a process at one chosen point while it logs in with a refresh token that the server rotates. The next process
 * on the same home must finish the login if the token was sent: otherwise the user would have lost it.
 *
 * The points are those of `RefreshRequests.crashes.test.ts`: every durable system call, and at the server before and after the
 * rotation.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { openRotatingServer, rotatingHome, type RotatingServer } from "../support/RotatingServer.ts"
import { canTrace } from "../support/SystemCallFaults.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"
import { bundleVictim } from "../support/Victim.ts"

const LANES = 2

const directory = suiteDirectory()
const victim = await bundleVictim(path.join(import.meta.dirname, "loginVictim.ts"), directory)

/** An empty home that reaches the server, of which each login gets a copy. */
const openLane = async (template: string) => {
  const server = await openRotatingServer()
  rotatingHome(template, server)
  const run = victim.runsAt(server)
  let homes = 0
  return {
    server,
    run,
    prepare: () => run([template]),
    grant: (): string => server.grant().refreshToken,
    copy: (): string => {
      const home = `${template}-${homes++}`
      fs.cpSync(template, home, { recursive: true })
      return home
    }
  }
}

describe("kill -9 during a login with a refresh token", () => {
  it("loses no token that the daemon has sent, and no token is sent again once its successor is stored", async () => {
    const servers: Array<RotatingServer> = []
    const seen = { killed: 0, recovered: 0, neverSent: 0 }
    onTestFinished(async () => void await Promise.all(servers.map(({ close }) => close())))
    const lanes = await Promise.all(Array.from({ length: LANES }, async (_, index) => {
      const lane = await openLane(path.join(directory, `home-${index}`))
      servers.push(lane.server)
      assert.strictEqual((await lane.prepare()).said, "none")
      return lane
    }))
    const points = await victim.points([lanes[0]!.copy(), lanes[0]!.grant()])
    if (canTrace) assert.isAbove(points.length, 10)
    await Promise.all(lanes.map(async (lane, turn) => {
      const { server } = lane
      for (const [index, point] of points.entries()) {
        if (index % LANES !== turn) continue
        const what = `killed at ${JSON.stringify(point)}`
        const home = lane.copy()
        const refreshToken = lane.grant()
        const before = server.counts.rotations
        const first = await lane.run([home, refreshToken], point)
        if (first.killed) seen.killed++
        else assert.isTrue(server.accepts(first.said), `${what}: ${first.said}`)
        const { said } = await lane.run([home])
        if (server.counts.rotations === before) {
          assert.strictEqual(said, "none", what)
          seen.neverSent++
        } else {
          assert.isTrue(server.accepts(said), `${what}: ${said}`)
          seen.recovered++
        }
        assert.strictEqual(server.counts.replays + server.counts.unknown, 0, what)
        fs.rmSync(home, { recursive: true })
      }
    }))
    console.log(
      `killed at ${seen.killed} of ${points.length} points: ${seen.recovered} logins finished, ${seen.neverSent} never sent`
    )
    assert.isAtLeast(seen.killed, points.length * 0.8)
    assert.isAtLeast(seen.recovered, 2)
  }, 600_000)
})
