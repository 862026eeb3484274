/** The explanation of a request is what the proxy does with it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RuleSet } from "../../src/domain/rules/RuleSchemas.ts"
import { compileRules } from "../../src/domain/rules/RuleSet.ts"
import { explainRequest } from "../../src/proxy/Explanation.ts"
import * as RouteTable from "../../src/proxy/routing/RouteTable.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import * as fc from "../support/FastCheck.ts"
import { live } from "../support/Fixture.ts"
import { EVIL, HOST, proxyTo } from "../support/ProxiedHost.ts"
import { bearer, fakeDaemon, noCredential, route } from "../support/ProxyHarness.ts"
import { authority } from "../support/TestCertificates.ts"

/** How many requests are tried with each of the sets of rules. */
const tries = Number(process.env["CREDSVC_EXPLANATIONS"] ?? 60)

const PATHS = "api.paths.example"
const SHARED = "api.shared.example"
const UNCONNECTED = "api.unconnected.example"
const hosts = [HOST, PATHS, SHARED, UNCONNECTED, EVIL]

const routes = [
  route(HOST, "example"),
  route(PATHS, "one", { pathPrefix: "/one" }),
  route(PATHS, "two", { pathPrefix: "/two" }),
  route(SHARED, "three"),
  route(SHARED, "four"),
  route(UNCONNECTED, "five", { connected: false, connection: null })
]

const sets: ReadonlyArray<ReadonlyArray<RuleSet>> = [
  [],
  [{ allow: [], deny: [], readonly: true }],
  [{ allow: [`GET ${HOST}/one/**`, `${PATHS}/two/*`, SHARED], deny: [`${PATHS}/two/x`], readonly: false }],
  [{ allow: [], deny: [`${HOST}/one`, `GET ${PATHS}/graphql`, EVIL], readonly: false }, {
    allow: [HOST, PATHS],
    deny: [],
    readonly: false
  }]
]

const JSON_TYPE = ["Content-Type", "application/json"]
const FORM = ["Content-Type", "application/x-www-form-urlencoded"]
const bodies: ReadonlyArray<readonly [headers: ReadonlyArray<string>, body: string | undefined]> = [
  [[], undefined],
  [[], undefined],
  [["X.HTTP.Method", "PUT"], undefined],
  [["X-A", "b", "Connection", "x-a"], undefined],
  [[], "_method=PUT"],
  [["Expect", "more"], "a=b"],
  [FORM, "_method=PUT"],
  [FORM, "a=b"],
  [[...FORM, "Connection", "content-type"], "_method=PUT"],
  [JSON_TYPE, "{\"query\":\"{ a }\"}"],
  [JSON_TYPE, "{\"query\":\"mutation { a }\"}"],
  [JSON_TYPE, "{\"query\":1,}"],
  [JSON_TYPE, ""]
]

const request = fc.tuple(
  fc.constantFrom("GET", "GET", "DELETE", "OPTIONS", "TRACE", "PUT", "POST", "POST"),
  fc.constantFrom("https", "https", "https", "http"),
  fc.constantFrom(...hosts, ...hosts, HOST.toUpperCase(), `${HOST}:8443`, `${PATHS}.`, "127.0.0.1:9"),
  fc.array(
    fc.constantFrom("/one", "/two", "/x", "/", "/..", "/%2e%2e", "%2Fx", ";a", "/ONE", "?_method=PUT", "/graphql"),
    {
      maxLength: 3
    }
  ),
  fc.constantFrom(...bodies)
)

const outcomes = new Set<string>()

