import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { useWorkplace } from "../../support/Transcript.ts"

const workplace = useWorkplace()

const file = (name: string) => path.join(workplace.directory, name)
const line = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \| DEBUG {4}\| credsvc\.[a-z-]+:[a-z]+:[1-9]\d* - \[\d+\] .+$/

describe("ClientLog", () => {
  it("writes requests and results in the format of loguru to the home of credsvc, readable only by the owner", async () => {
    await workplace.sh("umask 0; credsvc whoami")
    const log = path.join(workplace.home, "client", "logs", "credsvc.log")
    assert.strictEqual(fs.statSync(log).mode & 0o777, 0o600)
    const lines = fs.readFileSync(log, "utf8").trimEnd().split("\n")
    for (const each of lines) assert.match(each, line)
    assert.isTrue(lines.some((each) => /credsvc\.whoami:send:\d+ - \[\d+\] GET \/whoami: 200 in \d+ ms$/.test(each)))
    const { stdout } = await workplace.sh("credsvc log --raw -n 2")
    assert.deepStrictEqual(stdout.trimEnd().split("\n").length, 2)
  })

  it("names the error of a command that failed", async () => {
    await workplace.sh("credsvc get openai --log-file failed.log")
    assert.match(fs.readFileSync(file("failed.log"), "utf8"), /ended: ConnectionNotFoundError\n$/)
  })

  it("writes to the path of --log-file, and nowhere if it is empty", async () => {
    await workplace.sh("credsvc whoami --log-file other.log")
    assert.match(fs.readFileSync(file("other.log"), "utf8"), /GET \/whoami: 200/)
    const size = () => fs.statSync(path.join(workplace.home, "client", "logs", "credsvc.log")).size
    const before = size()
    await workplace.sh("credsvc whoami --log-file ''")
    assert.strictEqual(size(), before)
  })

  it("also writes to stderr with --verbose", async () => {
    const { stderr, stdout } = await workplace.sh("credsvc whoami --verbose --json")
    assert.match(stderr, /DEBUG .* GET \/whoami: 200/)
    assert.strictEqual(JSON.parse(stdout).home, workplace.home)
  })

  it("follows no symbolic link, and the command continues if it cannot write the log", async () => {
    fs.writeFileSync(file("target"), "")
    fs.symlinkSync(file("target"), file("link.log"))
    const outcome = await workplace.sh("credsvc whoami --log-file link.log")
    assert.strictEqual(outcome.exitCode, 0)
    assert.match(outcome.stderr, /^warning: The log file .*link\.log cannot be written\.\n$/)
    assert.strictEqual(fs.readFileSync(file("target"), "utf8"), "")
  })

  it("rotates at ten megabytes and keeps five files", async () => {
    for (let round = 0; round < 6; round++) {
      fs.writeFileSync(file("big.log"), `${round}\n`, { flag: "a" })
      fs.truncateSync(file("big.log"), 10 * 1024 * 1024)
      await workplace.sh("credsvc whoami --log-file big.log")
    }
    const logs = fs.readdirSync(workplace.directory).filter((name) => name.startsWith("big.log")).toSorted()
    assert.deepStrictEqual(logs, ["big.log", "big.log.1", "big.log.2", "big.log.3", "big.log.4"])
    assert.isBelow(fs.statSync(file("big.log")).size, 10_000)
  })
})
