import { assert, describe, it } from "@effect/vitest"
import { readGraphQl } from "../../../src/domain/rules/GraphQl.ts"
import { overrideIn } from "../../../src/domain/rules/Overrides.ts"
import type { RuleSet } from "../../../src/domain/rules/RuleSchemas.ts"
import { compileRules, joinRules, type RuledRequest } from "../../../src/domain/rules/RuleSet.ts"
import * as fc from "../../support/FastCheck.ts"
import { propertyTest } from "../../support/PropertyTest.ts"

const set = (rules: Partial<RuleSet>): RuleSet => ({ allow: [], deny: [], readonly: false, ...rules })

const host = "api.github.com"

/** Reads `GET /path`, with the GraphQL document that the body has, if it was read. */
const request = (line: string, document?: string): RuledRequest => {
  const [method = "", path = ""] = line.split(" ")
  const fields = document === undefined
    ? undefined
    : readGraphQl(JSON.stringify({ query: document }))?.fields ?? "hidden"
  return { method, host, port: 443, path, isUpgrade: false, fields }
}

const decide = (sets: ReadonlyArray<RuleSet>, line: string, document?: string) =>
  compileRules(sets).decide(request(line, document))

const tagOf = (sets: ReadonlyArray<RuleSet>, line: string, document?: string) => decide(sets, line, document)._tag

