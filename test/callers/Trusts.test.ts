import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { operations } from "../../src/api/Api.ts"
import { ruleOf, servedPaths } from "../../src/server/http/CallerRules.ts"
import { testsWith } from "../support/Fixture.ts"
import { audience, type JobTrusts, jobTrusts, loginKey } from "../support/JobTrusts.ts"
import { makeKey, registration, send } from "../support/RemoteCaller.ts"
import type { RequestOptions, TestDaemonShape } from "../support/TestDaemon.ts"
import { eventually } from "../support/Until.ts"

const { live } = testsWith(jobTrusts)

describe("A trust", () => {
  const cluster = { issuer: "https://cluster.example" }
  /** Trusts that are refused, and lawful ones beside them. */
  const refused: ReadonlyArray<readonly [refusal: RegExp, trust: object]> = [
    [/strangers/, { claims: { ref: "refs/heads/main" } }],
    [/wildcard/, { claims: { repository: "*/shop" } }],
    [/https URL/, { issuer: "http://ci.example", claims: { sub: "a" } }],
    [/https URL/, { issuer: "https://user@ci.example", claims: { sub: "a" } }],
    [/https URL/, { issuer: "https://127.0.0.1", claims: { sub: "a" } }],
    [/https URL/, { issuer: "https://ci.example/?a=b", claims: { sub: "a" } }],
    [/https URL/, { issuer: "constructor", claims: { sub: "a" } }],
    [/must not be the issuer/, {
      ...cluster,
      audience: cluster.issuer,
      claims: { sub: "system:serviceaccount:shop:web" }
    }],
    [/Unknown profile/, { profile: "unknown", claims: { repository: "acme/shop" } }],
    [/Unknown policy/, { policies: ["unknown"], claims: { repository: "acme/shop" } }],
    [/expires_in/, { expires_in: 59, claims: { repository: "acme/shop" } }],
    [/expires_in/, { expires_in: 86_401, claims: { repository: "acme/shop" } }]
  ]
  const lawful: ReadonlyArray<object> = [
    { claims: { repository: "acme/*", ref: "refs/heads/release-*" } },
    { issuer: "gitlab", claims: { project_path: "acme/*" } },
    { issuer: "buildkite", claims: { organization_slug: "acme", pipeline_slug: "shop-*" } },
    { ...cluster, claims: { sub: "system:serviceaccount:shop:*" } }
  ]

  live(
    "that would accept the jobs of strangers is refused, and a trust for a single owner is created",
    function*({ daemon, trust }) {
      for (const [refusal, more] of refused) {
        const { body, status } = yield* trust(more)
        assert.include([400, 403], status, JSON.stringify(more))
        assert.match(body, refusal, JSON.stringify(more))
      }
      for (const [at, more] of lawful.entries()) {
        const { body, status } = yield* trust({ name: `lawful-${at}`, ...more })
        assert.strictEqual(status, 201, body)
      }
      assert.strictEqual((yield* daemon.request("/trusts")).json.trusts.length, lawful.length)
    }
  )

  live(
    "is recorded with the jobs that it enrolls and those that it refuses",
    function*({ daemon, enroll, job, token, trust }) {
      yield* trust()
      const { name } = yield* job
      yield* enroll(token({ repository: "evil/shop" }))
      yield* daemon.request("/trusts/ci", { method: "DELETE" })
      const { json } = yield* daemon.request("/audit")
      const seen = json.entries.map((
        { connection, event, identity, status }: any
      ) => [event, connection, identity, status])
      const administrator = seen.find(([event]: any) => event === "trust-create")[2]
      assert.deepStrictEqual(seen.slice(-4), [
        ["trust-create", "ci", administrator, "ok"],
        ["identity-enroll", name, "ci", "ok"],
        ["identity-enroll", null, "ci", "denied"],
        ["trust-remove", "ci", administrator, "ok"]
      ])
    }
  )

  live("records no refusal of a token for another audience", function*({ daemon, enroll, token, trust }) {
    yield* trust()
    for (const aud of ["https://github.com/evil", [audience, "https://other.example"], []]) {
      assert.match((yield* enroll(token({ aud, repository: "evil/shop" }))).body, /no trust accepts its claims/)
    }
    const denied = Effect.map(
      daemon.request("/audit"),
      ({ json }) => json.entries.filter(({ event }: any) => event === "identity-enroll").length
    )
    assert.strictEqual(yield* denied, 0)
    yield* enroll(token({ repository: "evil/shop" }))
    assert.strictEqual(yield* denied, 1)
  })
})

