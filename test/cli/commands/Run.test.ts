import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, beforeAll, describe, it } from "vitest"
import { entry } from "../../support/Sandbox.ts"
import { useWorkplace } from "../../support/Transcript.ts"
import { until } from "../../support/Until.ts"

const workplace = useWorkplace()

const exitCode = async (command: string) => (await workplace.sh(command)).exitCode

/** Runs a command behind the proxy in a child process. */
const start = (script: string) => started([entry, "run", "--quiet", "--", process.execPath, "-e", script])

const started = (
  args: ReadonlyArray<string>,
  { program = process.execPath, ...options }: { readonly program?: string; readonly detached?: boolean } = {}
) => {
  const child = spawn(program, args, {
    cwd: workplace.directory,
    env: workplace.env,
    stdio: ["pipe", "pipe", "pipe"],
    ...options
  })
  workplace.track(child)
  let stdout = ""
  let stderr = ""
  child.stderr.on("data", (chunk) => stderr += String(chunk))
  child.stdout.on("data", (chunk) => stdout += String(chunk))
  const printed = (line: string) => until(() => stdout.includes(`${line}\n`))
  const ended = new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((
    resolve
  ) => child.on("close", (code) => resolve({ code, stdout, stderr })))
  return { child, printed, ended }
}

const onLinux = it.runIf(process.platform === "linux")

