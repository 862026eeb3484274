import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { openDaemonConnection } from "../../../src/client/DaemonConnection.ts"
import { findAccessKey } from "../../../src/config/daemon/AccessKey.ts"
import { PeerOwner } from "../../../src/platform/sockets/PeerOwner.ts"
import { withoutMountPath } from "../../../src/server/http/MountPath.ts"
import { effect, testsWith } from "../../support/Fixture.ts"
import { asked } from "../../support/ResolveQueries.ts"
import { fillSampleHome } from "../../support/SampleHome.ts"
import { dropIn } from "../../support/Services.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { toEffect } from "../../support/TestBody.ts"
import { postForm, startTestDaemon } from "../../support/TestDaemon.ts"

const serverBaseUrl = Option.some(new URL("https://creds.example/team/a"))
const mountPath = "/team/a"

const mounted = testsWith(Effect.gen(function*() {
  const home = yield* temporaryDirectory
  yield* toEffect(fillSampleHome(home))
  dropIn(home, {
    name: "sly",
    display_name: "Sly\" href=\"/evil",
    auth_type: "api_key",
    flow: "api_key",
    hosts: ["sly.example.test"]
  })
  return yield* startTestDaemon({ home, settings: { serverBaseUrl } })
}))

const inHome = testsWith(temporaryDirectory)

const linksOf = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/ (?:href|action|src|data-[a-z]+)="(\/[^"]*)"/g)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&")
  )

