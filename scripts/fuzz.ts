/**
 * Runs the targets of `test/fuzz` under libFuzzer (jazzer.js), which is guided by code coverage.
 *
 *     npm run fuzz                        every target for a minute
 *     npm run fuzz -- --only <text>       targets whose name contains the text
 *     npm run fuzz -- --seconds <number>  for longer
 *     npm run fuzz -- --root <dir>        in another system with this root directory (run as root): jazzer.js needs a C
 *                                         library of 2023 or later (glibc 2.38)
 *
 * `./scripts/setup --fuzz` installs what it needs. Its corpus is kept in node_modules/.cache/credsvc-fuzz for the
 * next run. An input that breaks a target is printed; once its cause is fixed, it becomes one of the target's seeds.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { rolldown } from "rolldown"
import type { Target } from "../test/fuzz/Target.ts"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..")
const jazzer = path.join(root, "scripts", "fuzz", "node_modules", "@jazzer.js", "core", "dist", "cli.js")
const cache = path.join(root, "node_modules", ".cache", "credsvc-fuzz")
const directory = path.join(root, "test", "fuzz", "targets")

/** By default jazzer.js instruments nothing in node_modules, where the target is written. */
const INSTRUMENTED = ["--includes", "target.cjs", "--excludes", "nothing"]

const { values } = parseArgs({
  options: { only: { type: "string" }, seconds: { type: "string", default: "60" }, root: { type: "string" } }
})
if (!fs.existsSync(jazzer)) {
  console.error("jazzer.js is missing: ./scripts/setup --fuzz")
  process.exit(1)
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * The command itself, or the command in the other root, where this tree and its Node are mounted at their own paths.
 */
const within = (command: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (values.root === undefined) return command
  const at = path.resolve(values.root)
  const places = [...new Set([root, path.dirname(fs.realpathSync(process.execPath)), "/dev", "/proc"])]
  const mounts = places.map((place) =>
    `mkdir -p ${quoted(at + place)} && mount --rbind ${quoted(place)} ${quoted(at + place)}`
  )
  const inside = `cd ${quoted(root)} && exec ${command.map(quoted).join(" ")}`
  return [
    "unshare",
    "--mount",
    "sh",
    "-c",
    `${mounts.join(" && ")} && exec chroot ${quoted(at)} sh -c ${quoted(inside)}`
  ]
}

const fuzz = async (name: string): Promise<boolean> => {
  const own = path.join(cache, name)
  const corpus = path.join(own, "corpus")
  fs.mkdirSync(corpus, { recursive: true })
  const source = path.join(directory, `${name}.ts`)
  const { seeds } = await import(source) as Target
  for (const seed of seeds) {
    const bytes = Buffer.from(seed, "latin1")
    fs.writeFileSync(path.join(corpus, createHash("sha1").update(bytes).digest("hex")), bytes)
  }
  // jazzer.js instruments modules that are loaded with `require`, so the target must be one CommonJS file.
  const bundle = await rolldown({ input: source, platform: "node", logLevel: "silent" })
  const file = path.join(own, "target.cjs")
  await bundle.write({ file, format: "cjs" })
  const options = [`-max_total_time=${values.seconds}`, "-max_len=2048", "-timeout=10", `-artifact_prefix=${own}/`]
  const [command = "", ...args] = within([process.execPath, jazzer, file, corpus, ...INSTRUMENTED, "--", ...options])
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8", cwd: root, maxBuffer: 2 ** 28 })
  const [, runs, coverage] = /^#(\d+)\s+DONE\s+(cov: \d+ ft: \d+ corp: \d+)/m.exec(stderr) ?? []
  if (error === undefined && status === 0 && runs !== undefined) {
    console.log(`${name}: ${runs} inputs (${coverage})`)
    return true
  }
  if (/version `GLIBC_[\d.]+' not found/.test(stderr)) {
    console.error("jazzer.js needs a newer C library than this system's; see --root in scripts/fuzz.ts")
    process.exit(1)
  }
  console.error(`${name}: FAILED\n${error?.message ?? stderr.split("\n").slice(-40).join("\n")}`)
  const found = /^artifact_prefix=.*; Test unit written to (.+)$/m.exec(stderr)?.[1]
  if (found !== undefined) console.error(`${found}: ${JSON.stringify(fs.readFileSync(found, "latin1"))}`)
  return false
}

const names = fs.readdirSync(directory).map((file) => path.basename(file, ".ts"))
  .filter((name) => name.includes(values.only ?? ""))
for (const name of names) if (!await fuzz(name)) process.exitCode = 1
