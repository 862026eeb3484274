import { accessSync, constants, readFileSync, statfsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const memory = "/dev/shm"
const enough = 2 * 1024 ** 3

/** Whether there is room in memory for what tests leave on a disk, and programs may be run from there. */
const hasMemory = (): boolean => {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    const mounted = readFileSync("/proc/mounts", "utf8").split("\n").find((line) => line.split(" ")[1] === memory)
    return bavail * bsize >= enough && !/\bnoexec\b/.test(mounted ?? "noexec")
  } catch {
    return false
  }
}

// Hundreds of homes with a database each: on a disk, most of their time is waiting for `fsync`.
if (process.env["TMPDIR"] === undefined && hasMemory()) process.env["TMPDIR"] = memory

// Each file runs in a process of its own, and half of what most of them do is to compile Effect.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/credsvc-tests", import.meta.url))

/** What takes longest, so that it does not begin when everything else is done. */
const long = [
  "e2e/KillSweep",
  "cli/Transcripts",
  "connections/CrashSweep",
  "server/dashboard/Browser",
  "cli/Examples",
  "clients/Clients",
  "server/dashboard/LoginBrowser",
  "e2e/OAuth",
  "conformance/ProviderCheck",
  "mcp-conformance/Conformance",
  "server/pages/Browser",
  "cli/Run",
  "cli/Terminal",
  "vault/Keyring",
  "hostile/Device",
  "hostile/Transport",
  "e2e/BundledProviders",
  "e2e/Sdks"
]

const turn = ({ moduleId }: TestSpecification): number => {
  const index = long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return index === -1 ? long.length : index
}

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer's, not an array's
    return (await super.sort(files)).toSorted((one, other) => turn(one) - turn(other))
  }
}

const all = "test/**/*.test.ts"
/** Tests that put back what they change in their process, do not measure it, and do not keep others waiting. */
const neighbourly = [
  "test/{audit,client,config,contract,domain,flows,oauth,outbound,providers}/*.test.ts",
  "test/http/**/*.test.ts",
  "test/conformance/Vendor*.test.ts",
  "test/hostile/!(Device|Http2|Transport).test.ts",
  "test/proxy/**/!(Http2Messages|Messages|Flood).test.ts",
  "test/run/*.test.ts"
]

export default defineConfig({
  test: {
    // Limits for what hangs, and no measure of speed.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: "forks",
    // Twice the cores of a small machine: many tests wait.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "own process", include: [all], exclude: neighbourly } },
      // The start of a process and its imports take longer than these tests.
      { extends: true, test: { name: "shared process", include: neighbourly, isolate: false } }
    ]
  }
})