describe("MountPath", () => {
  effect("is removed from targets that begin with it, and from no others", function*() {
    const cases = [
      ["/team/a", "/"],
      ["/team/a/", "/"],
      ["/team/a?x=/team/a", "/?x=/team/a"],
      ["/team/a/ui/apps?q=a", "/ui/apps?q=a"],
      ["/team/a//ui/", "//ui/"],
      ["/team/ab/ui/", "/team/ab/ui/"],
      ["/ui/", "/ui/"],
      ["*", "*"]
    ] as const
    for (const [target, expected] of cases) assert.strictEqual(withoutMountPath(mountPath, target), expected)
    assert.strictEqual(withoutMountPath("", "/team/a/ui/"), "/team/a/ui/")
  })

  mounted.live("precedes every link, form, script and redirect of every page", function*(daemon) {
    const waiting = ["/"]
    const seen = new Set(waiting)
    let forms = 0
    while (waiting.length > 0) {
      const path = waiting.pop()!
      const { body, headers, status } = yield* daemon.request(`${mountPath}${path}`)
      assert.oneOf(status, [200, 303], path)
      const html = headers["content-type"]?.startsWith("text/html") === true && !path.startsWith("/docs")
      const links = [...headers.location === undefined ? [] : [headers.location], ...html ? linksOf(body) : []]
      for (const link of links) {
        assert.isTrue(link.startsWith(`${mountPath}/`), `${link} on ${path}`)
        if (/ action="/.test(body)) forms++
        const next = link.slice(mountPath.length).replace(/#.*/, "")
        // Pages of one kind are alike: one provider of the list is enough, and forms are not submitted.
        const isOther = /^\/ui\/apps\/(?!openai|sly)|\?/.test(next)
        const isForm = new RegExp(`action="${link}">`).test(body) || next === "/ui/events"
        if (isOther || isForm || seen.has(next)) continue
        seen.add(next)
        waiting.push(next)
      }
      if (path === "/ui/apps/sly") assert.notInclude(body, `${mountPath}/evil`)
    }
    assert.isAbove(forms, 0)
    assert.includeMembers([...seen], [
      "/ui/connections",
      "/ui/audit/verify",
      "/docs",
      "/ui/apps/openai"
    ])
    assert.isTrue([...seen].some((path) => path.endsWith(".js")) && [...seen].some((path) => path.endsWith(".css")))
  })

  mounted.live("is kept by forms, and by the page of a login that they lead to", function*(daemon) {
    const form = yield* daemon.request(`${mountPath}/ui/apps/sly`)
    const [, action = ""] = /action="([^"]+\/connect)">/.exec(form.body) ?? assert.fail("no form")
    const begun = yield* postForm(daemon, action, { connection_name: "default", flow: "api_key" })
    assert.strictEqual(begun.status, 303, begun.body)
    const page = yield* daemon.request(String(begun.headers.location))
    assert.strictEqual(page.status, 200)
    assert.match(page.body, / action="\/team\/a\/auth\/sessions\/[\w-]{43}\/input"/)
  })

  mounted.live("is in the addresses of logins, the redirect URI and the interface description", function*(daemon) {
    const session = yield* daemon.post(`${mountPath}/auth/sessions`, { provider: "sly" })
    assert.match(session.json.next_action.url, /^https:\/\/creds\.example\/team\/a\/auth\/sessions\/[\w-]{43}\/input$/)
    const page = yield* daemon.request(`${mountPath}/ui/apps/asana`)
    assert.include(page.body, "https://creds.example/team/a/auth/callback/oauth")
    const { json } = yield* daemon.request(`${mountPath}/openapi.json`)
    assert.deepStrictEqual(json.servers, [{ url: "https://creds.example/team/a" }])
    assert.strictEqual((yield* daemon.request("/whoami")).json.daemon_url, "https://creds.example/team/a")
  })

  mounted.live("is optional, because a reverse proxy may remove it, and does not change the guard", function*(daemon) {
    assert.strictEqual((yield* daemon.request("/ui/")).status, 200)
    assert.include((yield* daemon.request("/ui/")).body, ` href="${mountPath}/ui/apps"`)
    assert.strictEqual((yield* daemon.request("/team/b/ui/")).status, 404)
    const navigation = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
    assert.strictEqual((yield* daemon.request(`${mountPath}/ui/`, { headers: navigation })).status, 200)
    assert.strictEqual((yield* daemon.request(`${mountPath}/connections`, { headers: navigation })).status, 403)
    assert.strictEqual(
      (yield* daemon.post(`${mountPath}/ui/apps/sly/connect`, {})).status,
      415
    )
  })

  mounted.live(
    "is accepted in requests of clients, both single ones and those on a resolve channel",
    function*(daemon) {
      const accessKey = yield* findAccessKey(daemon.paths)
      const peerOwner = yield* Effect.provide(PeerOwner, PeerOwner.layer)
      const address = { url: new URL(`${daemon.url}${mountPath}`), loopback: true, explicit: true, startable: false }
      const connection = yield* Effect.acquireRelease(
        Effect.sync(() => openDaemonConnection(address, { accessKey, peerOwner })),
        ({ close }) => Effect.sync(close)
      )
      const request = { method: "POST", path: "/credentials/resolve", headers: {}, body: JSON.stringify(asked) }
      const answer = yield* Effect.callback<{ readonly status: number; readonly body: string } | undefined>((resume) =>
        connection.exchange(request, (response) => resume(Effect.succeed(response)))
      )
      assert.strictEqual(answer?.status, 200)
      const single = yield* connection.send({ method: "GET", path: "/connections", headers: {}, body: undefined })
      assert.strictEqual(single.status, 200)
    }
  )

  mounted.live("is a part of the client ID metadata document, which anyone may read", function*(daemon) {
    const { body, headers, status } = yield* daemon.request("/auth/client.json", { headers: { host: "creds.example" } })
    assert.strictEqual(status, 200, body)
    assert.strictEqual(headers["content-type"], "application/json")
    const document = JSON.parse(body)
    assert.strictEqual(document.client_id, "https://creds.example/team/a/auth/client.json")
    assert.deepStrictEqual(document.redirect_uris, ["https://creds.example/team/a/auth/callback/oauth"])
    assert.strictEqual(document.token_endpoint_auth_method, "none")
  })

  inHome.live("is served without a client ID metadata document if its address is not https", function*(home) {
    const { status } = yield* (yield* startTestDaemon({ home })).request("/auth/client.json")
    assert.strictEqual(status, 404)
  })
})