describe("RuleSet", () => {
  it("allows everything without rules", () => {
    assert.deepStrictEqual(decide([set({})], "DELETE /repos/acme/x"), { _tag: "Allowed", rule: null })
  })

  it("refuses requests that no allow rule matches, on every host, and says which rule would allow it", () => {
    const sets = [set({ allow: ["GET api.github.com/repos/acme/**", "POST uploads.github.com"] })]
    assert.deepStrictEqual(decide(sets, "GET /repos/acme/x/issues"), {
      _tag: "Allowed",
      rule: "GET api.github.com/repos/acme/**"
    })
    assert.strictEqual(tagOf(sets, "HEAD /repos/acme"), "Allowed")
    assert.deepStrictEqual(decide(sets, "POST /repos/acme/a b".replace(" b", "%20b")), {
      _tag: "Refused",
      reason: "no rule allows it",
      rule: null,
      allow: "POST api.github.com/repos/acme/a%20b",
      isOutside: true,
      needsBody: false
    })
    for (const line of ["GET /repos/other/x", "GET /repos/ACME/x", "GET /repos", "DELETE /repos/acme/x"]) {
      assert.strictEqual(tagOf(sets, line), "Refused", line)
    }
    const { decide: decideAny } = compileRules(sets)
    assert.strictEqual(decideAny({ ...request("GET /"), host: "api.openai.com" })._tag, "Refused")
    assert.strictEqual(decideAny({ ...request("GET /repos/acme/x"), port: 8443 })._tag, "Refused")
  })

  it("says why no rule can match a path", () => {
    const reasons = [["/a/../b", /in more than one way/], [
      `/${"a".repeat(8192)}`,
      /longer than 8192 characters/
    ]] as const
    for (const [path, says] of reasons) {
      const decision = decide([set({ allow: [host] })], `GET ${path}`)
      assert.match(decision._tag === "Refused" ? decision.reason : "", says)
    }
  })

  it("gives deny rules precedence, and matches them in any letter case", () => {
    const sets = [
      set({
        allow: [host],
        deny: ["DELETE api.github.com/repos/acme/**", "api.github.com/ADMIN/k*", "api.github.com/b/my%20file"]
      })
    ]
    assert.deepInclude(decide(sets, "DELETE /repos/acme/x"), {
      _tag: "Refused",
      rule: "DELETE api.github.com/repos/acme/**",
      allow: null
    })
    const lines = [
      "DELETE /Repos/ACME",
      "GET /admin/%E2%84%AAeys",
      "GET /adm%C2%ADin/keys/",
      "GET /%EF%BD%81dmin/keys",
      "GET /b/my+file",
      "GET /b/my%2Bfile"
    ]
    for (const line of lines) {
      assert.strictEqual(tagOf(sets, line), "Refused", line)
    }
    assert.strictEqual(tagOf(sets, "GET /repos/acme/x"), "Allowed")
    assert.strictEqual(tagOf([set({ deny: ["GET api.github.com/a"] })], "HEAD /a"), "Refused")
  })

  it("reads a list in a segment as each of its items, and * as any name, as Elasticsearch does", () => {
    const allowing = [set({ allow: ["GET api.github.com/logs-*/_search", "GET api.github.com/a,b/_search"] })]
    for (const path of ["/logs-1/_search", "/logs-1,logs-2/_search", "/a,b/_search"]) {
      assert.strictEqual(tagOf(allowing, `GET ${path}`), "Allowed", path)
    }
    for (
      const path of [
        "/logs-1,secret/_search",
        "/logs-1%2Csecret/_search",
        "/logs-1,/_search",
        "/a/_search",
        "/b,a/_search"
      ]
    ) {
      assert.strictEqual(tagOf(allowing, `GET ${path}`), "Refused", path)
    }
    const denying = [set({ deny: ["api.github.com/secret/**"] })]
    for (
      const path of ["/logs,secret/_search", "/SECRET%2clogs/_search", "/sec*/_search", "/%2A/_search", "/secret/a"]
    ) {
      assert.strictEqual(tagOf(denying, `GET ${path}`), "Refused", path)
    }
    assert.strictEqual(tagOf(denying, "GET /logs,secrets/_search"), "Allowed")
    assert.strictEqual(tagOf(denying, "GET /logs/sec*"), "Allowed")
  })

  it("denies a path with another format, which Rails, Grape and Twilio read as the same resource", () => {
    const sets = [set({ deny: ["api.github.com/user/keys", "api.github.com/Messages/*.json"] })]
    for (const path of ["/keys.json", "/keys.x", "/keys%2Exml", "/keys.json/", "/KEYS.JSON"]) {
      assert.strictEqual(tagOf(sets, `GET /user${path}`), "Refused", path)
    }
    for (const path of ["/SM1.json", "/SM1", "/SM1.csv"]) {
      assert.strictEqual(tagOf(sets, `DELETE /Messages${path}`), "Refused", path)
    }
    for (
      const path of [
        "/user/keys.json/1",
        "/user/keysjson",
        "/user.json/keys.x/y",
        "/user/key.s",
        "/.keys",
        "/",
        "/Messages.json"
      ]
    ) {
      assert.strictEqual(tagOf(sets, `GET ${path}`), "Allowed", path)
    }
    assert.strictEqual(tagOf([set({ allow: ["GET api.github.com/user/keys"] })], "GET /user/keys.json"), "Refused")
  })

  it("allows a path with several readings only if allow rules match all of them, and denies it if a deny rule matches one", () => {
    const allowing = (
      ...allow: ReadonlyArray<string>
    ) => [set({ allow: allow.map((rule) => `GET api.github.com${rule}`) })]
    assert.strictEqual(tagOf(allowing("/p/*/issues"), "GET /p/a%2Fb/issues"), "Refused")
    assert.strictEqual(tagOf(allowing("/p/**"), "GET /p/a%2Fb/issues"), "Allowed")
    assert.strictEqual(tagOf(allowing("/p/a%2Fb/*"), "GET /p/a%2Fb/issues"), "Allowed")
    assert.strictEqual(tagOf(allowing("/p/a%2Fb/*"), "GET /p/a/b/issues"), "Refused")
    assert.strictEqual(tagOf(allowing("/p/*"), "GET /p/a%3Fb"), "Allowed")
    assert.strictEqual(tagOf(allowing("/p/*b"), "GET /p/a%3Fb"), "Refused")
    const denying = [set({ deny: ["api.github.com/p/a/**", "api.github.com/secret"] })]
    for (const path of ["/p/a%2Fb", "/secret%23x", "/secret%3fx"]) {
      assert.strictEqual(tagOf(denying, `GET ${path}`), "Refused", path)
    }
  })

  it("refuses every path that servers read in different ways", () => {
    assert.deepInclude(decide([set({ deny: ["DELETE api.github.com/x"] })], "GET /a/%2e%2e/b"), {
      _tag: "Refused",
      rule: null,
      allow: null
    })
  })

  it("allows only reading methods and GraphQL queries if it is read-only", () => {
    const sets = [set({ readonly: true })]
    for (const method of ["GET", "HEAD", "OPTIONS"]) assert.strictEqual(tagOf(sets, `${method} /a`), "Allowed")
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
      assert.strictEqual(tagOf(sets, `${method} /a`), "Refused")
    }
    assert.strictEqual(compileRules(sets).decide({ ...request("GET /a"), isUpgrade: true })._tag, "Refused")
    const endpoints = [
      "/graphql",
      "/api/v4/graphql",
      "/client/v4/graphql/",
      "/stores/abc/graphql",
      "/admin/api/2026-07/graphql.json"
    ]
    for (const path of endpoints) {
      assert.strictEqual(tagOf(sets, `POST ${path}`), "NeedsBody")
      assert.strictEqual(tagOf(sets, `POST ${path}`, "query A { a }"), "Allowed")
      assert.strictEqual(tagOf(sets, `POST ${path}`, "query A { a } mutation B { b }"), "Refused")
      assert.strictEqual(tagOf(sets, `POST ${path}`, "not GraphQL"), "Refused")
      assert.strictEqual(tagOf(sets, `PUT ${path}`, "{ a }"), "Refused")
    }
    // Elsewhere it may be a name of the client's choice: a document of Elasticsearch, a record of Firebase, a secret of Vault.
    for (const path of ["/index/_doc/graphql", "/graphql.json", "/v1/secret/graphql", "/repos/graphql/issues"]) {
      assert.strictEqual(tagOf(sets, `POST ${path}`, "{ a }"), "Refused")
    }
    assert.strictEqual(tagOf(sets, "POST /x%2Fgraphql", "{ a }"), "Refused")
    assert.strictEqual(tagOf(sets, "POST /issues%23/graphql", "{ a }"), "Refused")
  })

  it("matches the root fields of GraphQL operations", () => {
    const allowing = [
      set({ allow: ["POST api.github.com/graphql query", "POST api.github.com/graphql mutation:add*"] })
    ]
    assert.strictEqual(tagOf(allowing, "POST /graphql"), "NeedsBody")
    assert.strictEqual(tagOf(allowing, "POST /other"), "Refused")
    assert.strictEqual(tagOf(allowing, "POST /graphql", "query { a ...F } fragment F on Q { b }"), "Allowed")
    assert.strictEqual(tagOf(allowing, "POST /graphql", "mutation { x: addStar { id } addComment { id } }"), "Allowed")
    assert.deepInclude(decide(allowing, "POST /graphql", "mutation addStar { addStar: deleteIssue { id } }"), {
      _tag: "Refused",
      allow: "POST api.github.com/graphql mutation:deleteIssue"
    })
    assert.strictEqual(tagOf(allowing, "POST /graphql", "mutation { ...F } fragment F on M { addStar }"), "Refused")
    assert.strictEqual(tagOf(allowing, "POST /graphql", "subscription { addStar }"), "Refused")
    assert.strictEqual(tagOf(allowing, "POST /graphql", "not GraphQL"), "Refused")

    const denying = [set({ deny: ["api.github.com/graphql mutation:delete*"] })]
    assert.strictEqual(tagOf(denying, "POST /graphql", "mutation { deleteIssue }"), "Refused")
    assert.strictEqual(tagOf(denying, "POST /graphql", "mutation { ...F }"), "Refused")
    assert.strictEqual(tagOf(denying, "POST /graphql", "not GraphQL"), "Refused")
    assert.strictEqual(tagOf(denying, "POST /graphql", "{ deleteIssue } mutation { add }"), "Allowed")
    assert.strictEqual(tagOf(denying, "POST /other"), "Allowed")
  })

  it("allows a request only if every set allows it, so another set never allows more", () => {
    const outer = set({ allow: ["GET api.github.com"] })
    const own = set({ allow: ["api.github.com/repos/**"] })
    const joined = joinRules([own, set({})], [outer, { ...own }])
    assert.deepStrictEqual(joined, [own, outer])
    assert.strictEqual(tagOf(joined, "GET /repos/a"), "Allowed")
    assert.strictEqual(tagOf(joined, "POST /repos/a"), "Refused")
    assert.strictEqual(tagOf(joined, "GET /users"), "Refused")
  })

  it("finds requests that override their own method, host or path", () => {
    const HOST = "api.example.com"
    assert.strictEqual(
      overrideIn(["Host", "a", "X-HTTP-Method-Override", "DELETE"], "/", HOST),
      "x-http-method-override"
    )
    assert.strictEqual(overrideIn(["x_original_url", "/admin"], "/", HOST), "x-original-url")
    const names = [
      "destination",
      "x-copy-from",
      "x-amz-copy-source",
      "x-amz-rename-source",
      "x-goog-copy-source",
      "x-ms-copy-source",
      "x-ms-rename-source",
      "x-ms-file-rename-source"
    ]
    for (const name of names) assert.strictEqual(overrideIn([name.toUpperCase(), "/other"], "/", HOST), name)
    assert.strictEqual(
      overrideIn(["X_RapidAPI-Host", "b.p.rapidapi.com"], "/", "rapidapi.p.rapidapi.com"),
      "x-rapidapi-host"
    )
    assert.isUndefined(overrideIn(["X-RapidAPI-Host", "a.p.rapidapi.com"], "/", "a.p.rapidapi.com"))
    for (
      const name of ["x-forwarded-host", "x-host", "x-original-host", "x-forwarded-server", "x-http-host-override"]
    ) {
      assert.strictEqual(overrideIn([name, "admin.example.com"], "/", HOST), name)
      for (const host of [HOST.toUpperCase(), "localhost:3000"]) assert.isUndefined(overrideIn([name, host], "/", HOST))
    }
    assert.strictEqual(overrideIn(["Forwarded", "for=_x;Host = admin.example.com"], "/", HOST), "forwarded")
    assert.isUndefined(overrideIn(["Forwarded", "for=_x;proto=https"], "/", HOST))
    assert.isUndefined(overrideIn(["Date", "x", "X-Amz-Copy-Source-Range", "bytes=0-9", "DNT", "1"], "/", HOST))
    assert.strictEqual(overrideIn([], "/a?b=c&_method=delete", HOST), "_method")
    assert.strictEqual(overrideIn([], "/a?%24httpMethod=DELETE", HOST), "$httpMethod")
    assert.strictEqual(overrideIn([], "/a?b;%5Fmethod", HOST), "_method")
    assert.strictEqual(overrideIn([], "/a?.method=DELETE", HOST), ".method")
    assert.isUndefined(overrideIn([], "/a?method=DELETE&opt_method=DELETE", HOST))
    for (const host of ["graph.facebook.com", "graph-video.facebook.com", "graph.instagram.com", "graph.threads.net"]) {
      assert.strictEqual(overrideIn([], "/me?fields=id&+m%65thod=delete", host), "method", host)
    }
    assert.strictEqual(overrideIn([], "/api/1.0/tasks/1?opt_method=delete", "app.asana.com"), "opt_method")
    const started = process.cpuUsage()
    assert.isUndefined(overrideIn([], `/?_method${"_".repeat(60_000)}a`, HOST))
    assert.isBelow(process.cpuUsage(started).user, 1_000_000, "takes linear time")
    assert.isUndefined(overrideIn([], "/me?payment_method=1&methods=2", "graph.facebook.com"))
    assert.isUndefined(
      overrideIn(["X-Request-Id", "_method", "Accept", "x-http-method"], "/_method?a=_method&my_method=1", HOST)
    )
  })
})

