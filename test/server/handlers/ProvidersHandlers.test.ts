import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type * as Net from "node:net"
import * as path from "node:path"
import { builtins } from "../../../src/platform/builtins.ts"
import { keyDocument } from "../../support/Acme.ts"
import { curl, curlJson, first, register, withDaemon } from "../../support/RegisteredRun.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"
import { onPostgres } from "../../support/TestStore.ts"

/** A site that responds only when the test tells it to. */
const silentSite = Effect.acquireRelease(
  Effect.promise(() => {
    const waiting: Array<Http.ServerResponse> = []
    const requested = new Set<string>()
    let arrived: () => void = () => {}
    let released = false
    const server = builtins.http.createServer((request, response) => {
      for (const name of /site\d/.exec(request.url ?? "") ?? []) requested.add(name)
      if (released) response.writeHead(401).end()
      else waiting.push(response)
      arrived()
    })
    const site = {
      requested,
      server,
      port: () => (server.address() as Net.AddressInfo).port,
      /** Resolves after this many addresses were requested. */
      reached: (count: number) =>
        new Promise<void>((resolve) => {
          arrived = () => {
            if (requested.size >= count) resolve()
          }
          arrived()
        }),
      release: () => {
        released = true
        for (const response of waiting) response.writeHead(401).end()
      }
    }
    return new Promise<typeof site>((resolve) => server.listen(0, "127.0.0.1", () => resolve(site)))
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

describe.runIf(process.platform === "linux")("A definition of a provider for contained runs only", () => {
  withDaemon.live("can be changed by commands in a run only within this limit", function*(daemon) {
    const define = (more: object) =>
      curlJson(daemon, "/providers?force=true", { ...keyDocument({}), name: "limited", ...more })
    assert.strictEqual((yield* define({ contained_only: true })).name, "limited")
    yield* register(daemon, first)
    const refused = "Commands inside credsvc run cannot remove the limitation of a connection to contained runs."
    assert.include((yield* define({})).detail, refused)
    assert.include((yield* curl(daemon, "/providers/limited", "-X", "DELETE")).detail, refused)
    assert.strictEqual((yield* define({ name: { toString: 0 } })).error, "InvalidRequestError")
    assert.strictEqual((yield* define({ contained_only: true, notes: ["changed"] })).name, "limited")
    if (!onPostgres) {
      fs.writeFileSync(path.join(daemon.home, "providers", "limited.json"), "{")
      assert.include((yield* define({})).detail, refused)
      assert.include((yield* curl(daemon, "/providers/limited", "-X", "DELETE")).detail, refused)
    }
  })
})

describe("POST /providers/discover", () => {
  it.live(
    "contacts four addresses at a time, and the next addresses after responses",
    () =>
      Effect.gen(function*() {
        const site = yield* silentSite
        const daemon = yield* startTestDaemon()
        const discover = (name: string) =>
          daemon.post("/providers/discover", {
            url: `http://127.0.0.1:${site.port()}/${name}`,
            allow_insecure_loopback: true
          })
        const names = Array.from({ length: 6 }, (_, i) => `site${i}`)
        const responses = yield* Effect.forkChild(Effect.forEach(names, discover, { concurrency: "unbounded" }))
        yield* Effect.promise(() => site.reached(4))
        // Other requests still get responses, which gives a fifth discovery time to start.
        for (let i = 0; i < 20; i++) assert.strictEqual((yield* daemon.request("/health")).status, 200)
        assert.strictEqual(site.requested.size, 4)
        site.release()
        for (const { status } of yield* Fiber.join(responses)) assert.strictEqual(status, 200)
        assert.strictEqual(site.requested.size, 6)
      }).pipe(Effect.scoped)
  )
})
