#!/usr/bin/env node
/**
 * Demonstrates credsvc offline in a temporary home: stores a key in the vault, and runs a command that uses the key
 * without holding it. Fails if the API does not receive the key, or if anything else does.
 *
 * With `--shell`, starts a shell beside the API instead, for `docs/tutorial.md`.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { startDemoApi } from "./lib/DemoApi.ts"

const root = path.join(import.meta.dirname, "..")
const entry = path.join(root, "dist", "credsvc.js")
const work = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-demo-"))
const home = path.join(work, "home")
const project = path.join(work, "project")
const programs = path.join(work, "bin")
const host = "api.demo.test"
const oauthHost = "oauth.demo.test"
const demoKey = "demo_sk_4f9c2e7ab1d04c55"

const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CREDSVC_"))),
  PATH: `${programs}${path.delimiter}${process.env["PATH"] ?? ""}`,
  CREDSVC_HOME: home,
  CREDSVC_MASTER_KEY_MODE: "local_key"
}

const bold = (text: string): string => process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text
const dim = (text: string): string => process.stdout.isTTY ? `\u001b[2m${text}\u001b[22m` : text
const title = (text: string): void => console.log(`\n${bold(text)}`)

interface Outcome {
  readonly code: number
  readonly stdout: string
}

/** Runs a command. With `inherit`, the command adapts its output to the terminal. */
const execute = (args: ReadonlyArray<string>, stdout: "pipe" | "inherit" = "pipe", input = ""): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: project,
      env: environment,
      stdio: ["pipe", stdout, "inherit"]
    })
    let printed = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString("utf8")
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code: code ?? 1, stdout: printed }))
    child.stdin!.end(input)
  })

const quoted = (argument: string): string =>
  /^[A-Za-z0-9_./:=@-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`

const credsvc = async (
  args: ReadonlyArray<string>,
  options: { readonly input?: string; readonly shown?: string } = {}
): Promise<Outcome> => {
  console.log(dim("$ ") + (options.shown ?? ["credsvc", ...args.map(quoted)].join(" ")))
  const outcome = await execute(args, args[0] === "run" ? "pipe" : "inherit", options.input)
  process.stdout.write(outcome.stdout)
  if (outcome.code !== 0) throw new Error(`credsvc ${args[0]} exited with code ${outcome.code}`)
  return outcome
}

const expect = (fact: string, holds: boolean): void => {
  console.log(`${holds ? "✓" : "✗"} ${fact}`)
  if (!holds) throw new Error(`failed: ${fact}`)
}

const startShell = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.env["SHELL"] ?? "sh", { cwd: project, env: environment, stdio: "inherit" })
    child.on("error", reject)
    child.on("close", (code) => resolve(code ?? 1))
  })

const demonstrate = async (): Promise<void> => {
  const started = Date.now()
  title("1. Tell credsvc about the API")
  await credsvc(["register", "demo.json", "--yes"])

  title("2. Store the key")
  await credsvc(["login", "demo", "--stdin"], {
    input: demoKey,
    shown: "printf '%s' \"$KEY\" | credsvc login demo --stdin"
  })

  title("3. Run a program that uses it without holding it")
  const printed = await credsvc(["run", "--", "sh", "-c", "echo \"DEMO_API_KEY=$DEMO_API_KEY\""])
  const response = await credsvc(["run", "--", "curl", "-sS", `https://${host}/v1/whoami`])

  title("4. See what happened")
  await credsvc(["list", "demo"])
  await credsvc(["log"])
  await credsvc(["doctor"])

  title("Verified")
  expect(
    "the environment of the program contains the placeholder",
    printed.stdout.trim() === "DEMO_API_KEY=credsvc-proxy-managed"
  )
  expect("the API received the real key", api.received.at(-1) === `Bearer ${demoKey}`)
  expect("the program received the response of the API", response.stdout.includes("\"hello\":\"Ada\""))
  const stored = fs.readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name)))
  expect("no file in the home directory contains the key", stored.every((content) => !content.includes(demoKey)))
  console.log(`\nDone in ${((Date.now() - started) / 1000).toFixed(1)} s. The temporary home is deleted.`)
}

// The terminal also sends its signals to the commands and the shell, after whose end the daemon and the files are removed.
for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => {})
const api = await startDemoApi([host, oauthHost], demoKey)
let code = 0
try {
  fs.mkdirSync(home, { mode: 0o700 })
  fs.mkdirSync(project)
  fs.mkdirSync(programs)
  fs.writeFileSync(path.join(programs, "credsvc"), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`, {
    mode: 0o755
  })
  fs.writeFileSync(path.join(work, "ca.pem"), api.caPem)
  fs.writeFileSync(
    path.join(home, "config.json"),
    `${
      JSON.stringify({
        version: 1,
        upstream: {
          extra_ca_certs: [path.join(work, "ca.pem")],
          resolve: Object.fromEntries([host, oauthHost].map((each) => [`${each}:443`, `127.0.0.1:${api.port}`]))
        }
      })
    }\n`,
    { mode: 0o600 }
  )
  const writeDefinition = (definition: { readonly name: string; readonly [field: string]: unknown }): void =>
    fs.writeFileSync(path.join(project, `${definition.name}.json`), `${JSON.stringify(definition)}\n`)
  writeDefinition(
    {
      name: "demo",
      display_name: "Demo API",
      auth_type: "api_key",
      flow: "api_key",
      api_url: `https://${host}/v1`,
      hosts: [host],
      export: { env: { api_key: "DEMO_API_KEY" } }
    }
  )
  writeDefinition(
    {
      name: "demo-oauth",
      display_name: "Demo OAuth",
      auth_type: "oauth2",
      flow: "device_code",
      api_url: `https://${oauthHost}/v1`,
      oauth: {
        client_id: "demo",
        device_authorization_url: `https://${oauthHost}/device`,
        token_url: `https://${oauthHost}/token`
      }
    }
  )

  console.log(`A temporary home: ${home}\nA demo API that accepts only the key ${bold(demoKey)}`)
  // Uses another port than the default, to leave a running daemon alone.
  await execute(["--quiet", "daemon", "start", "--port", "0"])

  if (process.argv.includes("--shell")) {
    fs.writeFileSync(path.join(project, "key.txt"), `${demoKey}\n`)
    console.log(
      "This directory has definitions (demo.json, demo-oauth.json) and the key (key.txt).\nLeave with: exit"
    )
    code = await startShell()
  } else {
    await demonstrate()
  }
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause)
  code = 1
} finally {
  await execute(["--quiet", "daemon", "stop"]).catch(() => undefined)
  api.close()
  fs.rmSync(work, { recursive: true, force: true })
}
process.exit(code)
