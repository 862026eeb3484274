import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as net from "node:net"
import { vi } from "vitest"
import { Identities } from "../../src/callers/Identities.ts"
import { replayWindow, UsedNonces } from "../../src/callers/UsedNonces.ts"
import { Settings } from "../../src/config/Settings.ts"
import { contentDigest } from "../../src/http/signatures/ContentDigest.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { LeaseOwner } from "../../src/platform/store/LeaseOwner.ts"
import { CallerAdmission, isRefusal } from "../../src/server/http/CallerAdmission.ts"
import { Instance } from "../../src/server/http/Instance.ts"
import { PageSessions } from "../../src/server/http/PageSessions.ts"
import { PeerAdmission } from "../../src/server/http/PeerAdmission.ts"
import { burst } from "../../src/server/http/RateLimit.ts"
import { effect, testsWith } from "../support/Fixture.ts"
import {
  createCode,
  enroll,
  enrolled,
  makeKey,
  post,
  publicHost,
  registration,
  type RemoteIdentity,
  type RemoteKey,
  send,
  type SignedRequest,
  startExposedDaemon
} from "../support/RemoteCaller.ts"
import type { TestDaemonShape } from "../support/TestDaemon.ts"
import { testInstance } from "../support/TestInstance.ts"

const exposed = testsWith(startExposedDaemon)

const now = () => Math.floor(Date.now() / 1000)
const login = { provider: "openai", connection: "one" }
const loginTarget = "/auth/sessions?a=b"

/** A request that covers every kind of component. */
const signLogin = (caller: RemoteIdentity, more: Parameters<RemoteIdentity["sign"]>[1] = {}) =>
  caller.sign("/connections/openai/default/check?", {
    method: "POST",
    body: {},
    headers: { "credsvc-profile": caller.profile },
    ...more
  })

const withHeaders = (request: SignedRequest, headers: Readonly<Record<string, string>>): SignedRequest => ({
  ...request,
  headers: { ...request.headers, ...headers }
})

const withoutHeader = (request: SignedRequest, name: string): SignedRequest => ({
  ...request,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([each]) => each !== name))
})

type Attempt = (caller: RemoteIdentity, other: RemoteIdentity) => SignedRequest

const unauthorized: Readonly<Record<string, Attempt>> = {
  "without a signature": (caller) => withoutHeader(withoutHeader(signLogin(caller), "signature"), "signature-input"),
  "with a stolen signature, of another request": (caller) => {
    const { signature = "", "signature-input": input = "" } = signLogin(caller).headers
    return withHeaders(caller.sign("/connections"), { signature, "signature-input": input })
  },
  "with another method": (caller) => ({ ...signLogin(caller), method: "DELETE" }),
  "with another path": (caller) => ({ ...signLogin(caller), target: "/connections/openai/work/check?" }),
  "with another query": (caller) => ({ ...signLogin(caller), target: `${signLogin(caller).target}a=b` }),
  "with a query added": (caller) => ({ ...caller.sign("/connections"), target: "/connections?provider=openai" }),
  "with other content": (caller) => ({ ...signLogin(caller), body: "{ }" }),
  "without its content": (caller) => ({ ...signLogin(caller), body: undefined }),
  "with content added": (caller) => ({ ...signLogin(caller), body: "{}{}" }),
  "with another digest and its content": (caller) => ({
    ...withHeaders(signLogin(caller), { "content-digest": contentDigest("[]") }),
    body: "[]"
  }),
  "with another profile in its field": (caller, { profile }) =>
    withHeaders(signLogin(caller), { "credsvc-profile": profile }),
  "without a field that was signed": (caller) => withoutHeader(signLogin(caller), "credsvc-profile"),
  "with a field that was not signed": (caller) =>
    withHeaders(signLogin(caller), { "credsvc-run": "a-run-0123456789abcdef" }),
  ...Object.fromEntries(
    ["@method", "@authority", "@path", "@query", "content-digest", "credsvc-profile"].map((
      without
    ): [string, Attempt] => [
      `whose signature does not cover ${without}`,
      (caller) => signLogin(caller, { without })
    ])
  ),
  "with the key of another identity": (caller, { keyId }) => signLogin(caller, { parameters: { keyid: keyId } }),
  "with a key that is not enrolled": () => makeKey().sign("/connections"),
  "signed for another purpose": (caller) => signLogin(caller, { parameters: { tag: "another" } }),
  "signed with a short nonce": (caller) => signLogin(caller, { parameters: { nonce: "short" } }),
  "signed with another algorithm": (caller) => signLogin(caller, { parameters: { alg: "hmac-sha256" } }),
  "signed too long ago": (caller) => signLogin(caller, { parameters: { created: now() - replayWindow - 2 } }),
  "signed in the future": (caller) => signLogin(caller, { parameters: { created: now() + replayWindow + 2 } })
}

