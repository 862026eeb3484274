import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, describe, it } from "vitest"
import * as ProcFs from "../../../src/platform/process/ProcFs.ts"
import { onTerminal } from "../../support/Terminal.ts"
import { useWorkplace } from "../../support/Transcript.ts"
import { until } from "../../support/Until.ts"

const workplace = useWorkplace()
const reports: Array<net.Socket> = []
afterAll(() => reports.forEach((socket) => socket.write("end")))

const script = (name: string, text: string): void => fs.writeFileSync(path.join(workplace.directory, name), text)

/** The output as recorded by script(1). */
const pidOfRun = (): number => Number(fs.readFileSync(path.join(workplace.directory, "pid"), "utf8"))

/**
 * A command that reports its proxy and its signals on a socket, which outlives its terminal, and obeys instructions.
 */
const reporting = (port: number): string =>
  `const net = require("node:net")
const socket = net.connect(${port}, "127.0.0.1")
const say = (text) => socket.write(text + "\\n")
const proxy = Number(new URL(process.env.HTTPS_PROXY).port)
process.stdin.on("error", () => {}).resume()
if (process.argv.includes("deaf")) process.on("SIGHUP", () => say("hung up"))
socket.on("data", (asked) => {
  // The last two may arrive at the same time.
  if (String(asked).endsWith("end")) process.exit(0)
  const tried = net.connect(proxy, "127.0.0.1").on("error", (error) => say(error.code))
  tried.on("connect", () => tried.destroy() && say("proxy there"))
})
say("proxy " + proxy)
`

/** Writes such a command, and returns a function that waits for its connection. */
const reportingCommand = async (name: string) => {
  const server = net.createServer()
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const connection = new Promise<net.Socket>((resolve) => void server.once("connection", resolve))
  script(name, reporting((server.address() as net.AddressInfo).port))
  return async () => {
    const socket = await connection
    server.close()
    socket.on("error", () => {})
    reports.push(socket)
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
    const line = async () => String((await lines.next()).value)
    const proxy = Number((await line()).replace("proxy ", ""))
    return { proxy, line, tell: (what: "try" | "end") => void socket.write(what) }
  }
}

/** Resolves when the run on this port has ended. */
const over = (port: number): Promise<void> =>
  new Promise((resolve) => {
    // A reset or a refused connection also means the end.
    net.connect(port, "127.0.0.1").on("error", () => {}).on("close", () => resolve()).resume()
  })

const onLinux = it.runIf(process.platform === "linux")

