import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { assert, describe, it } from "vitest"
import { onTerminal } from "../support/Terminal.ts"
import { cutOff, useWorkplace } from "../support/Transcript.ts"
import { until } from "../support/Until.ts"

const workplace = useWorkplace(undefined, async (workplace) => {
  fs.writeFileSync(
    path.join(workplace.directory, "acme.json"),
    JSON.stringify({ name: "acme", auth_type: "api_key", flow: "api_key", api_url: "https://api.acme.test" })
  )
  await workplace.sh("credsvc register acme.json --yes")
})

const key = "k3y-Canary-0123456789"
const stored = async (connection = "default") =>
  (await workplace.sh(`credsvc get acme --connection ${connection} --field api_key --show-secret`)).stdout.trim()
const echoes = "stty -a | grep -q '[^-]echo ' && echo echo-is-on"

describe("the built program on a terminal", () => {
  it("masks the key during a login, and does not reveal its length on the final screen", async () => {
    const terminal = onTerminal(workplace, "credsvc login acme")
    await terminal.reply(/: $/, key.slice(0, 5))
    terminal.type(`x\u007f${key.slice(5)}\r`)
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    assert.notInclude(shown, key)
    assert.notInclude(shown, key.slice(0, 5))
    // Each redraw of the line starts with a carriage return. The last one remains.
    assert.match(stripVTControlCharacters(shown), /\r[^\r\n]*: \*{8}\r?\n/)
    assert.strictEqual(await stored(), key)
  })

  it("leaves no remains of a question that is wider than the terminal when it draws the question again", async () => {
    const terminal = onTerminal(workplace, "credsvc login acme --connection long", { columns: 40 })
    await terminal.reply(/: $/, key.repeat(5))
    await terminal.reply(/\*$/, "\r")
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    // Three rows of asterisks would reveal the length of the key.
    assert.include(shown, `${"*".repeat(key.length * 5)}\u001b[2A\r\u001b[J`)
    assert.match(stripVTControlCharacters(shown), /\r[^\r\n]*: \*{8}\r?\n/)
  })

  it("asks before a logout of the connection named default if another connection is the default", async () => {
    for (const name of ["default", "work"]) {
      await workplace.sh(`printf ${key} | credsvc login acme --stdin --no-check --force --connection ${name}`)
    }
    await workplace.sh("credsvc set-default acme work")
    const kept = onTerminal(workplace, "credsvc logout acme")
    await kept.reply(
      /default connection of acme is "work"\. To use that one, add --connection work[^]*\[y\/N\] /,
      "n\r"
    )
    assert.strictEqual((await kept.ended).exitCode, 2)
    assert.strictEqual(await stored(), key)
    const removed = onTerminal(workplace, "credsvc logout acme")
    await removed.reply(/\[y\/N\] /, "y\r")
    assert.strictEqual((await removed.ended).exitCode, 0)
    assert.strictEqual(await stored("work"), key)
    // A name is no question.
    assert.strictEqual((await onTerminal(workplace, "credsvc logout acme --connection work").ended).exitCode, 0)
    await workplace.sh(`printf ${key} | credsvc login acme --stdin --no-check && credsvc set-default acme default`)
  })

  it("asks again for a value that a login rejects", async () => {
    const terminal = onTerminal(workplace, "credsvc login openai")
    await terminal.reply(/: $/, "wrong\r")
    // The hint is shown with the question, and again after the rejection.
    await terminal.reply(/begins with sk-\.[^]*begins with sk-\.[^]*: $/, "\u0003")
    assert.strictEqual((await terminal.ended).exitCode, 2)
  })

  it("shows where keys are created, and warns when a login cannot check the new key", async () => {
    cutOff(workplace.home)
    const terminal = onTerminal(workplace, "credsvc login openai")
    await terminal.reply(/: $/, "sk-0123456789abcdefghij\r")
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    const text = stripVTControlCharacters(shown)
    assert.match(text, /Create a key at:\r?\n {2}https:\/\/platform\.openai\.com\/api-keys/)
    assert.match(text, /warning: OpenAI could not be reached/)
    assert.include(text, "Logged in to openai")
  })

  it("sends nothing to the provider during login --no-check", async () => {
    const terminal = onTerminal(workplace, "credsvc login openai --force --no-check")
    await terminal.reply(/: $/, "sk-0123456789abcdefghij\r")
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    assert.notInclude(shown, "could not be reached")
    await workplace.sh("credsvc logout openai")
  })

  it("shows a credential command in full, and runs it only after the answer yes", async () => {
    const program = path.join(workplace.directory, "print-key")
    fs.writeFileSync(program, `#!/bin/sh\necho "$1" >> ${program}.ran\necho ${key}\n`, { mode: 0o700 })
    const command = "credsvc login acme --connection c3 --yes --force --flow credential_command -- ./print-key 'a b'"
    for (const [reply, exitCode] of [["\r", 2], ["n\r", 2], ["y\r", 0]] as const) {
      const terminal = onTerminal(workplace, command)
      await terminal.reply(/\[y\/N\] $/, reply)
      const ended = await terminal.ended
      assert.strictEqual(ended.exitCode, exitCode, ended.shown)
      assert.include(stripVTControlCharacters(ended.shown), `  ${program} 'a b'`)
      assert.notInclude(ended.shown, key)
      assert.strictEqual(fs.existsSync(`${program}.ran`), exitCode === 0)
    }
    assert.strictEqual(await stored("c3"), key)
    await workplace.sh("credsvc logout acme --connection c3")
  })

  it("cancels the login on Ctrl-C, exits 2 and restores the echo", async () => {
    const terminal = onTerminal(workplace, `credsvc login acme --connection c1; echo "code $?"; ${echoes}`)
    await terminal.reply(/: $/, "half a secret")
    await terminal.reply(/\*{13}$/, "\u0003")
    const { shown } = await terminal.ended
    assert.match(shown, /error:[^\n]*cancelled/i)
    assert.include(shown, "code 2")
    assert.include(shown, "echo-is-on")
    assert.strictEqual((await workplace.sh("credsvc get acme --connection c1")).exitCode, 3)
  })

  it("restores the echo after a signal during a question", async () => {
    const terminal = onTerminal(
      workplace,
      `sh -c 'echo $$ > pid; exec credsvc login acme --connection c2'; echo "code $?"; ${echoes}`
    )
    await terminal.until(/: $/)
    process.kill(Number(fs.readFileSync(path.join(workplace.directory, "pid"), "utf8")), "SIGTERM")
    const { shown } = await terminal.ended
    assert.include(shown, "code 143")
    assert.include(shown, "echo-is-on")
  })

  it("ignores text that was typed before the question of approve, and text that only begins like an answer", async () => {
    cutOff(workplace.home)
    const waiting = async (count: number): Promise<ReadonlyArray<{ readonly id: string; readonly path: string }>> => {
      for (;;) {
        const { questions } = JSON.parse((await workplace.sh("credsvc approve --json")).stdout)
        if (questions.length === count) return questions
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    await workplace.sh(`printf %s ${key} | credsvc login acme --connection asked --no-check`)
    const posts = ["a", "b"].map((name) => name.repeat(300)).map((path) =>
      `curl -sS -X POST https://api.acme.test/${path}`
    )
    const run = onTerminal(workplace, `credsvc run --ask --read-only -- sh -c '${posts.join(" & ")} & wait'`)
    const [first, second] = await waiting(2)
    const terminal = onTerminal(workplace, "credsvc approve")
    await terminal.reply(/Allow it\? .*: $/, "reject\ro\r")
    await terminal.reply(/letter in brackets\.[^]*Allow it\? .*: $/, "s\ro\r")
    await terminal.reply(/letter in brackets\.[^]*Allow it\? [^]*Allow it\? .*: $/, "n\r")
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    assert.deepStrictEqual((await waiting(1)).map(({ id }) => id), [first!.id])
    assert.match(shown, new RegExp(`Denied for the run \\w+ \\(sh\\):\\s+POST\\s+api\\.acme\\.test${second!.path}`))
    for (const [reply, code] of [["\r", 2], ["y\r", 0]] as const) {
      const named = onTerminal(workplace, `credsvc approve ${first!.id}`)
      await named.reply(/\[y\/N\] $/, reply)
      const ended = await named.ended
      assert.strictEqual(ended.exitCode, code, ended.shown)
      assert.match(
        ended.shown,
        new RegExp(
          `asks to send:\\s+POST\\s+api\\.acme\\.test${first!.path}[^]*ID: ${first!.id}\\s+Program: sh\\s[^]*` +
            "Request: POST to api\\.acme\\.test\\s[^]*Allow it once\\?"
        )
      )
      await waiting(code === 0 ? 0 : 1)
    }
    await run.ended
    await workplace.sh("credsvc logout acme --connection asked")
  })

  it("lists connected and custom providers, and counts the others", async () => {
    const { shown } = await onTerminal(workplace, "credsvc list").ended
    const text = stripVTControlCharacters(shown)
    assert.match(text, /^Providers: \d+ total, 1 connected\r\n/)
    assert.match(text, /\nacme +default \* +connected/)
    assert.match(text, /\n\d+ more providers without connections\. /)
    assert.notInclude(text, "not_connected")
    const all = await onTerminal(workplace, "credsvc list --all").ended
    assert.isAbove(all.shown.split("not_connected").length, 100)
    assert.notInclude(all.shown, "more providers")
    const found = stripVTControlCharacters((await onTerminal(workplace, "credsvc list OpenAI").ended).shown)
    assert.match(found, /\nopenai +- +not_connected/)
  })

  it("wraps messages at the width of the terminal, without breaking words or URLs", async () => {
    const narrow = onTerminal(workplace, "credsvc login openai --no-browser --connection wrapped", { columns: 40 })
    await narrow.reply(/: $/, "\u0003")
    const lines = stripVTControlCharacters((await narrow.ended).shown).split(/\r?\n/).map((line) => line.trimEnd())
    assert.isNotEmpty(lines.filter((line) => /^ *http:\/\/127\.0\.0\.1:\d+\/auth\/sessions\/[\w-]+\/input$/.test(line)))
    for (const line of lines.filter((line) => !line.includes("http://"))) assert.isAtMost(line.length, 40, line)
  })

  it("searches for the provider if a login names none, then asks for the key", async () => {
    const terminal = onTerminal(workplace, "credsvc login --connection found")
    await terminal.reply(/type part of the name[^]*Provider: $/, "a\r")
    await terminal.reply(/type part of the name[^]*type part of the name[^]*Provider: $/, "no such\r")
    await terminal.reply(/No matches[^]*Provider: $/, "acm\r")
    await terminal.reply(/API key: $/i, "found-key\r")
    assert.strictEqual((await terminal.ended).exitCode, 0)
    assert.strictEqual(await stored("found"), "found-key")
  })

  it("offers the closest provider if a login names an unknown one", async () => {
    const terminal = onTerminal(workplace, `credsvc login acmee; echo "code $?"; ${echoes}`)
    await terminal.reply(/Provider "acmee" not found\.[^]*1\. +acme[^]*Provider \[acme\]: $/, "\u0003")
    const { shown } = await terminal.ended
    assert.include(shown, "code 2")
    assert.include(shown, "echo-is-on")
  })

  it("asks for the base URL that a login requires", async () => {
    const definition = {
      name: "tenanted",
      auth_type: "api_key",
      flow: "api_key",
      api_url: "{base_url}/v1",
      hosts: ["{base_url}"],
      api_key: { base_url: "https://{tenant}.tenanted.test" }
    }
    fs.writeFileSync(path.join(workplace.directory, "tenanted.json"), JSON.stringify(definition))
    await workplace.sh("credsvc register tenanted.json --yes")
    const terminal = onTerminal(workplace, "credsvc login tenanted")
    await terminal.reply(
      /account, in the form https:\/\/\{tenant\}\.tenanted\.test\.[^]*URL: $/,
      "https://mine.tenanted.test\r"
    )
    await terminal.reply(/API key: $/i, "a-key\r")
    assert.strictEqual((await terminal.ended).exitCode, 0)
    const { stdout } = await workplace.sh("credsvc get tenanted --field base_url")
    assert.strictEqual(stdout.trim(), "https://mine.tenanted.test")
    await workplace.sh("credsvc remove tenanted --yes")
  })

  it("asks before a login replaces a connection", async () => {
    const refused = onTerminal(workplace, "credsvc login acme")
    await refused.reply(/Replace it\? \[y\/N\] $/, "n\r")
    assert.strictEqual((await refused.ended).exitCode, 2)
    assert.strictEqual(await stored(), key)

    const agreed = onTerminal(workplace, "credsvc login acme")
    await agreed.reply(/Replace it\? \[y\/N\] $/, "y\r")
    await agreed.reply(/api.?key[^\n]*: $/i, "another-key\r")
    assert.strictEqual((await agreed.ended).exitCode, 0)
    assert.strictEqual(await stored(), "another-key")
  })

  it("opens the page of a login in the browser, without a shell or credsvc's secrets, and cancels the login on Ctrl-C", async () => {
    const bin = path.join(workplace.directory, "browser")
    const record = path.join(workplace.directory, "opened")
    fs.mkdirSync(bin)
    fs.writeFileSync(
      path.join(bin, "xdg-open"),
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${record}.new'\nenv >> '${record}.new'\nmv '${record}.new' '${record}'\n`,
      { mode: 0o755 }
    )
    const terminal = onTerminal(workplace, "exec credsvc login acme --connection c3", {
      env: {
        DISPLAY: ":9",
        PATH: `${bin}:${workplace.env["PATH"]}`,
        CREDSVC_MASTER_KEY: Buffer.alloc(32, 1).toString("base64")
      }
    })
    await terminal.until(/Waiting for the page/)
    await until(() => fs.existsSync(record))
    const [count, url = "", ...env] = fs.readFileSync(record, "utf8").split("\n")
    assert.strictEqual(count, "1")
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/auth\/sessions\/[\w-]{43}\/input$/)
    assert.include(terminal.shown(), url)
    assert.isUndefined(env.find((each) => each.startsWith("CREDSVC_")))

    terminal.type("\u0003")
    assert.strictEqual((await terminal.ended).exitCode, 2)
    const session = await fetch(url.replace(/\/input$/, ""))
    assert.include(["cancelled", undefined], ((await session.json()) as { readonly status?: string }).status)
  })

  it("asks before register and remove change a provider", async () => {
    await workplace.sh("sed s/acme/other/ acme.json > other.json")
    const refused = onTerminal(workplace, "credsvc register other.json")
    await refused.reply(/Register provider other\? \[y\/N\] $/, "\r")
    assert.strictEqual((await refused.ended).exitCode, 2)
    const agreed = onTerminal(workplace, "credsvc register other.json")
    await agreed.reply(/\[y\/N\] $/, "yes\r")
    assert.strictEqual((await agreed.ended).exitCode, 0)

    const kept = onTerminal(workplace, "credsvc remove other")
    await kept.reply(/Remove provider other and its connections in every profile\? \[y\/N\] $/, "\u0004")
    assert.strictEqual((await kept.ended).exitCode, 2)
    assert.strictEqual((await onTerminal(workplace, "credsvc remove other --yes").ended).exitCode, 0)
  })

  it("fits every table into forty columns, and wraps long messages instead of cutting them", async () => {
    for (const command of ["list --all", "doctor", "log", "profile list", "scan"]) {
      const { shown } = await onTerminal(workplace, `credsvc ${command}`, { columns: 40 }).ended
      // Paths are not broken, so that they can be copied.
      const lines = stripVTControlCharacters(shown).split(/\r?\n/).filter((line) => line.includes(" "))
      for (const line of lines) assert.isAtMost(line.length, 40, line)
      if (command === "doctor") assert.match(stripVTControlCharacters(shown), /A secret was[^]*removed\./)
    }
  })

  it("prints relative times, and absolute times for programs", async () => {
    assert.match((await onTerminal(workplace, "credsvc log -n 1").ended).shown, /just now|ago/)
    assert.match(
      (await onTerminal(workplace, "credsvc get acme").ended).shown,
      /obtained_at[^\n]*Z \((just now|.* ago)\)/
    )
    assert.notMatch((await workplace.sh("credsvc log; credsvc get acme; credsvc profile list")).stdout, /just now|ago/)
  })

  it("prints colors, unless NO_COLOR or --no-color is set, and elsewhere prints colors only with FORCE_COLOR", async () => {
    const colors = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`)
    assert.match((await onTerminal(workplace, "credsvc list").ended).shown, colors)
    assert.notMatch((await onTerminal(workplace, "credsvc list --no-color").ended).shown, colors)
    assert.notMatch((await onTerminal(workplace, "credsvc list", { env: { NO_COLOR: "1" } }).ended).shown, colors)
    assert.notMatch((await onTerminal(workplace, "credsvc list | cat").ended).shown, colors)
    assert.notMatch((await workplace.sh("credsvc list")).stdout, colors)
    assert.match((await workplace.sh("credsvc list", { FORCE_COLOR: "1" })).stdout, colors)
  })
})

describe("the built program, if it cannot write to stdout,", () => {
  it("exits without an error when stdout is closed", async () => {
    const outcome = await workplace.sh("credsvc list | true; credsvc list | head -n 1")
    assert.match(outcome.stdout, /^Providers: \d+ total, 1 connected\n$/)
    assert.strictEqual(outcome.stderr, "")
    assert.deepStrictEqual(await workplace.sh("credsvc list >&-"), { stdout: "", stderr: "", exitCode: 0 })
  })

  it("ends without an error, whether it prints text, JSON, files or help", async () => {
    const commands = [
      "list",
      "list --json",
      "get acme",
      "export acme",
      "doctor --quiet",
      "log --raw",
      "daemon logs",
      "completion bash",
      "help security",
      "get --help"
    ]
    const each = commands.map((command) =>
      `credsvc ${command} >&- || echo "${command}: $? with a closed stdout" >&2; ` +
      `(credsvc ${command}; echo "$?" > code) | :; grep -qx 0 code || echo "${command}: $(cat code) without a reader" >&2`
    )
    await workplace.sh(`printf %s ${key} | credsvc login acme --stdin --force`)
    assert.strictEqual((await workplace.sh(each.join("\n"))).stderr, "")
  })

  it("reports a full disk", async () => {
    const outcome = await workplace.sh("credsvc list > /dev/full")
    assert.strictEqual(outcome.exitCode, 1)
    assert.include(outcome.stderr, "ENOSPC")
  })
})
