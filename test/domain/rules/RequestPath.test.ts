/** Node, nginx and Python read no path that rules allow as a denied one. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { compileRules } from "../../../src/domain/rules/RuleSet.ts"
import { ambiguousPaths, pathParts } from "../../support/AmbiguousPaths.ts"
import * as fc from "../../support/FastCheck.ts"
import { type PathServer, startPathServers } from "../../support/PathServers.ts"

/** How many fuzzed paths are tried. */
const fuzzed = Number(process.env["CREDSVC_RULE_PATHS"] ?? 10_000)

const rules = compileRules([
  { allow: ["GET a.example/allowed/**"], deny: ["a.example/allowed/secret/**"], readonly: false }
])

const isAllowed = (path: string): boolean =>
  rules.decide({ method: "GET", host: "a.example", port: 443, path, isUpgrade: false, fields: "hidden" })._tag ===
    "Allowed"

/** Whether a path, as a server has decoded it, is outside of what the rules allow. Servers may ignore case. */
const isDenied = (decoded: string): boolean => {
  const path = decoded.replace(/[?#].*$/s, "").replace(/\/+$/, "")
  const lower = path.normalize("NFKC").toLowerCase()
  return !(path === "/allowed" || path.startsWith("/allowed/")) ||
    lower === "/allowed/secret" || lower.startsWith("/allowed/secret/") || /(?:^|\/)\.\.(?:\/|$)/.test(path)
}

let servers: ReadonlyArray<PathServer> = []

/** Every reading of a path, with the name of the server. */
const readingsOf = async (path: string): Promise<ReadonlyArray<readonly [string, string]>> => {
  const all = await Promise.all(
    servers.map(async ({ name, read }) => (await read(path)).map((reading) => [name, reading] as const))
  )
  return all.flat()
}

describe("rules for paths", () => {
  beforeAll(async () => {
    servers = await startPathServers()
  })
  afterAll(() => servers.forEach(({ close }) => close()))

  it(`deny each of ${ambiguousPaths.length} ambiguous paths that a server reads as a denied path`, async () => {
    assert.isAtLeast(new Set(ambiguousPaths).size, 300)
    const dangerous = new Map<string, number>()
    for (const path of ambiguousPaths) {
      const denied = (await readingsOf(path)).filter(([, reading]) => isDenied(reading))
      for (const [name] of denied) dangerous.set(name, (dangerous.get(name) ?? 0) + 1)
      if (isAllowed(path)) assert.deepStrictEqual(denied, [], path)
    }
    // Otherwise the servers would show nothing.
    for (const { name } of servers) assert.isAtLeast(dangerous.get(name) ?? 0, 100, name)
  })

  it("allow the paths that programs send", async () => {
    const common = [
      "",
      "/",
      "/x",
      "/x/",
      "/a.b/c-d_e~f",
      "/a%20b",
      "/%C3%A9",
      "/a:b",
      "/a@b,c",
      "/$x",
      "/x!(y)",
      "/main...feature",
      "/a+b",
      "/.well-known",
      "/a%2Fb",
      "/%7Bid%7D",
      "/50%25",
      "/a%3Fb",
      "/en%23holiday"
    ]
    for (const rest of common) {
      const path = `/allowed${rest}`
      assert.isTrue(isAllowed(path), path)
      assert.deepStrictEqual((await readingsOf(path)).filter(([, reading]) => isDenied(reading)), [], path)
    }
  })

  it(`allow none of ${fuzzed} fuzzed paths that a server reads as a denied path`, async () => {
    const path = fc.tuple(
      fc.constantFrom("/allowed/", "/allowed/", "/allowed", "/", ""),
      fc.array(
        fc.oneof(
          fc.constantFrom(...pathParts),
          fc.constantFrom("/", "x"),
          fc.string({ unit: "binary-ascii", maxLength: 2 })
        ),
        { maxLength: 5 }
      )
    ).map(([start, parts]) => start + parts.join(""))
    let allowed = 0
    await fc.assert(
      fc.asyncProperty(path, async (target) => {
        // The parser of the proxy rejects what is not one token of the request line.
        if (/[\s\0]|[^\x21-\x7e]/.test(target) || !isAllowed(target.replace(/\?.*$/s, ""))) return
        allowed++
        const denied = (await readingsOf(target)).filter(([, reading]) => isDenied(reading))
        assert.deepStrictEqual(denied, [], target)
      }),
      { numRuns: fuzzed }
    )
    assert.isAtLeast(allowed, fuzzed / 50)
  }, 60_000 + fuzzed)
})