const forbidden: Readonly<Record<string, Attempt>> = {
  "for another profile than that of the identity": (caller, { profile }) =>
    signLogin(caller, { headers: { "credsvc-profile": profile } }),
  "for an operation of the administrator": (caller) => caller.sign("/identities"),
  "for a page of the dashboard": (caller) => caller.sign("/ui/connections")
}

const publicInstance = testInstance({
  baseUrl: `https://${publicHost}`,
  authorities: new Map([[publicHost, `https://${publicHost}`]]),
  exposed: true
})

const identityOf = ({ keyId, publicKey }: RemoteKey) => ({
  publicKey,
  identity: {
    name: keyId,
    profile: "alice",
    keyId,
    createdAt: DateTime.nowUnsafe(),
    disabledAt: null,
    job: null
  } as never,
  tokenHash: null
})

/** The admission of an exposed daemon, to which these keys are enrolled. */
const admission = (known: ReadonlyArray<RemoteKey>) => {
  const unused = Effect.die("not used")
  return CallerAdmission.pipe(
    Effect.provide(
      Layer.provide(CallerAdmission.layerNoDeps, Layer.provide(PageSessions.layerNoDeps, PeerOwner.layer))
    ),
    Effect.provideService(Identities, {
      find: (keyId) => Effect.succeed(known.filter((key) => key.keyId === keyId).map(identityOf)[0]),
      list: unused,
      createCode: () => unused,
      requireCode: () => unused,
      enroll: () => unused,
      setEnabled: () => unused
    }),
    Effect.provideService(LeaseOwner, LeaseOwner.ofProcess()),
    Effect.provideService(UsedNonces, { areKept: false, use: () => Effect.succeed("fresh") }),
    Effect.provideService(PeerAdmission, {
      isAdmitted: () => true,
      hasProved: () => false,
      admit: () => Effect.succeed(true)
    }),
    Effect.provideService(Instance, publicInstance),
    Effect.provide(Settings.layerOf({ home: "/h" }))
  )
}

/** A request as it arrived, for `admit`. */
const received = ({ headers, method, target }: SignedRequest, content: Effect.Effect<string> = Effect.succeed("")) => ({
  socket: new net.Socket(),
  head: { method, target, httpVersion: "1.1", rawHeaders: Object.entries(headers).flat() },
  route: "/connections",
  content
})

/** Sends a request, and reads the lines of its response until the scope closes. */
const linesOf = ({ port }: TestDaemonShape, { body, headers, method, target }: SignedRequest) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        let text = ""
        const request = builtins.http.request({ port, method, path: target, headers, agent: false }, (response) => {
          response.setEncoding("utf8").on("data", (chunk: string) => text += chunk).on("error", () => {})
        })
        request.on("error", () => {}).end(body)
        return { request, text: () => text }
      }),
      ({ request }) => Effect.sync(() => request.destroy())
    ),
    ({ text }) => () => text().split("\n").slice(0, -1).map((line) => JSON.parse(line))
  )