describe("run", () => {
  it("exits with the command's exit code", async () => {
    for (const code of [1, 255]) {
      assert.strictEqual(await exitCode(`credsvc run -- sh -c 'exit ${code}'`), code)
    }
  })

  it("exits with 128 plus the signal's number when a signal ended the command", async () => {
    for (const [name, number] of Object.entries({ TERM: 15, KILL: 9 })) {
      assert.strictEqual(await exitCode(`credsvc run -- sh -c 'kill -${name} $$'`), 128 + number, name)
    }
  })

  it("exits with 130, and not by a signal, when a SIGINT from outside the terminal ended the command", async () => {
    const { ended } = started([entry, "run", "--quiet", "--", "sh", "-c", "kill -INT $$"])
    assert.strictEqual((await ended).code, 130)
  })

  it("exits with 127 for a command that is not found and 126 for one that cannot be executed", async () => {
    fs.writeFileSync(path.join(workplace.directory, "plain"), "text", { mode: 0o644 })
    const missing = await workplace.sh("credsvc run --quiet -- no-such-command")
    assert.deepStrictEqual(missing, {
      stdout: "",
      stderr: "credsvc: no-such-command: command not found\n",
      exitCode: 127
    })
    assert.strictEqual(await exitCode("credsvc run -- ./plain"), 126)
    assert.strictEqual(await exitCode("credsvc run -- /etc"), 126)
  })

  it("forwards TERM, HUP, QUIT, USR1 and USR2, and INT if there is no terminal, and opens no debugger on USR1", async () => {
    const names = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGINT"] as const
    const { child, ended, printed } = start(
      `for (const name of ${JSON.stringify(names)}) process.on(name, () => {
        console.log(name)
        if (name === "SIGINT") process.exit(42)
      })
      setInterval(() => {}, 1000)
      console.log("ready")`
    )
    await printed("ready")
    for (const name of names) {
      child.kill(name)
      await printed(name)
    }
    const { code, stderr, stdout } = await ended
    assert.deepStrictEqual([code, stdout], [42, `ready\n${names.join("\n")}\n`])
    assert.notInclude(stderr, "Debugger listening")
  })

  it("sends a hangup from outside the terminal to the command only, even as session leader", async () => {
    fs.writeFileSync(
      path.join(workplace.directory, "asked.cjs"),
      "let told = false; process.on('SIGHUP', () => { told = true });" +
        // A signal would have arrived before this.
        "process.on('message', () => setImmediate(() => setImmediate(() => process.send(told)))); process.send('ready')"
    )
    const command = "const asked = require('node:child_process').fork('./asked.cjs');" +
      "process.on('SIGHUP', () => asked.send('told?'));" +
      "asked.on('message', (said) => { console.log(said); if (said !== 'ready') process.exit() })"
    const { child, ended, printed } = started(
      [entry, "run", "--quiet", "--", process.execPath, "-e", command],
      { detached: true }
    )
    await printed("ready")
    child.kill("SIGHUP")
    assert.strictEqual((await ended).stdout, "ready\nfalse\n")
  })

  it.runIf(process.platform === "linux" && process.getuid?.() === 0)(
    "continues if it may not signal the command, which runs as another user, as with sudo",
    async () => {
      const other = ["setpriv", "--reuid=65534", "--clear-groups", "sh", "-c", "echo ready; read line; exit 5"]
      const { child, ended, printed } = started(
        ["--bounding-set=-kill", process.execPath, entry, "run", "--quiet", "--", ...other],
        { program: "setpriv" }
      )
      await printed("ready")
      child.kill("SIGTERM")
      child.kill("SIGUSR2")
      child.stdin.end("\n")
      assert.strictEqual((await ended).code, 5)
    }
  )

  onLinux("keeps its own memory out of core files, but not the memory of the command", async () => {
    const filter = "coredump_filter"
    // The command starts a moment before `run` has restored its own filter.
    const script = `cat /proc/self/${filter}; until grep -qx 00000000 /proc/$PPID/${filter}; do :; done; echo withheld`
    const { stdout } = await workplace.sh(`credsvc run --quiet -- sh -c '${script}'`)
    assert.strictEqual(stdout, `${fs.readFileSync(`/proc/self/${filter}`, "latin1")}withheld\n`)
  })

  it("leaves stdin and stdout to the command, and prints its own messages on stderr", async () => {
    const outcome = await workplace.sh("printf 'one\\ntwo' | credsvc run -- cat")
    assert.strictEqual(outcome.stdout, "one\ntwo")
    assert.include(outcome.stderr, "No connections yet")
  })

  it("passes every argument unchanged", async () => {
    const args = ["--json", "-v", "--", "--help", "a b", "$HOME", "", "-n5"]
    const quoted = args.map((each) => `'${each}'`).join(" ")
    const print = "console.log(JSON.stringify(process.argv.slice(1)))"
    for (const marker of ["--", ""]) {
      const outcome = await workplace.sh(`credsvc run ${marker} '${process.execPath}' -e '${print}' -- ${quoted}`)
      assert.deepStrictEqual(JSON.parse(outcome.stdout), args, outcome.stderr)
    }
  })

  it("stops the proxy and removes its files at the end", async () => {
    const outcome = await workplace.sh("credsvc run -- sh -c 'echo $HTTPS_PROXY; echo $SSL_CERT_FILE'")
    const [proxy = "", bundle = ""] = outcome.stdout.split("\n")
    assert.isFalse(fs.existsSync(path.dirname(bundle)))
    const refused = await new Promise((resolve) =>
      net.connect(Number(new URL(proxy).port), "127.0.0.1").on("connect", () => resolve(false))
        .on("error", () => resolve(true))
    )
    assert.isTrue(refused)
  })

  it("runs the command with the user's umask", async () => {
    assert.strictEqual((await workplace.sh("umask 027; credsvc run --quiet -- sh -c umask")).stdout, "0027\n")
  })

  onLinux("reports why it cannot create a home directory for Chromium, before the command runs", async () => {
    const home = path.join(workplace.directory, "plain-home")
    fs.writeFileSync(home, "")
    const refused = await workplace.sh("credsvc run --quiet --hook chromium -- touch ran", { HOME: home })
    assert.deepStrictEqual(refused, {
      stdout: "",
      stderr:
        `error: --hook: cannot list the files in ${home} (ENOTDIR), which chromium needs in its separate home directory: set HOME to another directory\n`,
      exitCode: 2
    })
    assert.isFalse(fs.existsSync(path.join(workplace.directory, "ran")))
  })

  it("rejects unknown providers and connections before the command runs", async () => {
    assert.strictEqual(await exitCode("credsvc run --provider nope -- touch ran"), 4)
    assert.strictEqual(await exitCode("credsvc run --connection openai=nope -- touch ran"), 3)
    assert.strictEqual(await exitCode("credsvc run --connection openai -- touch ran"), 2)
    assert.strictEqual(await exitCode("credsvc run --connection openai=a --connection openai=b -- touch ran"), 2)
    assert.strictEqual(
      (await workplace.sh("credsvc run -- touch ran", { CREDSVC_DAEMON_URL: "http://127.0.0.1:1" })).exitCode,
      9
    )
    assert.isFalse(fs.existsSync(path.join(workplace.directory, "ran")))
  })

  it("warns once about placeholders in requests to a host without a provider, and records the first placeholder", async () => {
    const curl = "curl -s -o one http://nowhere.invalid/?q=credsvc-proxy-managed"
    const { exitCode, stderr } = await workplace.sh(`credsvc run --quiet -- sh -c '${curl}; ${curl}'`)
    assert.strictEqual(exitCode, 0)
    const [, run = ""] = /log requests --run ([0-9a-f]{10})\n$/.exec(stderr) ?? []
    assert.strictEqual(
      stderr,
      "warning: A placeholder was in the query of a request to nowhere.invalid, which belongs to none of the available providers. " +
        `The program is configured incorrectly, or tries to send the credential elsewhere. See: credsvc log requests --run ${run}\n`
    )
    const shown = await workplace.sh(`credsvc log requests --run ${run}`)
    assert.match(shown.stdout, /placeholder in query +0 +0 +GET nowhere\.invalid\n$/)
    const log = JSON.parse((await workplace.sh(`credsvc log --json --run ${run}`)).stdout)
    assert.deepInclude(log[0], { kind: "placeholder", misplaced: { kind: "unmatched", place: "query" } })
    assert.strictEqual(log.length, 1)
    const [line] = /.*placeholder-misplaced.*/.exec(
      fs.readFileSync(path.join(workplace.env["CREDSVC_HOME"]!, "server", "logs", "daemon.log"), "utf8")
    ) ?? []
    assert.match(line ?? "", RegExp(`WARNING placeholder-misplaced run=${run} kind=unmatched place=query$`))
  })

  it("gets no more credentials with --strict after it has sent a placeholder to a host without a provider", async () => {
    const curl = "curl -s -o one http://nowhere.invalid/?q=credsvc-proxy-managed"
    const runs = "until credsvc runs | grep frozen; do :; done"
    const { exitCode, stderr, stdout } = await workplace.sh(`credsvc run --quiet --strict -- sh -c '${curl}; ${runs}'`)
    assert.strictEqual(exitCode, 0)
    const [, run = ""] = /log requests --run ([0-9a-f]{10}),/.exec(stderr) ?? []
    assert.include(
      stderr,
      "credsvc: This run gets no more credentials, because a request had a misplaced placeholder (--strict). " +
        `Find the request with credsvc log requests --run ${run}, then start the command again with credsvc run.\n`
    )
    assert.match(stdout, RegExp(`^${run} .* frozen\n$`))
  })

  it("rejects invalid rules, and rules for hosts whose requests the proxy cannot read", async () => {
    const refused = async (options: string) => {
      const { exitCode, stderr } = await workplace.sh(`credsvc run ${options} -- touch ran`)
      assert.isFalse(fs.existsSync(path.join(workplace.directory, "ran")))
      return [exitCode, stderr]
    }
    assert.deepStrictEqual(await refused("--allow 'GET https://api.github.com/'"), [
      2,
      "error: --allow: \"GET https://api.github.com/\" must not have a scheme: write the host without https://\n"
    ])
    assert.deepStrictEqual(await refused("--deny 'GET other.example/x'"), [
      2,
      "error: --deny: \"GET other.example/x\" names a host that belongs to no provider, so rules cannot check requests to it. " +
      "Deny the whole host, or use --unmatched deny\n"
    ])
    assert.deepStrictEqual(await refused("--rules missing.json"), [2, "error: --rules: missing.json does not exist\n"])
    fs.writeFileSync(path.join(workplace.directory, "wrong.json"), JSON.stringify({ allow: ["GET"], more: 1 }))
    const [code, stderr] = await refused("--rules wrong.json")
    assert.strictEqual(code, 2)
    assert.include(stderr, "wrong.json at /allow/0: needs a host, as in GET api.example.com/v1/**")
    assert.include(stderr, "wrong.json at /more: is an unknown field")
    assert.strictEqual((await refused("--expires 5s"))[0], 2)
    assert.strictEqual((await refused("--max-uses 0"))[0], 2)
    for (const count of ["0", "1.5", "2000g"]) {
      assert.include((await refused(`--max-tokens ${count}`))[1], "a number of tokens such as 50000, 200k or 1.5m")
    }
  })

  it("registers the rules of its options and of the file that they name, but of no other file", async () => {
    const rules = { $schema: "rules.schema.json", allow: ["GET api.github.com/**"], deny: ["other.example"] }
    fs.writeFileSync(path.join(workplace.directory, "credsvc.rules.json"), JSON.stringify(rules))
    const daemon = JSON.parse((await workplace.sh("credsvc daemon status")).stdout).url
    const registered = async (options: string) => {
      const { stderr, stdout } = await workplace.sh(
        `credsvc run --quiet ${options} -- curl -s --noproxy '*' ${daemon}/runs`
      )
      assert.isNotEmpty(stdout, stderr)
      return JSON.parse(stdout).runs[0]
    }
    assert.deepInclude(await registered(""), { rules: [], max_uses: null, expires_at: null })
    const run = await registered(
      "--rules credsvc.rules.json --allow 'get,post API.OPENAI.COM/v1/' --read-only --max-tokens 1.5k --max-uses 3 --expires 1m"
    )
    assert.deepStrictEqual(run.rules, [{
      allow: ["GET api.github.com", "GET,POST api.openai.com/v1"],
      deny: ["other.example"],
      readonly: true,
      max_tokens: 1500
    }])
    assert.strictEqual(run.max_uses, 3)
    assert.approximately(Date.parse(run.expires_at) - Date.parse(run.started_at), 60_000, 20_000)
  })

  it("warns about a provider without a connection if its routes depend on the connection", async () => {
    const { exitCode, stderr } = await workplace.sh("credsvc run --provider npm -- true")
    assert.strictEqual(exitCode, 0, stderr)
    assert.include(stderr, "npm has no connection. Create one with: credsvc login npm")
  })

  describe("run inside another run", () => {
    const bare = "env -i PATH=\"$PATH\" HOME=\"$HOME\" CREDSVC_HOME=\"$CREDSVC_HOME\" CREDSVC_MASTER_KEY_MODE=local_key"
    const keys = `sh -c 'echo "$OPENAI_API_KEY|$ANTHROPIC_API_KEY"'`
    const placeholders = /^\S+\|\S+\n$/
    let daemon: string
    const within = (outer: string, inner: string) => workplace.sh(`credsvc run --quiet ${outer} -- ${inner}`)

    beforeAll(async () => {
      const logins = [["openai", "sk-canary"], ["openai --connection work", "sk-canary"], [
        "anthropic",
        "sk-ant-canary"
      ]] as const
      for (const [login, key] of logins) {
        const outcome = await workplace.sh(`printf ${key} | credsvc login ${login} --stdin`)
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      }
      await workplace.sh("credsvc profile create other")
      daemon = JSON.parse((await workplace.sh("credsvc daemon status")).stdout).url
    })

    it("obeys the outer run's limits, even with a cleared environment", async () => {
      assert.match((await workplace.sh(`credsvc run --quiet -- ${keys}`)).stdout, placeholders)
      assert.match((await within("", `${bare} credsvc run --quiet -- ${keys}`)).stdout, placeholders)
      const limited = await within("--provider openai", `${bare} credsvc run --quiet -- ${keys}`)
      assert.match(limited.stdout, /^\S+\|\n$/)
      const further = `${bare} credsvc run --quiet -- ${bare} credsvc run --quiet -- ${keys}`
      assert.match((await within("--provider openai", further)).stdout, /^\S+\|\n$/)
      const denied = `${bare} credsvc run --quiet -- curl -s -o /dev/null -w '%{http_connect}' https://other.test`
      assert.strictEqual((await within("--unmatched deny", denied)).stdout, "403")
      const chosen = `${bare} credsvc run --quiet -- curl -s --noproxy '*' ${daemon}/runs`
      const { runs } = JSON.parse((await within("--connection openai=work", chosen)).stdout)
      assert.deepStrictEqual(runs.map(({ connections }: any) => connections), [{ openai: "work" }, { openai: "work" }])
    })

    it("names the variable of a misplaced placeholder, and says how to start a program without this variable", async () => {
      const curl = `sh -c 'curl -s -o one http://nowhere.invalid/ -H "X-Key: $OPENAI_API_KEY"'`
      const { stderr } = await workplace.sh(`credsvc run --quiet -- ${curl}`)
      assert.include(
        stderr,
        "If the program has a login of its own, start it without the placeholder in OPENAI_API_KEY: " +
          "env -u OPENAI_API_KEY <command>. See: credsvc log requests"
      )
    })

    onLinux("obeys the outer run's limits if no variable and no parent process reveals the outer run", async () => {
      fs.writeFileSync(
        path.join(workplace.directory, "lost.sh"),
        `sleep 0.2; ${bare} credsvc run --quiet -- ${keys} >part; mv part lost\n`
      )
      const outcome = await workplace.sh(
        `setsid -w credsvc run --quiet --provider openai -- ${bare} sh -c '(sh lost.sh &); until [ -e lost ]; do sleep 0.1; done; cat lost'`
      )
      assert.match(outcome.stdout, /^\S+\|\n$/, outcome.stderr)
    })

    it("uses the outer run's profile, and rejects any other profile", async () => {
      const profile = `curl -s --noproxy '*' ${daemon}/runs`
      const { runs } = JSON.parse((await within("--profile other", `${bare} credsvc run --quiet -- ${profile}`)).stdout)
      assert.deepStrictEqual(runs.map(({ profile }: any) => profile), ["other", "other"])
      const mine = JSON.parse((await workplace.sh("credsvc whoami --json")).stdout).profile
      const refused = await within("--profile other", `${bare} credsvc run --quiet --profile ${mine} -- echo ran`)
      assert.deepStrictEqual(refused, {
        stdout: "",
        stderr: "error: The outer run uses another profile. Use the same profile with: --profile other\n",
        exitCode: 4
      })
    })

    onLinux("does not start with the daemon of another home, which does not know the outer run", async () => {
      fs.writeFileSync(
        path.join(workplace.directory, "elsewhere.sh"),
        "credsvc daemon start --port 0 && credsvc run -- echo ran\ncredsvc export openai\nkill $(cat elsewhere/server/daemon.pid)"
      )
      const refused = await within("", `${bare} CREDSVC_HOME="$PWD/elsewhere" sh elsewhere.sh`)
      assert.notInclude(refused.stdout, "ran")
      assert.include(refused.stderr, "error: This command is inside a run that the daemon does not know")
      assert.include(refused.stderr, "error: Commands inside credsvc run cannot read credentials")
    })

    it("obeys the outer run's limits if only the environment reveals the outer run", async () => {
      fs.writeFileSync(
        path.join(workplace.directory, "orphan.sh"),
        `credsvc run --quiet -- ${keys} >part; mv part whole\n`
      )
      const outcome = await within(
        "--provider openai",
        "sh -c 'setsid -f sh orphan.sh; until [ -e whole ]; do sleep 0.1; done; cat whole'"
      )
      assert.match(outcome.stdout, /^\S+\|\n$/)
    })

    it("explains requests with the limits of the outer run", async () => {
      const explained = async (outer: string, request: string) => {
        const { stdout } = await within(outer, `credsvc explain --json ${request}`)
        const { connection, outcome, rule } = JSON.parse(stdout)
        return [outcome, connection, rule]
      }
      const models = "https://api.openai.com/v1/models"
      assert.deepStrictEqual(await explained("", `GET ${models}`), ["credential", "default", null])
      assert.deepStrictEqual(await explained("--connection openai=work", `get ${models} --connection openai=default`), [
        "credential",
        "work",
        null
      ])
      assert.deepStrictEqual(await explained("--read-only", `DELETE ${models} --allow 'api.openai.com'`), [
        "refused",
        null,
        null
      ])
      assert.deepStrictEqual(await explained("--provider anthropic", `GET ${models} --provider openai`), [
        "no_credential",
        null,
        null
      ])
    })
  })
})

onLinux("credsvc mcp keeps its memory out of core files", async () => {
  const { child, ended } = started([entry, "mcp"])
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`)
  await once(child.stdout, "data")
  assert.strictEqual(fs.readFileSync(`/proc/${child.pid}/coredump_filter`, "latin1"), "00000000\n")
  child.stdin.end()
  assert.strictEqual((await ended).code, 0)
})

it("the proxy of a sandbox opens no debugger on USR1", async () => {
  await workplace.sh("credsvc sandbox create debugged --provider openai")
  const { child, ended } = started([entry, "proxy", "--sandbox", "debugged"])
  await once(child.stdout, "data")
  child.kill("SIGUSR1")
  await setTimeout(300)
  child.kill("SIGTERM")
  assert.notInclude((await ended).stderr, "Debugger listening")
})