/** How many chains of nested runs are tried. */
const chains = Number(process.env["CREDSVC_RUN_CHAINS"] ?? 500)

const segment = fc.constantFrom("a", "b", "A", "*", "**", "a*")
const anyRule = fc.tuple(
  fc.constantFrom("", "GET ", "POST ", "GET,DELETE "),
  fc.constantFrom("x.example.com", "*.example.com", "y.example.com"),
  fc.array(segment, { maxLength: 3 }),
  fc.constantFrom("", "", "", " query", " mutation:a*")
).map(([methods, name, segments, operation]) => `${methods}${name}/${segments.join("/")}${operation}`)

const anySet: fc.Arbitrary<RuleSet> = fc.record({
  allow: fc.array(anyRule, { maxLength: 3 }),
  deny: fc.array(anyRule, { maxLength: 2 }),
  readonly: fc.boolean()
})

const anyRequest: fc.Arbitrary<RuledRequest> = fc.record({
  method: fc.constantFrom("GET", "HEAD", "POST", "DELETE"),
  host: fc.constantFrom("x.example.com", "y.example.com"),
  port: fc.constant(443),
  path: fc.array(fc.constantFrom("a", "b", "A", "a%2Fb", "a%23", "graphql", ".."), { maxLength: 3 }).map((parts) =>
    `/${parts.join("/")}`
  ),
  isUpgrade: fc.boolean(),
  fields: fc.constantFrom(
    undefined,
    "hidden" as const,
    [{ type: "query" as const, field: "a" }],
    [{ type: "mutation" as const, field: "a" }, { type: "mutation" as const, field: undefined }]
  )
})

describe("RuleSets", () => {
  propertyTest(chains)(
    `never allow in ${chains} chains of nested runs a request that one of the runs refuses`,
    fc.array(anySet, { minLength: 2, maxLength: 6 }),
    fc.array(anyRequest, { minLength: 1, maxLength: 6 }),
    (sets, requests) => {
      let joined: ReadonlyArray<RuleSet> = []
      for (const own of sets) joined = joinRules([own], joined)
      const all = compileRules(joined)
      for (const each of requests) {
        const alone = new Set(sets.map((own) => compileRules([own]).decide(each)._tag))
        const expected = alone.has("Refused") ? "Refused" : alone.has("NeedsBody") ? "NeedsBody" : "Allowed"
        assert.strictEqual(all.decide(each)._tag, expected)
      }
    }
  )
})
