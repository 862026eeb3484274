import { accessSync, constants, existsSync, readFileSync, statfsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { change, type Part, parts } from "./scripts/lib/TestParts.ts"
import { programsDirectory } from "./test/support/postgres/Installation.ts"

const memory = "/dev/shm"
const enough = 2 * 1024 ** 3

/** Whether there is room in memory for the files of tests, and programs may be executed from there. */
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

// Tests create hundreds of homes with a database each. On a disk, they would mostly wait for `fsync`.
if (process.env["TMPDIR"] === undefined && hasMemory()) process.env["TMPDIR"] = memory

// Each isolated file runs in a separate process, and most of them spend half of their time on compiling Effect.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/credsvc-tests", import.meta.url))

/** The slowest files, which start first so that they do not run alone at the end. */
const long = [
  "e2e/KillSweep",
  "cli/Transcripts",
  "connections/renewal/RefreshRequests.crashes",
  "server/dashboard/Dashboard.browser",
  "cli/Examples",
  "clients/Clients",
  "server/pages/LoginRoutes.browser",
  "e2e/OAuth",
  "conformance/ProviderCheck",
  "mcp-conformance/Conformance",
  "hostile/WebPages",
  "cli/commands/Run",
  "cli/main.terminal",
  "vault/keys/Keyring",
  "hostile/Transport"
]

const turn = ({ moduleId }: TestSpecification): number => {
  const index = long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return index === -1 ? long.length : index
}

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this `sort` is a sequencer's, not an array's
    return (await super.sort(files)).toSorted((one, other) => turn(one) - turn(other))
  }
}

const all = "test/**/*.test.ts"
/**
 * Tests that need no process of their own: they restore what they change, do not measure the process and do not block
 * it for long.
 */
const sharedProcess = [
  "test/*.test.ts",
  "test/{api,audit,callers,certificates,client,contain,contract,e2e,oauth,policies,profiles}/*.test.ts",
  "test/{providers,runs,sandboxes,telemetry}/*.test.ts",
  "test/{config,domain,flows,http,outbound,run,store}/**/*.test.ts",
  "test/platform/{*,files/*,sockets/*,store/*}.test.ts",
  "test/platform/process/!(IdleMemory|UserUmask|V8Flags).test.ts",
  "test/cli/**/!(DaemonServe|DirectCommands).test.ts",
  "test/conformance/!(ProviderCheck).test.ts",
  "test/connections/*.test.ts",
  "test/connections/*/!(RefreshRequests|RefreshRequests.crashes).test.ts",
  "test/hostile/!(Http2|Transport|WebPages).test.ts",
  "test/hostile/Http2Upstream*.test.ts",
  "test/proxy/**/!(*.flood|Http1Exchange|Http2Exchange).test.ts",
  "test/proxy/exchange/*Exchange.*.test.ts",
  "test/scripts/**/!(build.reproducible).test.ts",
  "test/server/{handlers,resolve}/*.test.ts",
  "test/server/*.test.ts",
  "test/server/http/!(*.flood).test.ts",
  "test/server/dashboard/{Dashboard,LiveUpdates,ProviderFilter}.test.ts",
  "test/server/pages/{EtagResponse,Html,Pages}.test.ts",
  "test/vault/*.test.ts",
  "test/vault/{manifest,keys}/!(Keyring|*.crashes).test.ts"
]

/** The tests of services that run a second time with their homes on PostgreSQL. */
const services = [
  "test/vault/{Vault,keys/DataKeys}.test.ts",
  "test/audit/{AuditLog,RequestLog}.test.ts",
  "test/connections/{ConnectionGrants,Connections,use/HostRouting,use/RunVariables}.test.ts",
  "test/connections/oauth/{ClientCredentialsRepo,Revocations}.test.ts",
  "test/flows/FlowRunner.test.ts",
  "test/server/{MetricsRoute,Readiness.statements,StoreBackup,handlers/ProvidersHandlers}.test.ts",
  "test/runs/{NewRunLimits,RunCallers,RunRegistry,RunReports,RunRows,RunUses}.test.ts",
  "test/store/Migrations.test.ts",
  "test/callers/{JobTokens,IssuerKeys,Trusts,UsedNonces}.test.ts"
]

const hasPostgres = programsDirectory() !== undefined &&
  existsSync(new URL("node_modules/@effect/sql-pg", import.meta.url))
/** One part, or all files outside of parts. Undefined selects every file. */
const selected = process.env["CREDSVC_TEST_PART"]
const isPart = (name: string | undefined): name is Part => name !== undefined && name in parts
if (selected !== undefined && selected !== change && !isPart(selected)) {
  throw new Error(`invalid value "${selected}" for CREDSVC_TEST_PART: expected ${[change, ...Object.keys(parts)].join(", ")}`)
}
const left = selected === change ? Object.values(parts).flat() : []

const onPostgres = selected === undefined
  ? [...services, ...parts.replicas]
  : selected === "postgres"
  ? services
  : selected === "replicas"
  ? parts.replicas
  : []

if (!hasPostgres && onPostgres.length > 0) {
  process.stderr.write("SKIPPED: the tests on PostgreSQL, which is not installed. Install it with: scripts/setup --part=postgres\n")
}

const ownProcess = isPart(selected)
  ? { name: "own process", include: [...parts[selected]] }
  : { name: "own process", include: [all], exclude: [...sharedProcess, ...parts.replicas, ...left] }

export default defineConfig({
  test: {
    // Limits for hanging tests. They do not measure speed.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: "forks",
    // Twice the cores of a small machine, because many tests wait.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      ...isPart(selected) && onPostgres.length > 0 ? [] : [{ extends: true as const, test: ownProcess }],
      // Starting a process with its imports takes longer than these tests.
      ...isPart(selected)
        ? []
        : [{
          extends: true as const,
          test: { name: "shared process", include: sharedProcess, exclude: [...parts.replicas, ...left], isolate: false }
        }],
      ...hasPostgres && onPostgres.length > 0
        ? [{
          extends: true as const,
          test: {
            name: "PostgreSQL",
            include: [...onPostgres],
            isolate: false,
            globalSetup: "test/support/postgres/GlobalSetup.ts",
            env: { CREDSVC_TEST_STORE: "postgres" }
          }
        }]
        : []
    ]
  }
})
