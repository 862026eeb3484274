import { spawnSync } from "node:child_process"
import { describe, expect, it, onTestFinished } from "vitest"
import * as ProcFs from "../../../src/platform/process/ProcFs.ts"

describe.runIf(process.platform === "linux")("ProcFs", () => {
  it("reads group, session and terminal of a process with any name", () => {
    const [group, session, foreground] = spawnSync("ps", ["-o", "pgid=,sid=,tpgid=", "-p", String(process.pid)])
      .stdout.toString().trim().split(/\s+/).map(Number)
    const before = ProcFs.stat(process.pid)
    expect(before).toMatchObject({ group, session, foreground })
    const { title } = process
    onTestFinished(() => void (process.title = title))
    process.title = "a) Z 1 2 (b) 3"
    expect(ProcFs.stat(process.pid)).toEqual({ ...before, state: expect.any(String) })
  })

  it("returns undefined for a process that does not exist", () => {
    const { pid } = spawnSync("true")
    expect(ProcFs.stat(pid)).toBeUndefined()
  })
})