describe("run on a terminal", () => {
  it("leaves Ctrl-C and Ctrl-\\ to the terminal, so that the command gets each signal once", async () => {
    script(
      "count.cjs",
      "let n = 0; const name = process.argv[2]; setInterval(() => {}, 1000);" +
        "process.on(name, () => { n++; setTimeout(() => { console.log(name + 's ' + n); process.exit(5) }, 200) });" +
        "console.log('ready')"
    )
    for (const [name, keys] of [["SIGINT", "\u0003"], ["SIGQUIT", "\u001c"]] as const) {
      const terminal = onTerminal(workplace, `exec credsvc run -- node count.cjs ${name}`)
      await terminal.reply(/ready/, keys)
      const { exitCode, shown } = await terminal.ended
      assert.include(shown, `${name}s 1`)
      assert.strictEqual(exitCode, 5)
    }
  })

  onLinux("forwards Ctrl-C to a command in its own process group, which the terminal does not signal", async () => {
    const terminal = onTerminal(
      workplace,
      "exec credsvc run --quiet -- timeout 100 sh -c 'echo started; exec sleep 100'"
    )
    await terminal.reply(/started/, "\u0003")
    assert.strictEqual((await terminal.ended).exitCode, 130)
  })

  it("forwards a SIGINT from a program that has started the run with a pipe as stdout", async () => {
    script(
      "stoppable.cjs",
      "setInterval(() => {}, 1000); process.on('SIGINT', () => process.exit(6)); console.log('ready')"
    )
    script(
      "program.cjs",
      "const run = require('node:child_process').spawn('credsvc', ['run', '--quiet', '--', 'node', 'stoppable.cjs']," +
        "{ stdio: ['ignore', 'pipe', 'ignore'] });" +
        "run.stdout.once('data', () => run.kill('SIGINT')); run.on('close', (code) => console.log('code ' + code))"
    )
    assert.include((await onTerminal(workplace, "exec node program.cjs").ended).shown, "code 6")
  })

  onLinux("leaves Ctrl-C to the terminal even if the shell has redirected all streams", async () => {
    script("away.sh", "set -m; credsvc run --quiet -- node away.cjs < /dev/null > away 2>&1; echo code $?; cat away")
    script(
      "away.cjs",
      "let n = 0; setInterval(() => {}, 1000);" +
        "process.on('SIGINT', () => { n++; setTimeout(() => { console.log('SIGINTs ' + n); process.exit(5) }, 200) });" +
        "require('node:fs').writeFileSync('/dev/tty', 'ready')"
    )
    const terminal = onTerminal(workplace, "exec bash away.sh")
    await terminal.reply(/ready/, "\u0003")
    assert.match((await terminal.ended).shown, /code 5[^]*SIGINTs 1/)
  })

  it("forwards a SIGINT from outside the terminal to a background job", async () => {
    script("wait.cjs", "setInterval(() => {}, 1000); process.on('SIGINT', () => process.exit(6)); console.log('ready')")
    script("background.sh", "set -m; credsvc run --quiet -- node wait.cjs & read; kill -INT $!; wait $!; echo code $?")
    const terminal = onTerminal(workplace, "bash background.sh")
    await terminal.reply(/ready/, "\r")
    assert.include((await terminal.ended).shown, "code 6")
  })

  it("on Ctrl-C, ends the script or loop that contains the command", async () => {
    script(
      "loop.sh",
      "for each in 1 2; do credsvc run --quiet -- sh -c 'echo started; exec sleep 100'; done; echo after"
    )
    const terminal = onTerminal(workplace, "exec bash loop.sh")
    await terminal.reply(/started/, "\u0003")
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(shown.match(/started/g)?.length, 1, shown)
    assert.notInclude(shown, "after")
    assert.strictEqual(exitCode, 130)
  })

  onLinux("returns to the shell prompt when the command stops itself, and resumes with it", async () => {
    script(
      "jobs.sh",
      "set -m; credsvc run --quiet -- sh -c 'kill -STOP $$; echo went on; exit 7'; echo stopped $?; fg; echo ended $?"
    )
    const { shown } = await onTerminal(workplace, "bash jobs.sh").ended
    assert.match(shown, /stopped 148[^]*went on[^]*ended 7/)
  })

  onLinux("stays in the background when the command stops itself, and resumes it on SIGCONT", async () => {
    const isStopped = "grep -qs '^State:.T' /proc/$(cat stopped)/status"
    script(
      "behind.sh",
      "set -m; credsvc run --quiet -- sh -c 'echo $$ > stopped; kill -STOP $$; exit 7' & run=$!;" +
        // Gives it time to stop, which must not happen: a shell would see that as a change of the job.
        `(until ${isStopped}; do :; done; sleep 0.5; kill -CONT $run) & wait $run; echo code $?`
    )
    assert.include((await onTerminal(workplace, "exec bash behind.sh").ended).shown, "code 7")
  })

  onLinux(
    "signals the whole job when its terminal is closed, as a shell does, because not every command forwards the signal",
    async () => {
      const command = await reportingCommand("inner.cjs")
      // Gemini CLI does this.
      script(
        "outer.cjs",
        "process.on('SIGHUP', () => console.log('outer told')); process.stdin.pause();" +
          "require('node:child_process').spawn('node', ['inner.cjs'], { stdio: 'inherit' }).on('exit', () => process.exit())"
      )
      const terminal = onTerminal(workplace, "echo $$ > pid; exec credsvc run -- node outer.cjs")
      const { line, proxy, tell } = await command()
      process.kill(pidOfRun(), "SIGHUP")
      await terminal.until(/outer told/)
      tell("try")
      assert.strictEqual(await line(), "proxy there")
      process.kill(terminal.pid, "SIGKILL")
      await over(proxy)
    }
  )

  it("outlives its terminal while its command ignores the hangup, and ends with the command", async () => {
    const command = await reportingCommand("deaf.cjs")
    const terminal = onTerminal(workplace, "echo $$ > pid; exec credsvc run -- node deaf.cjs deaf")
    const { line, proxy, tell } = await command()
    process.kill(terminal.pid, "SIGKILL")
    assert.strictEqual(await line(), "hung up")
    tell("try")
    assert.strictEqual(await line(), "proxy there")
    process.kill(pidOfRun(), "SIGHUP")
    assert.strictEqual(await line(), "hung up")
    tell("end")
    await over(proxy)
  })

  onLinux("signals a command in its own process group when its terminal is closed", async () => {
    const command = await reportingCommand("apart.cjs")
    const terminal = onTerminal(workplace, "exec credsvc run -- timeout 100 node apart.cjs deaf")
    const { line, proxy, tell } = await command()
    process.kill(terminal.pid, "SIGKILL")
    assert.strictEqual(await line(), "hung up")
    tell("end")
    await over(proxy)
  })

  onLinux("sends a hangup to the command only, unless it leads the session", async () => {
    const command = await reportingCommand("led.cjs")
    script(
      "leader.cjs",
      "process.on('SIGHUP', () => require('node:fs').writeFileSync('told', ''));" +
        "require('node:child_process').spawn('node', ['led.cjs'], { stdio: 'inherit' }).on('exit', () => process.exit())"
    )
    // A shell that ignores the hangup of its terminal and does not forward it.
    const shell = "trap '' HUP; credsvc run -- sh -c 'echo $PPID > pid; exec node leader.cjs'; true"
    const terminal = onTerminal(workplace, shell)
    const { line, proxy, tell } = await command()
    const shellPid = ProcFs.stat(pidOfRun())!.session
    process.kill(terminal.pid, "SIGKILL")
    await until(() => ProcFs.stat(shellPid)!.foreground === ProcFs.noTerminal)
    process.kill(pidOfRun(), "SIGHUP")
    await until(() => fs.existsSync(path.join(workplace.directory, "told")))
    tell("try")
    assert.strictEqual(await line(), "proxy there")
    tell("end")
    await over(proxy)
  })
})
