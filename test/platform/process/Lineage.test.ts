import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Lineage, lineageOf } from "../../../src/platform/process/Lineage.ts"
import { identityOf, ownIdentity } from "../../../src/platform/process/ProcessIdentity.ts"
import * as ProcFs from "../../../src/platform/process/ProcFs.ts"
import { testDirectory } from "../../support/TestDirectories.ts"
import { until } from "../../support/Until.ts"

const mark = "CREDSVC_TEST_MARK"
const marked = { variable: mark, isMarker: (argv: ReadonlyArray<string>) => argv.includes("a marking argument") }

describe.runIf(process.platform === "linux")("Lineage", () => {
  let directory: string
  let child: ChildProcess
  let leaf: number

  beforeEach(() => {
    directory = testDirectory()
    fs.writeFileSync(path.join(directory, "leaf.sh"), "echo $$ >pid; exec sleep 60")
  })
  afterEach(() => {
    process.kill(leaf, "SIGKILL")
    child.stdin?.end()
  })

  /** Runs a script that starts `leaf.sh`, and returns the lineage of that process once the condition holds. */
  const lineageIn = async (
    script: string,
    condition: (lineage: Lineage) => boolean = () => true
  ): Promise<Lineage> => {
    child = spawn("sh", ["-c", script], {
      cwd: directory,
      // In a session of its own: the process that adopts orphans may be in the session of the tests.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: process.env["PATH"], [mark]: "outer" }
    })
    const file = path.join(directory, "pid")
    await until(() => fs.existsSync(file) && fs.readFileSync(file, "utf8").endsWith("\n"))
    leaf = Number(fs.readFileSync(file, "utf8"))
    let found: Lineage | undefined
    await until(() => {
      found = lineageOf(leaf, marked)
      return found === undefined || condition(found)
    })
    if (found === undefined) throw new Error("the process has ended")
    return found
  }

  it("has all ancestors and all values of the mark after the process cleared its environment", async () => {
    const bare = "env -i PATH=\"$PATH\""
    const lineage = await lineageIn(`${bare} ${mark}=inner sh -c '${bare} sh leaf.sh; true'; true`)
    assert.isTrue(lineage.ancestors.has(ownIdentity()))
    assert.deepStrictEqual([...lineage.marks].toSorted(), ["inner", "outer"])
    assert.isFalse(lineage.ancestors.has(lineage.identity))
  })

  it("ends at the leader of the session", async () => {
    const lineage = await lineageIn("setsid -w sh -c 'sh leaf.sh; true'")
    assert.notStrictEqual(lineage.pid, lineage.session)
    assert.strictEqual(lineage.top.pid, lineage.session)
  })

  it("ends at the process itself, with the group of the job, once its parent has exited", async () => {
    const lineage = await lineageIn("(sh leaf.sh &); cat", ({ pid, top }) => top.pid === pid)
    assert.isFalse(lineage.ancestors.has(identityOf(child.pid!)))
    assert.deepStrictEqual(lineage.top, {
      pid: lineage.pid,
      group: ProcFs.stat(child.pid!)!.group,
      started: lineage.started
    })
  })

  it("includes the ancestors of the leader of the session", async () => {
    const lost = "setsid -w sh -c '(sh leaf.sh &); cat'; true"
    const lineage = await lineageIn(lost, ({ pid, top }) => top.pid === pid)
    assert.isTrue(lineage.ancestors.has(identityOf(child.pid!)))
  })

  it("lists the ancestors whose command line marks a run, but not the process itself", async () => {
    const lineage = await lineageIn("sh -c 'sh leaf.sh \"a marking argument\"; true' sh 'a marking argument'; true")
    assert.lengthOf([...lineage.markers], 1)
    assert.includeMembers([...lineage.ancestors], [...lineage.markers])
    assert.notInclude([...lineage.markers], lineage.identity)
  })
})
