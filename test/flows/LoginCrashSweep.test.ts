/**
 * Kills a process at one chosen point while it logs in with a refresh token that the server rotates. The next process
 * on the same home must finish the login if the token was sent: otherwise the user would have lost it.
 *
 * The points are those of `CrashSweep.test.ts`: every durable system call, and at the server before and after the
 * rotation.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { bundleProgram } from "../support/BundledProgram.ts"
import { openRotatingServer, rotatingHome, type RotatingServer } from "../support/RotatingServer.ts"
import { canTrace } from "../support/SystemCallFaults.ts"

const LANES = 2
const CALLS = ["fsync", "fdatasync", "pwrite64", "ftruncate", "unlink", "rename"]

type Point = { readonly call: string; readonly nth: number } | { readonly server: "before" | "after" }

interface Ended {
  readonly killed: boolean
  readonly said: string
}

if (!canTrace) console.warn("strace is unavailable: the sweep kills at the server only")

let directory: string
let victim: string

beforeAll(async () => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-login-sweep-")))
  victim = await bundleProgram(path.join(import.meta.dirname, "loginVictim.ts"), directory)
})

afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

/** An empty home that reaches the server, of which each login gets a copy. */
class Lane {
  readonly server: RotatingServer
  readonly #template: string
  #homes = 0
  #child: childProcess.ChildProcess | undefined
  #atServer: "before" | "after" | undefined

  constructor(template: string, server: RotatingServer) {
    this.server = server
    this.#template = template
    rotatingHome(template, server)
    const { token } = server
    server.answer("/token", (request) => {
      if (this.#atServer === "before") this.#child?.kill("SIGKILL")
      const reply = token(request)
      if (this.#atServer === "after") this.#child?.kill("SIGKILL")
      return reply
    })
  }

  prepare = (): Promise<Ended> => this.#run(this.#template, [])

  grant(): string {
    const seed = this.server.grant()
    if (!("refreshToken" in seed)) throw new Error("the server issued no refresh token")
    return seed.refreshToken
  }

  copy(): string {
    const home = `${this.#template}-${this.#homes++}`
    fs.cpSync(this.#template, home, { recursive: true })
    return home
  }

  logIn(home: string, refreshToken: string, point?: Point): Promise<Ended> {
    this.#atServer = point !== undefined && "server" in point ? point.server : undefined
    const inject = point !== undefined && "call" in point
      ? ["-e", `trace=${point.call}`, "-e", `inject=${point.call}:signal=SIGKILL:when=${point.nth}`, "-o", "/dev/null"]
      : undefined
    return this.#run(home, [refreshToken], inject)
  }

  recover(home: string): Promise<Ended> {
    this.#atServer = undefined
    return this.#run(home, [])
  }

  /** Every durable system call of a login from start to end. */
  async calls(): Promise<ReadonlyArray<Point>> {
    const file = path.join(directory, "calls.txt")
    const refreshToken = this.grant()
    await this.#run(this.copy(), [refreshToken], ["-e", `trace=${CALLS.join(",")}`, "-o", file])
    const lines = fs.readFileSync(file, "utf8").split("\n")
    return CALLS.flatMap((call) => {
      const count = lines.filter((line) => new RegExp(`^\\d+ +${call}\\(`).test(line)).length
      return Array.from({ length: count }, (_, index) => ({ call, nth: index + 1 }))
    })
  }

  #run(home: string, args: ReadonlyArray<string>, trace?: ReadonlyArray<string>): Promise<Ended> {
    const command = [process.execPath, victim, home, ...args]
    const [file = "", ...rest] = trace === undefined ? command : ["strace", "-f", ...trace, ...command]
    const child = childProcess.spawn(file, rest, {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: directory,
      env: { ...process.env, NODE_COMPILE_CACHE: path.join(directory, "compiled") }
    })
    this.#child = child
    return new Promise((resolve, reject) => {
      let said = ""
      child.stdout.on("data", (chunk: Buffer) => said += chunk.toString())
      child.stderr.on("data", (chunk: Buffer) => said += chunk.toString())
      child.once("error", reject)
      child.once("close", (code) => resolve({ killed: code === null || code === 137, said: said.trim() }))
    })
  }
}

describe("kill -9 during a login with a refresh token", () => {
  it("loses no token that it has sent, and does not send one again once its successor is stored", async () => {
    const servers: Array<RotatingServer> = []
    const seen = { killed: 0, recovered: 0, neverSent: 0 }
    onTestFinished(async () => void await Promise.all(servers.map(({ close }) => close())))
    const lanes = await Promise.all(Array.from({ length: LANES }, async (_, index) => {
      const server = await openRotatingServer()
      servers.push(server)
      const lane = new Lane(path.join(directory, `home-${index}`), server)
      assert.strictEqual((await lane.prepare()).said, "none")
      return lane
    }))
    const points: ReadonlyArray<Point> = [
      ...(canTrace ? await lanes[0]!.calls() : []),
      { server: "before" },
      { server: "after" }
    ]
    if (canTrace) assert.isAbove(points.length, 10)
    await Promise.all(lanes.map(async (lane, turn) => {
      const { server } = lane
      for (const [index, point] of points.entries()) {
        if (index % LANES !== turn) continue
        const what = `killed at ${JSON.stringify(point)}`
        const home = lane.copy()
        const refreshToken = lane.grant()
        const before = server.counts.rotations
        const first = await lane.logIn(home, refreshToken, point)
        if (first.killed) seen.killed++
        else assert.isTrue(server.accepts(first.said), `${what}: ${first.said}`)
        const { said } = await lane.recover(home)
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
