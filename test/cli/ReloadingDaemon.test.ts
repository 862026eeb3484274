import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { entry } from "../support/Sandbox.ts"
import { openWorkplace } from "../support/Transcript.ts"

describe("daemon serve --reload", () => {
  it("starts anew on the same port when a provider file changes, and ends with its daemon", async () => {
    const workplace = await openWorkplace({ daemon: false })
    try {
      const child = spawn(process.execPath, [entry, "daemon", "serve", "--port", "0", "--reload"], {
        env: workplace.env,
        stdio: ["ignore", "pipe", "pipe"]
      })
      workplace.track(child)
      const urls: Array<string> = []
      const next = () =>
        new Promise<string>((resolve) =>
          child.stdout.once("data", (chunk) => {
            urls.push(String(chunk))
            resolve(String(chunk))
          })
        )
      await next()
      const before = JSON.parse(fs.readFileSync(path.join(workplace.home, "server", "daemon.json"), "utf8"))
      const again = next()
      fs.mkdirSync(path.join(workplace.home, "providers"), { recursive: true })
      fs.writeFileSync(path.join(workplace.home, "providers", "x.json"), "{}")
      await again
      const after = JSON.parse(fs.readFileSync(path.join(workplace.home, "server", "daemon.json"), "utf8"))
      assert.strictEqual(urls[1], urls[0])
      assert.strictEqual(after.port, before.port)
      assert.notStrictEqual(after.instance, before.instance)

      const ended = new Promise((resolve) => child.on("exit", resolve))
      child.kill("SIGTERM")
      await ended
      assert.throws(() => process.kill(after.pid, 0))
    } finally {
      workplace.close()
    }
  })
})
