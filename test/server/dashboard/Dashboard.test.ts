import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { runNameOf } from "../../../src/config/RunMark.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import { PeerOwner } from "../../../src/platform/sockets/PeerOwner.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { pageSize } from "../../../src/server/dashboard/ProviderFilter.ts"
import { StoreManifest } from "../../../src/vault/manifest/StoreManifest.ts"
import { daemonTests } from "../../support/DaemonTests.ts"
import { harnessOf } from "../../support/OAuthHarness.ts"
import { noticed, register } from "../../support/RegisteredRun.ts"
import { fillSampleHome, sampleSecret } from "../../support/SampleHome.ts"
import { dropIn, services } from "../../support/Services.ts"
import { storeOf } from "../../support/StoredConnections.ts"
import { type Returned, toEffect } from "../../support/TestBody.ts"
import { type Answer, postForm, type TestDaemonShape } from "../../support/TestDaemon.ts"
import { openSite, scoped, writeConfig } from "../../support/TestSites.ts"

/** Runs in a home with connections in every possible state. */
const sample = daemonTests(fillSampleHome)

/** The text of a page, with whitespace collapsed. */
const textOf = ({ body }: Answer): string =>
  body.replace(/<(head|script)[\s\S]*?<\/\1>/g, "").replace(/<[^>]+>/g, " ").replaceAll("&#39;", "'").replace(
    /\s+/g,
    " "
  )

const send = (daemon: TestDaemonShape, page: Answer, action: string, fields: Readonly<Record<string, string>> = {}) => {
  const [, form] = page.body.split(`action="${action}">`)
  assert.isDefined(form, `${action} in ${page.body}`)
  // The form of a login has a token of its session.
  const token = /^\s*<input type="hidden" name="form_token" value="([^"]+)"/.exec(form ?? "")?.[1]
  return postForm(daemon, action, token === undefined ? fields : { form_token: token, ...fields })
}

/** Follows the redirect after a form, as a browser does. */
const follow = (daemon: TestDaemonShape, answer: Answer) => {
  assert.strictEqual(answer.status, 303, answer.body)
  return daemon.request(String(answer.headers.location))
}

/** A home with more connections of one provider than a page shows. */
const crowded = daemonTests((home) =>
  Effect.gen(function*() {
    const { transact } = yield* StoreManifest
    const store = yield* storeOf(yield* (yield* Profiles).active)
    const names = Array.from({ length: pageSize + 1 }, (_, index) => `c${String(index).padStart(2, "0")}`)
    const all = Effect.forEach(names, (name) =>
      store({ api_key: name }, { provider: "openai" as ProviderName, connection: name as ConnectionName }))
    yield* transact(all)
  }).pipe(Effect.provide(services(home)))
)

const allPages = [
  "/ui/",
  "/ui/connections",
  "/ui/apps",
  "/ui/apps?q=zzz",
  "/ui/apps/openai",
  "/ui/apps/acme-tasks",
  "/ui/apps/own-desk",
  "/ui/apps/stripe",
  "/ui/apps/openai/default/disconnect",
  "/ui/apps/openai/work@example.com/default",
  "/ui/apps/acme-tasks/revoke",
  "/ui/runs",
  "/ui/requests",
  "/ui/audit",
  "/ui/audit/verify",
  "/ui/approvals"
]

/** A fake API that accepts one key, and a provider whose test request goes there. */
const withApi = (
  title: string,
  body: (daemon: TestDaemonShape, accepted: { key: string }) => Returned<unknown, Scope.Scope>
) => {
  const accepted = { key: sampleSecret }
  return daemonTests(function*(home) {
    const api = yield* scoped(() =>
      openSite(["api.keys.example.test"], (request, response) => {
        response.writeHead(request.headers.authorization === `Bearer ${accepted.key}` ? 200 : 401).end()
      })
    )
    writeConfig(home, [api])
    const definition = { auth_type: "api_key", flow: "api_key", api_url: "https://api.keys.example.test" }
    dropIn(home, { ...definition, name: "keys", display_name: "Keys", test_request: { path: "/me" } })
    dropIn(home, { ...definition, name: "untested", hosts: ["untested.example.test"] })
  })(title, function*(daemon) {
    for (const provider of ["keys", "untested"]) {
      yield* harnessOf(daemon).connect(provider, "default", sampleSecret)
    }
    yield* toEffect(body(daemon, accepted))
  })
}

