/**
 * The tests that most changes do not need, in parts: `scripts/test --full` runs them all, and CI runs one part for each
 * commit beside the other tests. The variable `CREDSVC_TEST_PART` selects the files of `vitest run`.
 */

/**
 * The files of each part. The part `postgres` runs services a second time, with their homes on PostgreSQL; `replicas` runs what only
 * PostgreSQL has.
 */
export const parts = {
  crashes: [
    "test/e2e/KillSweep.test.ts",
    "test/e2e/LoginKills.test.ts",
    "test/vault/Vault.crashes.test.ts",
    "test/vault/keys/KeyRotation.crashes.test.ts"
  ],
  refreshes: ["test/{connections,flows}/**/*.crashes.test.ts"],
  definitions: ["test/conformance/ProviderCheck.test.ts"],
  postgres: [],
  replicas: [
    "test/postgres/*.test.ts",
    "test/store/postgres/{PostgresSchema,PostgresStore}.test.ts",
    "test/vault/{StoredDocuments,manifest/PostgresRowTracking}.test.ts"
  ],
  executable: ["test/executable/*.test.ts"],
  package: [
    "test/openapi/*.test.ts",
    "test/scripts/build.reproducible.test.ts",
    "test/e2e/SandboxRecipes.test.ts",
    "test/e2e/OldestNode.test.ts"
  ],
  browsers: [
    "test/server/**/*.browser.test.ts",
    "test/hostile/WebPages.test.ts",
    "test/mcp-conformance/*.test.ts"
  ],
  hosting: ["test/e2e/{Front,Hosting,Nginx}.test.ts"],
  files: ["test/cli/{login/LoginFile,scan/Replace}.test.ts"],
  examples: ["test/cli/{Examples,Tutorial}.test.ts"],
  programs: ["test/clients/*.test.ts"],
  sdks: ["test/sdks/*.test.ts"],
  shells: [
    "test/cli/commands/doctor/*.test.ts",
    "test/cli/completion/*.test.ts",
    "test/contain/Containment.terminal.test.ts",
    "test/proxy/exchange/Http2Exchange.programs.test.ts",
    "test/run/RuntimeWrappers.test.ts",
    "test/run/recipes/Recipes.contained.test.ts"
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type Part = keyof typeof parts

export const partNames = Object.keys(parts) as ReadonlyArray<Part>

/** The value of `CREDSVC_TEST_PART` for all files that are in no part. */
export const change = "change"

/** The part that CI runs for a commit, so that a few commits together run all parts. */
export const partOf = (commit: string): Part => partNames[Number.parseInt(commit.slice(0, 8), 16) % partNames.length]!
