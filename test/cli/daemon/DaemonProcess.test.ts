import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { findDaemon } from "../../../src/cli/daemon/DaemonProcess.ts"
import { type HomePaths, pathsOf } from "../../../src/config/Paths.ts"
import { effect } from "../../support/Fixture.ts"
import { entry } from "../../support/Sandbox.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { openWorkplace } from "../../support/Transcript.ts"

const newHome = Effect.map(temporaryDirectory, (home) => {
  const paths = pathsOf(home)
  fs.mkdirSync(paths.server)
  return paths
})

const writeState = (paths: HomePaths, pid: number, startedAt: string) =>
  fs.writeFileSync(
    paths.daemonState,
    JSON.stringify({ pid, port: 1, host: "127.0.0.1", started_at: startedAt, version: "0", instance: "x" })
  )

describe("DaemonProcess", () => {
  effect("does not mistake another process for the daemon, whatever the state file says", function*() {
    const paths = yield* newHome
    const responds = () => Effect.succeed(false)
    const now = DateTime.formatIso(yield* DateTime.now)
    const sleeper = yield* Effect.acquireRelease(
      Effect.sync(() => spawn("sleep", ["60"], { stdio: "ignore" })),
      (child) => Effect.sync(() => child.kill())
    )
    for (const pid of [1, 0, -1, process.pid, sleeper.pid!, 2 ** 30]) {
      writeState(paths, pid, now)
      assert.isTrue(Option.isNone(yield* findDaemon(paths, responds)), `pid ${pid}`)
    }
    assert.isNull(sleeper.exitCode)
    fs.rmSync(paths.daemonState)
    assert.isTrue(Option.isNone(yield* findDaemon(paths, responds)))
  })

  it.live("reports a failure for a daemon that died right after it was ready", () =>
    Effect.promise(async () => {
      const workplace = await openWorkplace({ daemon: false })
      try {
        const root = path.dirname(path.dirname(entry))
        const copy = path.join(workplace.directory, "package")
        fs.cpSync(path.join(root, "dist"), path.join(copy, "dist"), { recursive: true })
        fs.copyFileSync(path.join(root, "package.json"), path.join(copy, "package.json"))
        fs.writeFileSync(
          path.join(copy, "dist", "serve.js"),
          "process.send({ ready: true, url: 'http://127.0.0.1:1' }, () => process.kill(process.pid, 'SIGKILL'))"
        )
        const { exitCode, stderr, stdout } = await workplace.sh("node package/dist/credsvc.js daemon start --port 0")
        assert.deepStrictEqual([exitCode, stdout], [9, ""])
        assert.include(stderr, "The daemon exited right after its start. Its log is ")
      } finally {
        await workplace.close()
      }
    }))
})