describe("Connection check", () => {
  withApi(
    "shows whether the provider accepts the credential, and keeps showing a rejection until it does",
    function*(daemon, accepted) {
      const action = "/ui/apps/keys/default/check"
      const check = Effect.gen(function*() {
        const page = yield* daemon.request("/ui/apps/keys")
        return textOf(yield* follow(daemon, yield* send(daemon, page, action)))
      })
      assert.match(yield* check, /Keys accepts the credential\..*default connected/)
      accepted.key = "another"
      const refused =
        /refused .*The provider refused this credential on \d+ \w+ \d+, [\d:]+ \(just now\)\. Check it again, or/
      const page = yield* check
      assert.match(page, /Keys refused the credential \(401\)\. Log in again\./)
      assert.notInclude(page, "credsvc login")
      assert.match(page, refused)
      const overview = textOf(yield* daemon.request("/ui/"))
      assert.match(overview.slice(overview.indexOf("Needs attention")), refused)
      assert.include(textOf(yield* daemon.request("/ui/connections")), "Open Keys, default")
      accepted.key = sampleSecret
      assert.match(yield* check, /Keys accepts the credential\..*default connected/)
      assert.notInclude(textOf(yield* daemon.request("/ui/")), "refused")
    }
  )

  withApi("is offered only if the definition has a test request", function*(daemon) {
    const page = yield* daemon.request("/ui/apps/untested")
    assert.include(textOf(page), "default connected")
    assert.notInclude(page.body, "/check")
  })
})

const manyProviders = (home: string) => {
  for (let index = 0; index < 40; index++) {
    dropIn(home, {
      name: `many-${index}`,
      description: "One of many, with a description that is about as long as such descriptions are. ".repeat(2),
      categories: ["many"],
      auth_type: "api_key",
      flow: "api_key",
      hosts: [`api.many-${index}.example`]
    })
  }
  return fillSampleHome(home)
}

