import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it, onTestFinished } from "vitest"
import { over } from "../../support/Processes.ts"
import { entry } from "../../support/Sandbox.ts"
import { openWorkplace } from "../../support/Transcript.ts"

describe("daemon serve --reload", () => {
  it("restarts the daemon on the same port when a provider file changes, and stops it on SIGTERM", async () => {
    const workplace = await openWorkplace({ daemon: false })
    onTestFinished(() => workplace.close())
    const child = spawn(process.execPath, [entry, "daemon", "serve", "--port", "0", "--reload"], {
      env: workplace.env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    workplace.track(child)
    const urls = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const url = (await urls.next()).value
    const before = JSON.parse(fs.readFileSync(path.join(workplace.home, "server", "daemon.json"), "utf8"))
    fs.mkdirSync(path.join(workplace.home, "providers"), { recursive: true })
    fs.writeFileSync(path.join(workplace.home, "providers", "x.json"), "{}")
    assert.strictEqual((await urls.next()).value, url)
    const after = JSON.parse(fs.readFileSync(path.join(workplace.home, "server", "daemon.json"), "utf8"))
    assert.strictEqual(after.port, before.port)
    assert.notStrictEqual(after.instance, before.instance)

    const ended = new Promise((resolve) => child.on("exit", resolve))
    child.kill("SIGTERM")
    await ended
    await over(after.pid)
  })
})
