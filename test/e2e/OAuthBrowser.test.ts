import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hasChromium, launchBrowser } from "../support/Browser.ts"
import { live } from "../support/Fixture.ts"
import { startOAuthHarness } from "../support/OAuthHarness.ts"
import { oidcDefinition } from "../support/OAuthSandbox.ts"
import { openOidcServer } from "../support/OidcServer.ts"
import { programTimeout } from "../support/ProgramTimeout.ts"
import { scoped } from "../support/TestSites.ts"

const promise = <A>(run: () => Promise<A>): Effect.Effect<A, Error> =>
  Effect.tryPromise({ try: run, catch: (cause) => cause as Error })

describe.skipIf(!hasChromium)("an OAuth login in a real browser", () => {
  live("leads from the provider's page to a page of the daemon, and leaves no code in the history", function*() {
    const server = yield* scoped(() => openOidcServer())
    const harness = yield* startOAuthHarness(server.sites)
    const definition = oidcDefinition(server)
    assert.strictEqual((yield* harness.register(definition)).status, 201)
    const session = yield* harness.start({ provider: definition.name })

    const sites = server.site.hosts.map((host) => `MAP ${host}:443 127.0.0.1:${server.site.port}`)
    const browser = yield* launchBrowser([`--host-resolver-rules=${sites.join(",")}`])
    const context = yield* promise(() => browser.newContext({ ignoreHTTPSErrors: true }))
    context.setDefaultTimeout(programTimeout)
    const page = yield* promise(() => context.newPage())
    const requests: Array<{ readonly url: string; readonly referer: string | undefined }> = []
    page.on("request", (request) => requests.push({ url: request.url(), referer: request.headers()["referer"] }))

    yield* promise(() => page.goto(session.next_action.url))
    yield* promise(() => page.getByRole("button", { name: /Allow/ }).click())
    yield* promise(() => page.waitForURL(`${harness.daemon.url}/**`))
    yield* promise(() => page.waitForLoadState("networkidle"))

    assert.strictEqual((yield* harness.ended(session.session_id)).status, "completed")
    assert.strictEqual((yield* harness.connection(definition.name)).json.status, "connected")
    assert.include(yield* promise(() => page.locator("main").innerText()), definition.name)

    const callback = requests.find(({ url }) => url.startsWith(`${harness.daemon.url}/auth/callback/oauth`))
    const code = new URL(callback?.url ?? "").searchParams.get("code") ?? ""
    assert.isAbove(code.length, 20)
    const cdp = yield* promise(() => context.newCDPSession(page))
    const { entries } = yield* promise(() => cdp.send("Page.getNavigationHistory"))
    for (const { url } of entries) assert.notInclude(url, code)
    for (const { referer = "" } of requests) assert.notInclude(referer, code)
    const ours = requests.slice(requests.indexOf(callback!)).map(({ url }) => new URL(url).origin)
    assert.deepStrictEqual([...new Set(ours)], [harness.daemon.url])

    // Opening the remaining URL again is harmless.
    yield* promise(() => page.reload())
    assert.lengthOf(server.tokenRequests("authorization_code"), 1)
  })
})
