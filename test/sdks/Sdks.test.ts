/**
 * The most used APIs with their vendors' SDKs and command lines inside the real `credsvc run`, with the placeholders of the bundled
 * definitions. Tests of programs that this machine lacks are skipped; `scripts/setup --part=sdks` installs them. `CREDSVC_TEST_SDK` limits
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
import { type Api, FILE } from "./Api.ts"
import { apis } from "./apis.ts"
import { type ApiServer, openApiServer, withSecret } from "./ApiServer.ts"

const installed = installedPackages("sdks")
const only = process.env["CREDSVC_TEST_SDK"] ?? ""
const chosen = apis.filter(({ provider }) => only === "" || only.split(",").includes(provider))

const programs = chosen.flatMap((api) =>
  (["sdk", "cli"] as const).flatMap((kind) =>
    Object.entries(api[kind] ?? {}).map(([name, script]) => ({
      name: `${api.provider} ${name}`,
      api,
      kind,
      package: name,
      script,
      option: kind === "cli" ? api.option : undefined
    }))
  )
)
const lacking = new Set(
  programs.filter((program) =>
    !fs.existsSync(path.join(installed, "node_modules", program.package)) &&
    spawnSync(program.package, ["--version"], { stdio: "ignore" }).status !== 0
  ).map(({ name }) => name)
)

let server: ApiServer
let sandbox: ReturnType<typeof openProgram>
let results: ReadonlyMap<string, JobResult>

const makeJob = ({ kind, name, package: sdk, script }: typeof programs[number]): Job => {
  const home = path.join(sandbox.directory, name.replaceAll(/\W/g, "-"))
  fs.mkdirSync(home)
  fs.writeFileSync(path.join(home, "file.txt"), FILE)
  const module = `import * as fs from "node:fs"
    import * as sdk from "${sdk}"
    const say = (value) => console.log(typeof value === "string" ? value : JSON.stringify(value) ?? "nothing")
    const env = process.env, file = env.HOME + "/file.txt"
    const question = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }\n${script}`
  return {
    name,
    argv: kind === "cli" ? ["sh", "-ec", script] : [process.execPath, "--input-type=module", "-e", module],
    cwd: kind === "cli" ? home : installed,
    url: "https://unused.test",
    env: {
      HOME: home,
      XDG_CONFIG_HOME: `${home}/.config`,
      PATH: `${installed}/node_modules/.bin:${process.env["PATH"]}`,
      CI: "1"
    }
  }
}

const runner = path.join(import.meta.dirname, "..", "clients", "runJobs.ts")

/** Runs the programs with this option in one run. */
const runPrograms = async (option: Api["option"], flags: ReadonlyArray<string>) => {
  const jobs = programs.filter((program) => program.option === option && !lacking.has(program.name)).map(makeJob)
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
  for (const { base, flow, key, login = key.split(/[ =]/).at(-1)!, provider } of chosen) {
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

describe("vendors' programs under credsvc run", () => {
  for (const { api, name, option, package: program } of programs) {
    const title = `${program} works with the placeholder of ${api.provider}${
      option === undefined ? "" : ` and ${option}`
    }`
    it.skipIf(lacking.has(name))(title, () => {
      const result = results.get(name)
      assert.isTrue(result?.worked, `${result?.code} ${result?.output}\n${server.refusedOf(api)}`)
    })
  }
  for (const api of chosen) {
    const isComplete = programs.every((program) => program.api !== api || !lacking.has(program.name))
    it.skipIf(!isComplete)(`make all calls that are listed for ${api.provider}`, () => {
      const missing = Object.keys(api.calls).filter((call) => !server.answered.has(call))
      assert.deepStrictEqual(missing, [], server.refusedOf(api))
    })
    it(`would be refused with another key by ${api.provider}`, async () => {
      const [name = "", value] = api.key.replaceAll("$", "another").split(": ")
      for (const call of Object.keys(api.calls)) {
        assert.strictEqual(await statusOf(call, value === undefined ? {} : { [name]: value }), 401, call)
      }
    })
  }
})
