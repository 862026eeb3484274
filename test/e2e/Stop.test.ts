import { assert, describe, it } from "@effect/vitest"
import { demoHost, entry, openSandbox } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"

const url = `https://${demoHost}/v1/whoami`
const credsvc = `${process.execPath} ${entry}`

describe("credsvc stop", () => {
  const sandbox = shared(() => openSandbox())

  it("ends the command of a run, which gets no more credentials", async () => {
    const script = `trap 'curl -s -o /dev/null -w "%{http_code}" ${url}; exit 7' TERM
curl -s -o /dev/null -w '%{http_code} ' ${url}; echo "$CREDSVC_RUN" >&2; while :; do sleep 0.1; done`
    const child = sandbox.spawn(["run", "--", "sh", "-c", script])
    let stdout = ""
    let stderr = ""
    child.stdout?.on("data", (text) => stdout += text)
    const name = await new Promise<string>((resolve) =>
      child.stderr?.on("data", (text) => {
        stderr += text
        const [found] = /^[0-9a-f]{10}$/m.exec(stderr) ?? []
        if (found !== undefined) resolve(found)
      })
    )
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    const stopped = await sandbox.credsvc(["stop", name])
    assert.deepInclude(stopped, { code: 0, stderr: `Stopped the run ${name}.\n` })
    assert.strictEqual(await ended, 7)
    assert.include(stderr, "credsvc: this run was stopped with credsvc stop")
    assert.strictEqual(stdout, "200 403")
    const unknown = await sandbox.credsvc(["stop", name])
    assert.strictEqual(unknown.code, 4)
    assert.include(unknown.stderr, `Unknown run "${name}"`)
  })

  it("allows a command inside a run to stop only the run that it has started", async () => {
    const script = `${credsvc} run -- sleep 60 & inner=$!
name=; while [ -z "$name" ]; do
  name=$(${credsvc} runs --json | tr -d ' \\n' | grep -o '"name":"[0-9a-f]*"' | cut -d'"' -f4 | grep -v "$CREDSVC_RUN")
done
${credsvc} stop "$CREDSVC_RUN"; echo "own: $?"
${credsvc} stop "$name"; echo "inner: $?"
wait $inner; echo "ended: $?"; curl -s -o /dev/null -w '%{http_code}' ${url}`
    const outcome = await sandbox.credsvc(["run", "--", "bash", "-c", script])
    assert.strictEqual(outcome.stdout, "own: 4\ninner: 0\nended: 143\n200", outcome.stderr)
  })
})
