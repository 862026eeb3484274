import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const module = fileURLToPath(new URL("../../../src/platform/process/UserUmask.ts", import.meta.url))

/** Does what bin.ts does at startup: records the user's umask and sets its own. */
const start = (aside: string) =>
  spawnSync(process.execPath, [
    "--input-type=module",
    "-e",
    `process.umask(0o027)
     ${aside}process.umask(0o077)
     const { withUserUmask } = await import(${JSON.stringify(module)})
     const { execFileSync } = await import("node:child_process")
     const child = withUserUmask(() => execFileSync("sh", ["-c", "umask"]).toString().trim())
     let thrown = false
     try { withUserUmask(() => { throw new Error("no") }) } catch { thrown = true }
     console.log(child, process.umask().toString(8), thrown)`
  ], { encoding: "utf8" })

describe("withUserUmask", () => {
  it("starts a program with the user's umask, and restores the umask of this process", () => {
    const { stderr, stdout } = start("globalThis[Symbol.for('credsvc/umask')] = ")
    assert.strictEqual(stdout, "0027 77 true\n", stderr)
  })

  it("does not change the umask if the user's umask is unknown", () => {
    const { stderr, stdout } = start("")
    assert.strictEqual(stdout, "0077 77 true\n", stderr)
  })
})