describe("Dashboard", () => {
  sample("lists connections that need attention first, with the reason", function*(daemon) {
    const overview = textOf(yield* daemon.request("/ui/"))
    assert.match(overview, /8 connections 4 need attention 2 used in the last 24 hours/)
    const attention = overview.slice(overview.indexOf("Needs attention"))
    const places = [
      /Acme Tasks old expired The access token has expired\. Log in again\. Open/,
      /Stripe of our own not usable The definition of stripe has changed since this login/,
      /Acme Tasks short expires soon Expires in 2 hours/,
      /overrides the bundled one/,
      /Connections All 8/
    ].map((pattern) => attention.search(pattern))
    assert.notInclude(places, -1, attention)
    assert.deepStrictEqual(places, places.toSorted((left, right) => left - right))
  })

  sample("shows no secret on any page, and transfers less than 60 KB per page with its assets", function*(daemon) {
    for (const target of allPages) {
      const page = yield* daemon.request(target)
      assert.strictEqual(page.status, 200, target)
      assert.notInclude(page.body, sampleSecret)
      const files = [...page.body.matchAll(/(?:href|src)="(\/(?:ui\/assets\/[^"]+|favicon\.ico))"/g)].map((match) =>
        match[1]!
      )
      assert.strictEqual(new Set(files).size, 3)
      let weight = Buffer.byteLength(page.body)
      for (const file of files) weight += Buffer.byteLength((yield* daemon.request(file)).body)
      assert.isBelow(weight, 60_000, target)
    }
  })

  daemonTests(manyProviders)(
    "shows 600 providers on pages of less than 60 KB, and finds each of them",
    function*(daemon) {
      const { json: { providers } } = yield* daemon.request("/providers")
      assert.isAtLeast(providers.length, 600)
      const seen = new Set<string>()
      let next: string | undefined = "/ui/apps"
      while (next !== undefined) {
        const page: Answer = yield* daemon.request(next)
        assert.isBelow(Buffer.byteLength(page.body), 38_000)
        const names = [...page.body.matchAll(/<h2><a href="\/ui\/apps\/([^"]+)"/g)].map((match) => match[1]!)
        assert.isAtMost(names.length, pageSize)
        for (const name of names) seen.add(name)
        next = /<a rel="next" href="([^"]+)"/.exec(page.body)?.[1]?.replaceAll("&amp;", "&")
      }
      assert.deepStrictEqual([...seen].toSorted(), providers.map(({ name }: { name: string }) => name).toSorted())
      const found = yield* daemon.request("/ui/apps?q=many-39")
      assert.match(textOf(found), /1 provider\. many-39/)
    }
  )

  sample("caches styles and script forever, under names that depend on their content", function*(daemon) {
    const { body } = yield* daemon.request("/ui/")
    for (const [, file = ""] of body.matchAll(/"(\/ui\/assets\/[^"]+)"/g)) {
      const asset = yield* daemon.request(file)
      assert.strictEqual(asset.status, 200)
      assert.strictEqual(asset.headers["cache-control"], "private, max-age=31536000, immutable")
      assert.match(String(asset.headers["content-type"]), file.endsWith(".js") ? /^text\/javascript/ : /^text\/css/)
      assert.strictEqual(asset.headers["x-content-type-options"], "nosniff")
      assert.notMatch(asset.body, /@import|https?:\/\/|url\(/)
    }
    assert.strictEqual((yield* daemon.request("/ui/assets/..%2fserver%2fmaster.key")).status, 404)
  })

  sample("shows the running runs, and stops one after a confirmation page", function*(daemon) {
    const id = "first-run-0123456789"
    const name = runNameOf(id)
    const stop = `/ui/runs/${name}/stop`
    const { notices } = yield* Effect.provide(register(daemon, id, { max_uses: 3 }), PeerOwner.layer)
    yield* daemon.post("/credentials/resolve", { host: "api.openai.com", scheme: "https" }, { "credsvc-run": id })
    const page = yield* daemon.request("/ui/runs")
    assert.match(textOf(page), new RegExp(`${name} at most 3 uses process ${process.pid}, .*Used OpenAI`))
    assert.include(page.body, `href="${stop}"`)
    const question = yield* daemon.request(stop)
    assert.include(textOf(question), `Stop run ${name}?`)
    const after = yield* follow(daemon, yield* send(daemon, question, stop))
    assert.include(textOf(after), "1 run stopped.")
    assert.isNotNull((yield* daemon.request("/runs")).json.runs[0].stopped_at)
    assert.notInclude(after.body, `href="${stop}"`)
    yield* noticed(notices, "stopped")
    const { entries } = (yield* daemon.request("/audit?event=run-stop")).json
    assert.lengthOf(entries, 1)
    assert.include(textOf(yield* follow(daemon, yield* daemon.request(stop))), "This run has already ended.")
  })

  sample("divides a long list of runs into pages", function*(daemon) {
    for (let run = 0; run <= pageSize; run++) {
      yield* Effect.provide(register(daemon, `crowded-run-${run}-0123456789`), PeerOwner.layer)
    }
    const first = yield* daemon.request("/ui/runs")
    assert.lengthOf(first.body.match(/\/stop"/g) ?? [], pageSize)
    const next = /rel="next" href="([^"]+)"/.exec(first.body)?.[1] ?? ""
    assert.lengthOf((yield* daemon.request(next)).body.match(/\/stop"/g) ?? [], 1)
  })

  sample("lists every request once over the pages of the request log, and filters them", function*(daemon) {
    const { entries } = (yield* daemon.request("/audit/requests?limit=1000")).json
    const rowsOf = ({ body }: Answer) => body.split("<tr role=\"row\"><th scope=\"row\"").length - 1
    let rows = 0
    let next: string | undefined = "/ui/requests"
    const times: Array<string> = []
    while (next !== undefined) {
      const page: Answer = yield* daemon.request(next)
      rows += rowsOf(page)
      times.push(...[...page.body.matchAll(/rowheader"><time datetime="([^"]+)"/g)].map(([, time]) => time!))
      next = /rel="next" href="([^"]+)"/.exec(page.body)?.[1]?.replaceAll("&amp;", "&")
    }
    assert.strictEqual(rows, entries.length)
    const expected = entries.map(({ timestamp }: { timestamp: string }) => timestamp).toReversed()
    assert.deepStrictEqual(times, expected)
    const failures = "/ui/requests?result=failed"
    assert.include((yield* daemon.request("/ui/runs")).body, `href="${failures}"`)
    const failed = yield* daemon.request(`${failures}&provider=openai`)
    const found = entries.filter((
      { error, provider, status }: { error: string | null; provider: string; status: number }
    ) => provider === "openai" && (error !== null || status >= 400))
    assert.strictEqual(rowsOf(failed), found.length)
    assert.match(failed.body, /<span class="pill bad">[a-z]+(?: [a-z]+)+<\/span>/)
    assert.include(textOf(yield* daemon.request("/ui/requests?run=0123456789")), "No matching requests.")
  })

  crowded("divides a long list of connections into pages", function*(daemon) {
    const last = `c${pageSize}`
    for (const path of ["/ui/connections", "/ui/apps/openai"]) {
      const first = yield* daemon.request(path)
      assert.include(textOf(first), `${pageSize + 1} connections`)
      assert.include(first.body, ">c00<")
      assert.notInclude(first.body, `>${last}<`)
      const next = /rel="next" href="([^"]+)"/.exec(first.body)?.[1] ?? ""
      const second = yield* daemon.request(next)
      assert.include(second.body, `>${last}<`)
      assert.include(second.body, `rel="prev" href="${path}"`)
    }
  })

  sample("disconnects after a confirmation page, and shows the result once", function*(daemon) {
    const action = "/ui/apps/openai/default/disconnect"
    const question = yield* daemon.request(action)
    assert.include(textOf(question), "Disconnect OpenAI, default?")
    assert.include(textOf(question), "deletes the credential from the vault")
    assert.include(textOf(question), "work@example.com becomes the default connection")
    assert.include(textOf(question), "The credential stays valid at OpenAI")
    const answer = yield* send(daemon, question, action)
    const page = yield* follow(daemon, answer)
    assert.include(textOf(page), "default disconnected. work@example.com is now the default.")
    const again = yield* daemon.request(String(answer.headers.location))
    assert.notInclude(textOf(again), "default disconnected")
    const { json } = yield* daemon.request("/connections?provider=openai")
    assert.deepStrictEqual(json.connections.map((one: any) => [one.connection_name, one.is_default]), [
      ["work@example.com", true]
    ])
    assert.strictEqual((yield* daemon.request(action)).status, 404)
  })

  sample("makes another connection the default", function*(daemon) {
    const action = "/ui/apps/openai/work@example.com/default"
    const question = yield* daemon.request(action)
    assert.match(textOf(question), /They currently use default , which stays connected/)
    const page = yield* follow(daemon, yield* send(daemon, question, action))
    assert.include(textOf(page), "work@example.com is now the default.")
    const { json } = yield* daemon.request("/connections?provider=openai")
    assert.deepStrictEqual(json.connections.map((one: any) => one.is_default), [false, true])
  })

  sample("revokes all connections of a provider, and reports what succeeded and what failed", function*(daemon) {
    assert.include(textOf(yield* daemon.request("/ui/apps/openai/revoke")), "cannot revoke API keys of OpenAI")
    const question = yield* daemon.request("/ui/apps/openai/revoke")
    assert.match(textOf(question), /These 2 connections are removed: default , work@example.com/)
    const page = yield* follow(daemon, yield* send(daemon, question, "/ui/apps/openai/revoke"))
    assert.include(textOf(page), "2 connections removed.")
    const { json } = yield* daemon.request("/connections?provider=openai")
    assert.deepStrictEqual(json.connections, [])
    assert.strictEqual((yield* daemon.request("/ui/apps/openai/revoke")).headers.location, "/ui/apps/openai")
  })

  sample("shows the form of a rejected login again, with each problem beside its field", function*(daemon) {
    const action = "/ui/apps/own-desk/connect"
    const page = yield* daemon.request("/ui/apps/own-desk")
    assert.include(textOf(page), "For example: https://{tenant}.desk.example")
    const bad = yield* send(daemon, page, action, { connection: "a b", base_url: "https://acme.desk.example" })
    assert.strictEqual(bad.status, 400)
    assert.match(bad.body, /id="connection"[^>]* aria-invalid="true"/)
    assert.match(bad.body, /id="connection-error">[^<]*Connection name must be a connection name/)
    assert.include(bad.body, "value=\"https://acme.desk.example\"")
    const tenant = yield* send(daemon, page, action, { connection: "acme", base_url: "https://evil.example" })
    assert.strictEqual(tenant.status, 400)
    assert.match(tenant.body, /id="base_url"[^>]* aria-invalid="true"/)
    const good = yield* send(daemon, page, action, { connection: "acme", base_url: "https://acme.desk.example" })
    assert.include(textOf(yield* follow(daemon, good)), "acme.desk.example")
  })

  sample("asks before it replaces a connection, and keeps the submitted choices", function*(daemon) {
    const action = "/ui/apps/anthropic/connect"
    const page = yield* daemon.request("/ui/apps/anthropic")
    const there = yield* send(daemon, page, action, { connection: "default" })
    assert.strictEqual(there.status, 409)
    assert.include(textOf(there), "Anthropic is already connected")
    assert.include(there.body, "name=\"connection\" value=\"default\"")
    const form = yield* follow(daemon, yield* send(daemon, there, action, { connection: "default", force: "true" }))
    assert.include(textOf(form), "Enter the API key for Anthropic")
  })

  sample("returns to the dashboard after a login that started there, from every page", function*(daemon) {
    const connect = (connection: string) =>
      Effect.gen(function*() {
        const page = yield* daemon.request("/ui/apps/anthropic")
        const { headers } = yield* send(daemon, page, "/ui/apps/anthropic/connect", { connection })
        return String(headers.location)
      })
    const connected = yield* connect("work")
    const form = yield* daemon.request(connected)
    const entered = yield* send(daemon, form, connected, { api_key: "sk-ant-of-no-use-0123456789" })
    assert.strictEqual(entered.headers.location, connected)
    for (const path of [connected, connected.replace("input", "device")]) {
      const back = yield* daemon.request(path)
      assert.match(String(back.headers.location), /^\/ui\/apps\/anthropic\?notice=/)
      assert.include(textOf(yield* follow(daemon, back)), "Anthropic is connected as work .")
    }
    const cancelled = yield* connect("other")
    yield* send(daemon, yield* daemon.request(cancelled), cancelled, { action: "cancel" })
    const back = yield* follow(daemon, yield* daemon.request(cancelled))
    assert.include(textOf(back), "The login was cancelled. Nothing was stored.")
  })

  sample("links the page for an unknown name to similar or enclosing pages", function*(daemon) {
    const linksOf = ({ body }: Answer) => [...body.matchAll(/<p><a href="([^"]+)">/g)].map((match) => match[1])
    const misspelled = yield* daemon.request("/ui/apps/opnai")
    assert.strictEqual(misspelled.status, 404)
    assert.includeMembers(linksOf(misspelled), ["/ui/apps/openai", "/ui/apps"])
    const nameless = yield* daemon.request("/ui/apps/%20")
    assert.strictEqual(nameless.status, 404)
    assert.deepStrictEqual(linksOf(nameless), ["/ui/apps"])
    const unknown = yield* daemon.request("/ui/apps/openai/nothing/disconnect")
    assert.strictEqual(unknown.status, 404)
    assert.deepStrictEqual(linksOf(unknown), ["/ui/apps/openai"])
    for (const address of ["/ui/nothing", "/ui/run/a/b"]) {
      const strange = yield* daemon.request(address)
      assert.strictEqual(strange.status, 404)
      assert.deepStrictEqual(linksOf(strange), ["/ui/"])
    }
  })

  sample("lists every variable that contains the credential", function*(daemon) {
    const page = textOf(yield* daemon.request("/ui/apps/github"))
    assert.match(page, /GH_TOKEN GITHUB_TOKEN GITHUB_ACCESS_TOKEN/)
  })

  sample("omits scans from the recent activity, but not from the whole log", function*(daemon) {
    for (let count = 0; count < 9; count++) {
      const scanned = yield* daemon.post("/credentials/scan", {
        values: [{ variable: "OPENAI_API_KEY", source: "environment", value: "sk-of-no-use-0123456789" }]
      })
      assert.strictEqual(scanned.status, 200, scanned.body)
    }
    const overview = textOf(yield* daemon.request("/ui/"))
    assert.notInclude(overview, "Environment scanned")
    assert.include(overview, "Secret revealed")
    assert.include(textOf(yield* daemon.request("/ui/audit")), "Environment scanned")
  })

  sample("filters the log, and shows older entries page by page", function*(daemon) {
    const denied = yield* daemon.request("/ui/audit?status=denied")
    assert.strictEqual([...denied.body.matchAll(/<th scope="row"/g)].length, 1)
    assert.include(textOf(denied), "Secret revealed")
    const used = yield* daemon.request("/ui/audit?provider=OpenAI&event=resolve")
    assert.strictEqual([...used.body.matchAll(/<th scope="row"/g)].length, 2)
    for (let count = 0; count < 60; count++) {
      yield* daemon.post("/providers?force=true", {
        name: "again",
        auth_type: "api_key",
        flow: "api_key",
        hosts: ["api.again.example"]
      })
    }
    const first = yield* daemon.request("/ui/audit?event=register")
    assert.strictEqual([...first.body.matchAll(/<th scope="row"/g)].length, 50)
    const older = /<a rel="next" href="([^"]+)"/.exec(first.body)?.[1]?.replaceAll("&amp;", "&") ?? ""
    const second = yield* daemon.request(older)
    assert.strictEqual([...second.body.matchAll(/<th scope="row"/g)].length, 10)
    assert.include(second.body, ">Newest</a>")
    assert.include(textOf(yield* daemon.request("/ui/audit?event=x&status=y&before=z")), "Provider added")
    assert.match(textOf(yield* daemon.request("/ui/audit/verify")), /The log is intact\. \d+ entries/)
  })
})
