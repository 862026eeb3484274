import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { canContain, openContainedSandbox } from "../../support/ContainedSandbox.ts"
import { demoHost, entry, inShell, openSandbox, type Sandbox } from "../../support/Sandbox.ts"
import { shared } from "../../support/Shared.ts"
import { until } from "../../support/Until.ts"

const credsvc = `${process.execPath} ${entry}`
const allowed = `GET ${demoHost}/v1/whoami`

const curl = (target: string, ...options: ReadonlyArray<string>) =>
  `curl -sS -w '%{http_code}\n' ${options.join(" ")} 'https://${demoHost}${target}'`

/** A command behind `credsvc run`, and what it has printed. */
const outputOf = (child: ChildProcess) => {
  let text = ""
  child.stdout!.on("data", (chunk) => text += String(chunk))
  child.stderr!.on("data", (chunk) => text += String(chunk))
  const ended = new Promise<string>((resolve) => child.on("close", () => resolve(text)))
  return { ended, sofar: () => text }
}

interface Waiting {
  readonly id: string
  readonly run: string
  readonly method: string
  readonly path: string
  readonly rules: ReadonlyArray<string>
  readonly policies: ReadonlyArray<string>
}

const waitingIn = async (sandbox: Sandbox): Promise<ReadonlyArray<Waiting>> => {
  const response = await fetch(`${sandbox.daemonUrl()}/runs/questions`)
  return (await response.json() as { readonly questions: ReadonlyArray<Waiting> }).questions
}

/** Waits until as many requests wait for the user. */
const untilWaiting = async (sandbox: Sandbox, count: number): Promise<ReadonlyArray<Waiting>> => {
  let questions: ReadonlyArray<Waiting> = []
  await until(async () => {
    questions = await waitingIn(sandbox)
    return questions.length === count
  }, () => questions)
  return questions
}

