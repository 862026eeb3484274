/**
 * The most used APIs with their vendors' SDKs and command lines inside the real `credsvc run`, with the placeholders of the bundled
 * definitions. Tests of programs that this machine lacks are skipped; `scripts/setup --test` installs them. `CREDSVC_TEST_SDK` limits
 * them to some providers.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { builtins } from "../../src/platform/builtins.ts"
import type { Job, JobResult } from "../clients/runJobs.ts"
import { installedPackages } from "../support/InstalledPackages.ts"
import { openProgram } from "../support/Sandbox.ts"
import { FILE, type Program } from "./Api.ts"
import { apis } from "./apis.ts"
import { type ApiServer, openApiServer, withSecret } from "./ApiServer.ts"

const installed = installedPackages("sdks")
const only = process.env["CREDSVC_TEST_SDK"] ?? ""
const chosen = apis.filter(({ provider }) => only === "" || only.split(",").includes(provider))

const isInstalled = ({ name }: Program): boolean =>
  fs.existsSync(path.join(installed, "node_modules", name)) ||
  spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0

const programs = chosen.flatMap((api) =>
  api.programs.map((program) => ({ api, program, name: `${api.provider} ${program.name}` }))
)
const lacking = new Set(programs.filter(({ program }) => !isInstalled(program)).map(({ name }) => name))

let server: ApiServer
let sandbox: ReturnType<typeof openProgram>
let results: ReadonlyMap<string, JobResult>

const makeJob = (name: string, { env, kind, script }: Program): Job => {
  const home = path.join(sandbox.directory, name.replaceAll(/\W/g, "-"))
  fs.mkdirSync(home)
  fs.writeFileSync(path.join(home, "file.txt"), FILE)
  const module =
    `const say = (value) => console.log(typeof value === "string" ? value : JSON.stringify(value) ?? "nothing")
    const env = process.env, file = env.HOME + "/file.txt"\n${script}`
  return {
    name,
    argv: kind === "cli" ? ["sh", "-ec", script] : [process.execPath, "--input-type=module", "-e", module],
    cwd: kind === "cli" ? home : installed,
    url: "https://unused.test",
    env: {
      HOME: home,
      XDG_CONFIG_HOME: `${home}/.config`,
      PATH: `${installed}/node_modules/.bin:${process.env["PATH"]}`,
      CI: "1",
      ...env
    }
  }
}

const runner = path.join(import.meta.dirname, "..", "clients", "runJobs.ts")

/** Runs the programs with this option in one run. */
const runPrograms = async (option: Program["option"], flags: ReadonlyArray<string>) => {
  const jobs = programs.filter(({ name, program }) => program.option === option && !lacking.has(name))
    .map(({ name, program }) => makeJob(name, program))
  if (jobs.length === 0) return []
  const [list, report] = ["jobs.json", "results.json"].map((file) => path.join(sandbox.directory, file))
  fs.writeFileSync(list!, JSON.stringify(jobs))
  await sandbox.must(["run", ...flags, "--", process.execPath, runner, list!, report!], { timeout: 600_000 })
  const outcomes: ReadonlyArray<JobResult> = JSON.parse(fs.readFileSync(report!, "utf8"))
  return outcomes.map((result) => [result.name, result] as const)
}

beforeAll(async () => {
  if (lacking.size > 0) {
    console.warn(`SKIPPED ${lacking.size} programs, because this machine lacks them: ${[...lacking].join(", ")}`)
  }
  server = await openApiServer(chosen)
  sandbox = openProgram([server])
  await sandbox.must(["daemon", "start", "--port", "0"])
  for (const { base, flow, login, provider } of chosen) {
    const input = withSecret(typeof login === "string" ? login : JSON.stringify(login))
    const options = Object.entries({ "--base-url": base, "--flow": flow }).filter(([, value]) => value !== undefined)
    await sandbox.must(["login", provider, "--stdin", ...options.flat() as ReadonlyArray<string>], { input })
  }
  results = new Map([
    ...await runPrograms(undefined, ["--unmatched", "deny"]),
    ...await runPrograms("--base-url", ["--base-url"])
  ])
}, 900_000)

afterAll(async () => {
  await sandbox.close()
  await server.close()
})

/** The status with which the server responds to a request outside of a run. */
const statusOf = (call: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> => {
  const [, method = "", host = "", path = ""] = /^(\S+) ([^/]+)(.*)$/.exec(call) ?? []
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: server.port,
      method,
      path,
      rejectUnauthorized: false,
      headers: { ...headers, host }
    }
    builtins.https.request(options, (response) => resolve(response.resume().statusCode)).once("error", reject).end()
  })
}

describe("vendors' programs inside run", () => {
  for (const { api, name, program } of programs) {
    it.skipIf(lacking.has(name))(
      `${program.name} works with the placeholder of ${api.provider}${
        program.option === undefined ? "" : ` and ${program.option}`
      }`,
      () => {
        const result = results.get(name)
        assert.isTrue(result?.worked, `${result?.code} ${result?.output}\n${server.refusedOf(api)}`)
      }
    )
  }
  for (const api of chosen) {
    it.skipIf(api.programs.some(({ name }) => lacking.has(`${api.provider} ${name}`)))(
      `make all calls that are listed for ${api.provider}`,
      () => {
        assert.deepStrictEqual(
          Object.keys(api.calls).filter((call) => !server.answered.has(call)),
          [],
          server.refusedOf(api)
        )
      }
    )
  }

  it.for(chosen)("would be refused with another key by $provider", async ({ arrives, calls }) => {
    const [name = "", value = ""] = arrives.replaceAll("$", "another").split(": ")
    for (const call of Object.keys(calls)) {
      assert.strictEqual(await statusOf(call, value === "" ? {} : { [name]: value }), 401, call)
    }
  })
})