describe("explainRequest", () => {
  for (const unmatched of ["allow", "deny"] as const) {
    for (const [index, rules] of sets.entries()) {
      live(`agrees with the proxy about any request, with rules ${index} and --unmatched ${unmatched}`, function*() {
        const upstream = yield* FakeUpstream.make({ certificate: authority.issue(hosts) })
        const plain = yield* FakeUpstream.make()
        const daemon = fakeDaemon(routes, {
          resolve: (asked) =>
            asked.provider === "five" ? noCredential()() : Effect.succeed(bearer(asked, `of-${asked.provider}`))
        })
        const to = Object.fromEntries(hosts.flatMap((host) => [
          [host, upstream.port],
          [`${host}:80`, plain.port],
          [`${host}:8443`, upstream.port]
        ]))
        const { events, forward } = yield* proxyTo(to, { daemon, rules, unmatched })
        const table = RouteTable.make("1", routes)
        const limits = { table, rules: rules.length === 0 ? undefined : compileRules(rules), unmatched }
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(request, async ([method, scheme, host, parts, [headers, body]]) => {
              const data = body === undefined ? undefined : Buffer.from(body)
              const lines = headers.map((text, at) => at % 2 === 0 ? `${text}: ` : `${text}\r\n`).join("") +
                (data === undefined ? "" : `Content-Length: ${data.length}\r\n`)
              const url = `${scheme}://${host}${parts.join("").replace(/^(?![/?])/, "/")}`
              const explained = explainRequest(limits, { method, url, headers, data })
              const seen = { tls: upstream.seen.length, plain: plain.seen.length }
              const response = await Effect.runPromise(forward(`${method} ${url}`, `Host: ${HOST}\r\n${lines}`, body))
              const arrived = upstream.seen.length > seen.tls || plain.seen.length > seen.plain
              if (explained === undefined) return assert.strictEqual(response.status, 400, url)
              outcomes.add(explained.outcome)
              const event = events.at(-1)
              const refusal = event?.refusal
              switch (explained.outcome) {
                case "refused":
                  assert.isFalse(arrived, url)
                  assert.deepStrictEqual(refusal, explained.refusal!, url)
                  break
                case "not_connected":
                  assert.isFalse(arrived, url)
                  assert.deepInclude(refusal, { error: "CredentialMissingError" }, url)
                  assert.strictEqual(event?.provider, explained.provider!)
                  break
                case "credential":
                  assert.isTrue(arrived, url)
                  assert.strictEqual(
                    upstream.seen.at(-1)?.headers.authorization,
                    `Bearer of-${explained.provider}`,
                    url
                  )
                  break
                case "no_credential":
                  // The server of the test does not have the certificate of every host.
                  assert.notInclude(JSON.stringify(upstream.seen.slice(seen.tls)), "Bearer of-", url)
                  if (refusal !== undefined) {
                    assert.include(["EndpointUnreachableError", "RequestRefusedError"], refusal.error)
                  }
                  assert.notInclude(refusal?.message ?? "", "rules of this run")
                  assert.notInclude(refusal?.message ?? "", "--unmatched")
                  break
                default:
                  assert.fail(explained.outcome)
              }
            }),
            { numRuns: tries }
          )
        )
      })
    }
  }

  it("explains every outcome, and rejects invalid URLs", () => {
    assert.sameMembers([...outcomes], ["credential", "no_credential", "not_connected", "refused"])
    const table = RouteTable.make("1", routes)
    for (const url of ["api.example.com", "ftp://api.example.com/", "https://user@api.example.com/", "https://a/#b"]) {
      assert.isUndefined(explainRequest({ table, rules: undefined, unmatched: "allow" }, { method: "GET", url }), url)
    }
  })

  it("says that the decision depends on the GraphQL operations if the body is unknown", () => {
    const limits = {
      table: RouteTable.make("1", routes),
      rules: compileRules([{ allow: [], deny: [], readonly: true }]),
      unmatched: "allow" as const
    }
    const explained = (query?: string) =>
      explainRequest(limits, {
        method: "POST",
        url: `https://${HOST}/graphql`,
        headers: ["Content-Type", "application/json"],
        data: query === undefined ? undefined : Buffer.from(JSON.stringify({ query }))
      })
    assert.deepInclude(explained(), { outcome: "refused", lacksBody: true })
    assert.deepInclude(explained("{ a }"), { outcome: "credential", provider: "example" })
    assert.deepInclude(explained("mutation { a }"), { outcome: "refused", lacksBody: false })
  })
})