describe("A job", () => {
  type Request = Effect.Success<JobTrusts["job"]>["request"]
  const runId = "a-run-of-the-job-0123456789"
  const resolve = (host: string) => ({ method: "POST", body: { host }, headers: { "credsvc-run": runId } })

  const register = (request: Request, more: object = {}) =>
    request("/runs", { method: "POST", body: { ...registration, ...more }, headers: { "credsvc-run": runId } })
  /** Registers a run until the scope closes. */
  const startRun = (daemon: TestDaemonShape, request: Request) =>
    Effect.andThen(
      Effect.forkScoped(register(request)),
      eventually(daemon.request("/runs"), ({ json }) => json.runs.length > 0)
    )

  live(
    "uses credentials of its trust's providers in its runs until its key expires",
    function*({ daemon, job, login, pass, trust }) {
      yield* login
      yield* trust({ providers: ["openai"], expires_in: 60 })
      const { request } = yield* job
      assert.match(
        (yield* register(request, { providers: ["mistral"] })).body,
        /trust of this job is limited to openai/
      )
      yield* startRun(daemon, request)
      const allowed = yield* request("/credentials/resolve", resolve("api.openai.com"))
      assert.strictEqual(allowed.status, 200, allowed.body)
      const other = yield* request("/credentials/resolve", resolve("api.mistral.ai"))
      assert.strictEqual(other.status, 403, other.body)
      yield* pass("61 seconds")
      const late = yield* request("/credentials/resolve", resolve("api.openai.com"))
      assert.match(late.body, /key of this job has expired/)
    }
  )

  live("has the rules of the policies of its trust", function*({ daemon, job, login, post, trust }) {
    yield* login
    const policy = { allow: [], deny: ["POST api.openai.com"], readonly: false }
    yield* post("/policies/reads", policy, { "credsvc-profile": "ci" })
    yield* trust({ policies: ["reads"] })
    const { request } = yield* job
    const { json } = yield* startRun(daemon, request)
    assert.deepStrictEqual(json.runs[0].rules.map(({ deny }: any) => deny), [["POST api.openai.com"]])
  })

  /** How each operation for jobs is called, and its status, 404 for a connection of another profile. */
  const uses: Readonly<Record<string, readonly [target: string, options: RequestOptions, status: number]>> = {
    "system.whoami": ["/whoami", {}, 200],
    "connections.list": ["/connections", {}, 200],
    "connections.get": ["/connections/openai/foreign", {}, 404],
    "credentials.resolve": [
      "/credentials/resolve",
      { ...resolve(""), body: { host: "api.openai.com", provider: "openai", connection: "foreign" } },
      404
    ],
    "providers.list": ["/providers", {}, 200],
    "providers.get": ["/providers/openai", {}, 200],
    "proxy.routes": ["/proxy/routes", {}, 200],
    // Beyond the trust, because a registration holds the response.
    "runs.register": ["/runs", { ...resolve(""), body: { ...registration, providers: ["mistral"] } }, 400],
    "runs.report": ["/runs/requests", { ...resolve(""), body: { part: 2, last: false, missing: 0, entries: [] } }, 200]
  }

  live("calls only the operations for jobs, and sees no other profile", function*({ daemon, job, login, post, trust }) {
    yield* login
    const { json } = yield* post("/auth/sessions", { provider: "openai", connection: "foreign" })
    yield* post(`/auth/sessions/${json.session_id}/resume`, { data: { api_key: loginKey } })
    yield* trust({ providers: ["openai"] })
    const { request } = yield* job
    yield* startRun(daemon, request)
    for (const { method, path } of servedPaths) {
      const rule = ruleOf(method, path)
      if (rule === "anyone" || rule === "job") continue
      const isPage = path.startsWith("/ui/")
      const target = path.replaceAll(/:\w+/g, path.startsWith("/ui/runs/") ? "0123456789" : "openai")
      const type = isPage ? "application/x-www-form-urlencoded" : "application/json"
      const body = method === "POST" ? { headers: { "content-type": type }, body: "{}" } : {}
      const refused = yield* request(target, { method, ...body })
      // The guard refuses a form for a name that cannot exist before it looks at the caller.
      assert.include(isPage ? [403, 415] : [403], refused.status, `${method} ${target}: ${refused.body}`)
      if (rule === "profile") assert.match(refused.body, /A job can only use credentials/, target)
    }
    const forJobs = operations.filter(({ facts }) => facts.callers === "job").map(({ id }) => id)
    assert.sameMembers(Object.keys(uses), forJobs)
    const administrator = (yield* daemon.request("/profiles")).json.active
    for (const [id, [target, options, status]] of Object.entries(uses)) {
      const own = yield* request(target, options)
      assert.strictEqual(own.status, status, `${id}: ${own.body}`)
      if (status === 200) assert.notInclude(own.body, "foreign", id)
      // A run has the profile of its identity, whatever the field says.
      if (id.startsWith("runs.")) continue
      const headers = { ...options.headers, "credsvc-profile": administrator }
      const other = yield* request(target, { ...options, headers })
      assert.strictEqual(other.status, 403, `${id} in the other profile: ${other.body}`)
    }
  })

  live("can neither read secrets nor change the store", function*({ daemon, job, login, trust }) {
    yield* login
    yield* trust()
    const { request } = yield* job
    const attempts: ReadonlyArray<readonly [string, RequestOptions]> = [
      ["/connections/openai/default?reveal=true", {}],
      ["/credentials/resolve", { ...resolve("api.openai.com"), headers: {} }],
      ["/credentials/resolve", {
        ...resolve("api.openai.com"),
        headers: { "credsvc-run": "not-registered-0123456789" }
      }]
    ]
    for (const [target, options] of attempts) {
      const { body, status } = yield* request(target, options)
      assert.strictEqual(status, 403, `${target}: ${body}`)
      assert.notInclude(body, loginKey)
    }
    const local = { headers: { "credsvc-profile": "ci" } }
    const { json: stored } = yield* daemon.request("/connections", local)
    assert.sameMembers(stored.connections.map(({ provider }: any) => provider), ["openai", "mistral"])
    const { json } = yield* daemon.request("/audit", local)
    const denied = json.entries.filter(({ status }: any) => status === "denied").map(({ event }: any) => event)
    assert.includeMembers(denied, ["get", "resolve"])
  })

  live(
    "is refused while its key is disabled, and is stopped with all its keys only by removing the trust",
    function*({ daemon, enroll, job, token, trust }) {
      yield* trust()
      const { key, name, request } = yield* job
      yield* daemon.request(`/identities/${name}/disable`, { method: "POST" })
      assert.match((yield* request("/whoami")).body, /disabled/)
      assert.match((yield* enroll(token(), key)).body, /already enrolled/)
      // No claim identifies a job in all systems, so a new key is not recognized as one of the same job.
      const other = makeKey()
      assert.strictEqual((yield* enroll(token(), other)).status, 201)
      yield* daemon.request("/trusts/ci", { method: "DELETE" })
      assert.strictEqual((yield* send(daemon, other.sign("/whoami"))).status, 401)
      assert.match((yield* enroll(token())).body, /no trust accepts tokens of its issuer/)
    }
  )

  live("cannot take over the key of a machine, nor its name", function*({ daemon, enroll, post, token, trust }) {
    yield* trust()
    const { json } = yield* post("/identities/codes", { profile: "ci", name: "laptop" })
    const machine = makeKey()
    const body = { code: json.code, public_key: machine.publicKey }
    assert.strictEqual((yield* send(daemon, machine.sign("/identities", { method: "POST", body }))).status, 201)
    assert.match((yield* enroll(token(), machine)).body, /already enrolled as \\"laptop\\"/)
    assert.strictEqual((yield* send(daemon, machine.sign("/whoami"))).status, 200)
  })
})
