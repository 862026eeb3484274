/** No path that rules allow is read as a forbidden one by Node, nginx or Python. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { compileRules } from "../../../src/domain/rules/RuleSet.ts"
import * as fc from "../../support/FastCheck.ts"
import { type PathServer, startPathServers } from "../../support/PathServers.ts"
import { pathParts, pathTricks } from "../../support/PathTricks.ts"

/** How many fuzzed paths are tried. */
const fuzzed = Number(process.env["CREDSVC_RULE_PATHS"] ?? 10_000)

const rules = compileRules([
  { allow: ["GET a.example/allowed/**"], deny: ["a.example/allowed/secret/**"], readonly: false }
])

const isAllowed = (path: string): boolean =>
  rules.decide({ method: "GET", host: "a.example", port: 443, path, isUpgrade: false, fields: "hidden" })._tag ===
    "Allowed"

/** Whether a path, as a server has decoded it, is outside of what the rules allow. Servers may ignore case. */
const isForbidden = (decoded: string): boolean => {
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

  it(`forbid each of ${pathTricks.length} tricks that a server reads as a forbidden path`, async () => {
    assert.isAtLeast(new Set(pathTricks).size, 300)
    const dangerous = new Map<string, number>()
    for (const trick of pathTricks) {
      const forbidden = (await readingsOf(trick)).filter(([, reading]) => isForbidden(reading))
      for (const [name] of forbidden) dangerous.set(name, (dangerous.get(name) ?? 0) + 1)
      if (isAllowed(trick)) assert.deepStrictEqual(forbidden, [], trick)
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
      assert.deepStrictEqual((await readingsOf(path)).filter(([, reading]) => isForbidden(reading)), [], path)
    }
  })

  it(`never allow one of ${fuzzed} fuzzed paths that a server reads as a forbidden path`, async () => {
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
        const forbidden = (await readingsOf(target)).filter(([, reading]) => isForbidden(reading))
        assert.deepStrictEqual(forbidden, [], target)
      }),
      { numRuns: fuzzed }
    )
    assert.isAtLeast(allowed, fuzzed / 50)
  }, 60_000 + fuzzed)
})