describe("run --ask", () => {
  const sandbox = shared(() => openSandbox())
  let daemon: string
  beforeAll(async () => {
    daemon = sandbox.daemonUrl()
    await sandbox.credsvc(["policy", "set", "reading", "--allow", allowed])
  })

  const start = (options: ReadonlyArray<string>, script: string) =>
    outputOf(sandbox.spawn(["run", "--ask", ...options, "--", "sh", "-c", script]))

  it("holds a request until the user allows it once, for the run, or always with its policy", async () => {
    const remove = curl("/v1/files/1", "-X", "DELETE", "-o", "/dev/null")
    const run = start(
      ["--policy", "reading"],
      `${remove}; ${remove}; ${remove}; ${curl("/v1/other", "-o", "/dev/null")}`
    )
    const [first] = await untilWaiting(sandbox, 1)
    assert.deepInclude(first, { method: "DELETE", path: "/v1/files/1", policies: ["reading"] })
    assert.deepStrictEqual(first!.rules, [`DELETE ${demoHost}/v1/files/1`])
    assert.include(run.sofar(), `waits for you. Answer with: credsvc approve ${first!.id}`)
    assert.include((await sandbox.credsvc([])).stdout, "  credsvc approve  # answer 1 waiting request\n")
    await sandbox.must(["approve", first!.id])
    const [second] = await untilWaiting(sandbox, 1)
    assert.notStrictEqual(second!.id, first!.id)
    await sandbox.credsvc(["approve", second!.id, "--for", "run"])
    const [other] = await untilWaiting(sandbox, 1)
    assert.strictEqual(other!.path, "/v1/other")
    await sandbox.credsvc(["approve", other!.id, "--for", "always"])
    assert.deepStrictEqual((await run.ended).match(/^\d{3}$/gm), ["200", "200", "200", "200"])
    const { allow } = JSON.parse((await sandbox.credsvc(["policy", "show", "reading"])).stdout)
    assert.deepStrictEqual(allow, [allowed, `GET ${demoHost}/v1/other`])
    assert.strictEqual((await sandbox.credsvc(["approve", first!.id])).code, 4)
  })

  it("can be answered on the dashboard, which shows the request and stops live updates while the request waits", async () => {
    const page = () => fetch(`${daemon}/ui/approvals`).then((response) => response.text())
    assert.match(await page(), /id="questions"[^>]* data-live/)
    const run = start(["--read-only"], curl("/v1/%3Cb%3E", "-X", "POST", "-o", "/dev/null"))
    const [{ id } = assert.fail()] = await untilWaiting(sandbox, 1)
    const html = await page()
    assert.include(html, `POST ${demoHost}/v1/%3Cb%3E`)
    assert.notMatch(html, /id="questions"[^>]* data-live/)
    assert.notInclude(html, "Always allow")
    assert.include(await (await fetch(`${daemon}/ui/`)).text(), ">1 request waits for you<")
    const send = (origin: string) =>
      fetch(`${daemon}/ui/approvals/${id}`, {
        method: "POST",
        redirect: "manual",
        headers: { origin },
        body: new URLSearchParams({ answer: "once" })
      })
    assert.strictEqual((await send("http://evil.example")).status, 403)
    assert.lengthOf(await waitingIn(sandbox), 1)
    assert.strictEqual((await send(daemon)).status, 303)
    assert.match(await run.ended, /^200$/m)
  })

  /** Every way in which a program in the run could answer, by the id of the question. */
  const attempts = (): ReadonlyArray<string> => {
    const bare = "env -i PATH=\"$PATH\" HOME=\"$HOME\" CREDSVC_HOME=\"$CREDSVC_HOME\""
    const post = `curl -sS --noproxy '*' -H 'content-type: application/json' -d '{"answer":"once"}' ` +
      `${daemon}/runs/questions/$id/answer`
    const form = `curl -sS --noproxy '*' -L -H 'origin: ${daemon}' -d answer=run ${daemon}/ui/approvals/$id`
    return [
      `${credsvc} approve $id`,
      `${credsvc} deny $id`,
      `${bare} ${credsvc} approve $id --for run`,
      `${credsvc} api runs answer --id $id --answer once`,
      `${credsvc} run -- ${credsvc} approve $id`,
      post,
      `${bare} ${post}`,
      `setsid ${post}`,
      `sh -c '(cd ${sandbox.directory}; sleep 1; ${
        post.replaceAll("'", "'\\''")
      } > orphan.txt 2>&1; echo done >> orphan.txt) &'; ` +
      `until grep -q done orphan.txt 2>/dev/null; do sleep 0.1; done; cat orphan.txt`,
      form
    ]
  }

  it("accepts no answer from a program in the run, by command, by HTTP or through the dashboard", async () => {
    const script = [
      `${curl("/v1/secret", "-X", "DELETE", "-o", "/dev/null")} &`,
      `until id=$(${credsvc} approve --json | grep -o '"id": "[0-9a-f]*' | cut -d'"' -f4) && [ -n "$id" ]; do sleep 0.1; done`,
      "export id",
      ...attempts().map((attempt, at) => `echo "attempt ${at}"; ${attempt} 2>&1`),
      "echo finished; wait"
    ].join("\n")
    const file = path.join(sandbox.directory, "attack.sh")
    fs.writeFileSync(file, script)
    const run = start(["--allow", allowed], `sh ${file}`)
    await until(() => run.sofar().includes("finished"), run.sofar)
    const parts = run.sofar().split("finished")[0]!.split(/attempt \d+\n/).slice(1)
    assert.lengthOf(parts, attempts().length)
    for (const [at, part] of parts.entries()) assert.include(part, "cannot answer for the user", attempts()[at])
    const [question = assert.fail()] = await waitingIn(sandbox)
    assert.strictEqual(question.path, "/v1/secret")
    const events = JSON.parse((await sandbox.credsvc(["log", "--json", "-n", "200"])).stdout) as ReadonlyArray<{
      readonly event: string
      readonly status: string
      readonly connection: string
    }>
    const denied = events.filter(({ connection, status }) => connection === question.run && status === "denied")
    assert.lengthOf(denied, parts.length)
    await sandbox.credsvc(["deny", question.id])
    assert.match(await run.ended, /^403$/m)
  })

  it("does not show its requests to a program in another run", async () => {
    const upgrade = "-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13'"
    const webSocket = ["--http1.1", upgrade, "-H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='", "-o", "/dev/null"]
    const run = start(["--allow", allowed], curl("/v1/of-the-first-run", ...webSocket))
    const [question] = await untilWaiting(sandbox, 1)
    const page = `curl -sS --noproxy '*' ${daemon}/ui/approvals`
    const { code, stdout } = await sandbox.credsvc(inShell(
      `${credsvc} approve --json; ${page}; curl -sS --noproxy '*' ${daemon}/runs/questions`
    ))
    assert.strictEqual(code, 0)
    assert.include(stdout, "No request waits for your approval.")
    assert.notInclude(stdout, "of-the-first-run")
    const { stderr } = await sandbox.credsvc(["deny", question!.id])
    assert.include(stderr, `: GET ${demoHost}/v1/of-the-first-run (WebSocket)\n`)
    await run.ended
  })
})

describe.skipIf(!canContain)("run --contain --ask", () => {
  const sandbox = shared(() => openContainedSandbox())

  it("asks the user, and its command cannot reach the daemon to answer the question itself", async () => {
    const child = sandbox.spawn(
      inShell(
        `'${sandbox.seen.node}' '${sandbox.seen.entry}' approve; ${curl("/v1/other", "-o", "/dev/null")}`,
        "--contain",
        "--ask",
        "--allow",
        allowed
      ),
      { cwd: sandbox.work }
    )
    const run = outputOf(child)
    const [question] = await untilWaiting(sandbox, 1)
    await sandbox.credsvc(["approve", question!.id])
    const text = await run.ended
    assert.match(text, /^200$/m)
    assert.match(text, /error: .*contained/, text)
  })
})
