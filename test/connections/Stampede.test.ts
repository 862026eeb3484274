import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { bundleProgram } from "../support/BundledProgram.ts"
import { openRotatingServer, rotatingHome } from "../support/RotatingServer.ts"

const PROCESSES = 4
const EACH = 50

let directory: string
let victim: string
let worker: string

beforeAll(async () => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-stampede-")))
  const bundle = (name: string) =>
    bundleProgram(path.join(import.meta.dirname, `${name}.ts`), path.join(directory, name))
  victim = await bundle("refreshVictim")
  worker = await bundle("stampedeWorker")
})
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const start = (program: string, args: ReadonlyArray<string>) => {
  const child = childProcess.spawn(process.execPath, [program, ...args], {
    stdio: ["pipe", "pipe", "pipe"]
  })
  let said = ""
  let failure = ""
  child.stderr.on("data", (chunk: Buffer) => failure += chunk.toString())
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("ready\n")) resolve()
    })
    child.once("close", () => reject(new Error(failure)))
  })
  const ended = new Promise<string>((resolve, reject) => {
    child.once("close", (code) => code === 0 ? resolve(said.replace("ready\n", "")) : reject(new Error(failure)))
  })
  ready.catch(() => {})
  return { child, ready, ended }
}

describe("An expired token", () => {
  // Each process takes the others' writes for manipulation of the store, and stops. The test counts the requests at the
  // server.
  it(
    `is refreshed once, even by ${PROCESSES} daemons that bypass the home lock with ${EACH} concurrent requests each`,
    async () => {
      const home = path.join(directory, "home")
      const server = await openRotatingServer()
      try {
        rotatingHome(home, server)
        await start(victim, [home, "0", JSON.stringify(server.grant())]).ended
        const workers = Array.from({ length: PROCESSES }, () => start(worker, [home, "2", String(EACH)]))
        await Promise.all(workers.map(({ ready }) => ready))
        const { token } = server
        server.answer("/token", async (request) => {
          // The response is delayed until the other processes need a token too.
          await new Promise((resolve) => setTimeout(resolve, 500))
          return token(request)
        })
        for (const { child } of workers) child.stdin.end("go\n")
        const answers = (await Promise.all(workers.map(({ ended }) => ended)))
          .flatMap((said) => JSON.parse(said) as ReadonlyArray<string>)
        assert.lengthOf(answers, PROCESSES * EACH)
        assert.lengthOf(server.at("/token"), 1)
        const tokens = new Set(answers.filter((answer) => !answer.endsWith("Error")))
        assert.deepStrictEqual([...tokens], ["canary-at-1-1"])
        const afterwards = await start(victim, [home, "2"]).ended
        assert.strictEqual(afterwards, "canary-at-1-1\n")
        assert.isTrue(server.accepts("canary-at-1-1"))
      } finally {
        await server.close()
      }
    }
  )
})