describe("an exposed daemon", () => {
  exposed.live("refuses requests from other machines that are not signed correctly", function*(daemon) {
    const [caller, other] = [yield* enrolled(daemon, "alice"), yield* enrolled(daemon, "bob")]
    const valid = yield* send(daemon, signLogin(caller))
    assert.strictEqual(valid.status, 404, "the same request with a valid signature reaches the operation")
    const used = signLogin(caller)
    yield* send(daemon, used)
    for (const [title, attempt] of Object.entries<Attempt>({ ...unauthorized, "with a used signature": () => used })) {
      const refused = yield* send(daemon, attempt(caller, other))
      assert.strictEqual(refused.status, 401, `${title}: ${refused.body}`)
      assert.include(refused.headers["www-authenticate"], "Signature", title)
    }
    for (const [title, attempt] of Object.entries(forbidden)) {
      assert.strictEqual((yield* send(daemon, attempt(caller, other))).status, 403, title)
    }
    const early = yield* send(daemon, signLogin(caller, { parameters: { created: now() - 45 } }))
    assert.strictEqual(early.status, 503, "another replica may have accepted this before the daemon started")
  })

  exposed.live("accepts signed requests of an identity, except while it is disabled", function*(daemon) {
    const caller = yield* enrolled(daemon, "alice")
    assert.strictEqual((yield* caller.request("/whoami")).json.profile, "alice")
    const change = (what: string) => daemon.request(`/identities/${caller.name}/${what}`, { method: "POST" })
    assert.isNotNull((yield* change("disable")).json.disabled_at)
    assert.strictEqual((yield* caller.request("/whoami")).status, 403)
    assert.isNull((yield* change("enable")).json.disabled_at)
    assert.strictEqual((yield* caller.request("/whoami")).status, 200)
    const { json } = yield* daemon.request("/audit")
    assert.includeMembers(json.entries.map(({ connection, event }: any) => `${event} ${connection}`), [
      "enrollment-code-create alice",
      "identity-enroll alice",
      "identity-disable alice",
      "identity-enable alice"
    ])
  })

  exposed.live("notifies the runs of a disabled identity, so that their open streams end", function*(daemon) {
    const caller = yield* enrolled(daemon, "alice")
    const signed = caller.sign("/runs", post(registration, { "credsvc-run": "r".repeat(43) }))
    const lines = yield* linesOf(daemon, signed)
    while (lines().length < 1) yield* Effect.sleep(5)
    yield* daemon.request(`/identities/${caller.name}/disable`, { method: "POST" })
    while (lines().length < 2) yield* Effect.sleep(5)
    assert.deepStrictEqual(lines()[1], { notice: "changed" })
  })

  exposed.live("responds to unsigned requests only with its health", function*(daemon) {
    const headers = { host: publicHost }
    const health = yield* daemon.request(`/health?nonce=${"0".repeat(64)}`, { headers })
    assert.strictEqual(health.status, 200)
    assert.isUndefined(health.headers["credsvc-proof"])
    assert.strictEqual(health.json.master_key_description, "")
    const ready = yield* daemon.request("/ready", { headers })
    assert.strictEqual(ready.status, 200)
    const local = yield* daemon.request("/ready")
    const { identity } = local.json.checks
    assert.notStrictEqual(identity.message, "")
    assert.notInclude(ready.body, identity.message)
    assert.notInclude(ready.body, daemon.home)
    for (const target of ["/metrics", "/docs", "/openapi.json", "/ui/", "/nothing", "/providers"]) {
      assert.strictEqual((yield* daemon.request(target, { headers })).status, 401, target)
    }
  })

  exposed.live("shows the pages of a login, and its state, to the browser of the caller", function*(daemon) {
    const caller = yield* enrolled(daemon, "alice")
    const { json } = yield* caller.request("/auth/sessions", { method: "POST", body: login })
    const page = new URL(json.next_action.url)
    const shown = yield* daemon.request(page.pathname, { headers: { host: publicHost } })
    assert.strictEqual(shown.status, 200)
    assert.include(shown.body, "OpenAI")
    const read = (headers: Record<string, string>) =>
      daemon.request(page.pathname.replace(/\/input$/, ""), { headers: { host: publicHost, ...headers } })
    assert.strictEqual((yield* read({})).json.status, "waiting_for_user")
    for (const profile of ["alice", "unknown"]) {
      assert.strictEqual((yield* read({ "credsvc-profile": profile })).status, 200)
    }
    assert.strictEqual(
      (yield* daemon.post(loginTarget, login, { host: publicHost })).status,
      401
    )
  })

  exposed.live("registers no credential command for another machine", function*(daemon) {
    const caller = yield* enrolled(daemon, "alice")
    const command = { argv: ["/bin/echo", "sk-secret"], output: "text", values: {} }
    const { json, status } = yield* caller.request("/auth/sessions", { method: "POST", body: { ...login, command } })
    assert.strictEqual(status, 403)
    assert.include(json.detail, "Only the administrator can register a credential command")
  })

  effect("limits the requests of each identity", function*() {
    const [key, other] = [makeKey(), makeKey()]
    const callers = yield* admission([key, other])
    const admit = (caller: RemoteKey) => callers.admit(received(caller.sign("/connections")))
    const time = Date.now()
    const clock = vi.spyOn(Date, "now").mockReturnValue(time)
    yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
    const results = yield* Effect.forEach(Array.from({ length: burst + 1 }), () => admit(key))
    const limited = results.filter(isRefusal)
    assert.deepStrictEqual(limited.map(({ headers, status }) => [status, headers?.["retry-after"]]), [[429, "1"]])
    assert.isTrue(isRefusal(results[burst]!))
    assert.isFalse(isRefusal(yield* admit(other)))
  })
})

describe("CallerAdmission", () => {
  exposed.live("accepts one of several requests with the same signature that arrive at once", function*(daemon) {
    const signed = (yield* enrolled(daemon, "alice")).sign("/whoami")
    const answers = yield* Effect.all(Array.from({ length: 8 }, () => send(daemon, signed)), { concurrency: 8 })
    assert.lengthOf(answers.filter(({ status }) => status === 200), 1)
  })

  effect("does not read the content of a request with a stale signature", function*() {
    const key = makeKey()
    const callers = yield* admission([key])
    const signed = key.sign("/connections", { parameters: { created: now() - replayWindow - 2 } })
    assert.isTrue(isRefusal(yield* callers.admit(received(signed, Effect.die("read")))))
  })
})

