import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { over } from "../support/Processes.ts"
import { useWorkplace } from "../support/Transcript.ts"
import { until } from "../support/Until.ts"

const workplace = useWorkplace()

const bare = "env -i PATH=\"$PATH\" HOME=\"$HOME\" CREDSVC_HOME=\"$CREDSVC_HOME\" CREDSVC_MASTER_KEY_MODE=local_key"
const inside = (script: string, options = "") => {
  fs.writeFileSync(path.join(workplace.directory, "inside.sh"), script)
  return workplace.sh(`credsvc run --quiet ${options} -- sh inside.sh`)
}

const daemonPid = () => Number(fs.readFileSync(path.join(workplace.home, "server", "daemon.pid"), "utf8"))

describe.runIf(process.platform === "linux")("a command in a run", () => {
  beforeAll(async () => {
    for (const [provider, key] of [["openai", "sk-canary"], ["anthropic", "sk-ant-canary"]]) {
      await workplace.sh(`printf ${key} | credsvc login ${provider} --stdin`)
    }
  })

  it("can neither stop nor restart the daemon, even with a cleared environment", async () => {
    const before = daemonPid()
    for (const command of ["stop", "restart"]) {
      for (const environment of ["", bare]) {
        const refused = await inside(`exec ${environment} credsvc daemon ${command}`)
        assert.deepStrictEqual(refused, {
          stdout: "",
          stderr: `error: The daemon cannot be ${command === "stop" ? "stopped" : "restarted"} from inside a run. ` +
            "Run this command outside of the run.\n",
          exitCode: 4
        })
      }
    }
    assert.strictEqual(daemonPid(), before)
  })

  it("can start a daemon after the previous daemon has died, but not with settings that expose the new daemon", async () => {
    const cases = [
      ["CREDSVC_ALLOW_ANY_PEER=1", "", "CREDSVC_ALLOW_ANY_PEER"],
      ["CREDSVC_SERVER_BASE_URL=https://evil.test", "", "CREDSVC_SERVER_BASE_URL"],
      ["", "--host 0.0.0.0", "--host 0.0.0.0"]
    ] as const
    for (const [settings, options, name] of cases) {
      const before = daemonPid()
      const refused = await inside(
        `kill -KILL ${before}; ${bare} ${settings} credsvc daemon start --port 0 ${options}; ` +
          `test "${options}" != "" || ${bare} ${settings} credsvc list`
      )
      const said = `A daemon that is started inside a run must not use ${name}. Start it outside of the run.`
      assert.strictEqual(refused.stderr.split(said).length, options === "" ? 3 : 2, refused.stderr)
      await over(before)
      assert.strictEqual((await inside(`${bare} credsvc daemon start --port 0`)).exitCode, 0)
      assert.notStrictEqual(daemonPid(), before)
    }
  })

  it("cannot start a daemon that sends telemetry", async () => {
    const receiver = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"
    const refused = await inside(`${receiver} CREDSVC_HOME=$PWD/other credsvc daemon serve --port 0`)
    assert.strictEqual(refused.exitCode, 4)
    assert.include(refused.stderr, "A daemon that is started inside a run must not use OTEL_EXPORTER_OTLP_ENDPOINT.")
  })

  it("keeps the limits of its run when the daemon is restarted", async () => {
    const keys = `sh -c 'echo "$OPENAI_API_KEY|$ANTHROPIC_API_KEY"'`
    fs.rmSync(path.join(workplace.directory, "go"), { force: true })
    const running = inside(
      `touch ready; until [ -e go ]; do sleep 0.1; done; exec ${bare} credsvc run --quiet -- ${keys}`,
      "--provider openai"
    )
    await until(() => fs.existsSync(path.join(workplace.directory, "ready")))
    const restarted = await workplace.sh("credsvc daemon restart")
    assert.strictEqual(restarted.exitCode, 0, restarted.stderr)
    const runs = async () =>
      (await fetch(`${restarted.stdout.trim()}/runs`).then((response) => response.json()) as any).runs
    await until(async () => (await runs()).length > 0)
    fs.writeFileSync(path.join(workplace.directory, "go"), "")
    assert.match((await running).stdout, /^\S+\|\n$/)
    await until(async () => (await runs()).length === 0)
  })
})