describe("enrollment", () => {
  const withProfile = testsWith(
    Effect.tap(startExposedDaemon, (daemon) => daemon.post("/profiles", { handle: "alice" }))
  )
  /** The code with another last digit. */
  const misspelled = (code: string) => code.slice(0, -1) + (code.endsWith("0") ? "1" : "0")
  const unusable = (answer: { readonly status: number; readonly json: any }) => {
    assert.strictEqual(answer.status, 403)
    assert.include(answer.json.detail, "The enrollment code is invalid, has expired, or was already used")
  }

  withProfile.live("accepts a code once, in upper or lower case, with or without hyphens", function*(daemon) {
    const code = yield* createCode(daemon, "alice")
    assert.strictEqual((yield* enroll(daemon, makeKey(), ` ${code.toUpperCase().replaceAll("-", "")} `)).status, 201)
    unusable(yield* enroll(daemon, makeKey(), code))
  })

  withProfile.live(
    "invalidates a code after five wrong secrets, and when its name gets another code",
    function*(daemon) {
      const guessed = yield* createCode(daemon, "alice")
      for (let attempt = 0; attempt < 5; attempt++) unusable(yield* enroll(daemon, makeKey(), misspelled(guessed)))
      unusable(yield* enroll(daemon, makeKey(), guessed))
      const replaced = yield* createCode(daemon, "alice", { name: "laptop" })
      const current = yield* createCode(daemon, "alice", { name: "laptop" })
      unusable(yield* enroll(daemon, makeKey(), replaced))
      assert.strictEqual((yield* enroll(daemon, makeKey(), current)).json.name, "laptop")
    }
  )

  withProfile.live("requires a signature by the key that it enrolls, and enrolls each key once", function*(daemon) {
    const [key, other] = [makeKey(), makeKey()]
    const code = yield* createCode(daemon, "alice")
    const stolen = key.sign("/identities", { method: "POST", body: { code, public_key: other.publicKey } })
    const foreign = yield* send(daemon, stolen)
    assert.strictEqual(foreign.status, 403)
    assert.include(foreign.json.detail, "must be signed by the key that it enrolls")
    const unsigned = yield* daemon.post("/identities", { code, public_key: key.publicKey }, { host: publicHost })
    assert.strictEqual(unsigned.status, 403)
    assert.strictEqual((yield* enroll(daemon, key, code)).status, 201)
    const again = yield* enroll(daemon, key, yield* createCode(daemon, "alice"))
    assert.include(again.json.detail, "This key is already enrolled as \"alice\"")
  })

  withProfile.live("accepts a signature once, and only for the signed code", function*(daemon) {
    const key = makeKey()
    const signed = (code: string) =>
      key.sign("/identities", { method: "POST", body: { code, public_key: key.publicKey } })
    const code = yield* createCode(daemon, "alice")
    const other = yield* createCode(daemon, "alice", { name: "other" })
    const changed = yield* send(daemon, { ...signed(code), body: signed(other).body })
    assert.include(changed.json.detail, "must be signed by the key that it enrolls")
    const guess = signed(misspelled(code))
    unusable(yield* send(daemon, guess))
    assert.include((yield* send(daemon, guess)).json.detail, "must be signed by the key that it enrolls")
    assert.strictEqual((yield* send(daemon, signed(code))).status, 201)
  })

  withProfile.live("writes nothing for an unknown code", function*(daemon) {
    const key = makeKey()
    const code = yield* createCode(daemon, "alice")
    const unknown = `${code.startsWith("0") ? "1" : "0"}${code.slice(1)}`
    const request = key.sign("/identities", { method: "POST", body: { code: unknown, public_key: key.publicKey } })
    for (let attempt = 0; attempt < 2; attempt++) unusable(yield* send(daemon, request))
  })

  withProfile.live("refuses a code that has expired", function*(daemon) {
    const code = yield* createCode(daemon, "alice", { expires_in: 60 })
    const time = Date.now()
    const clock = vi.spyOn(Date, "now").mockImplementation(() => time + 61_000)
    yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
    unusable(yield* enroll(daemon, makeKey(), code))
  })

  exposed.live("requires an existing profile and an unused name", function*(daemon) {
    const create = (body: object) => daemon.post("/identities/codes", body)
    assert.include((yield* create({ profile: "nobody" })).json.detail, "Unknown profile \"nobody\"")
    yield* enrolled(daemon, "alice")
    assert.include(
      (yield* create({ profile: "alice", name: "alice" })).json.detail,
      "Identity \"alice\" already exists"
    )
    assert.strictEqual((yield* create({ profile: "alice" })).json.name, "alice-2")
  })
})
