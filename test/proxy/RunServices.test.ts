import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { defaults } from "../../src/config/file/ConfigDocument.ts"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../src/domain/wire/ProviderName.ts"
import { CredentialSource } from "../../src/proxy/routing/CredentialSource.ts"
import { readResolved } from "../../src/proxy/routing/ReadResolved.ts"
import type { Resolution } from "../../src/proxy/routing/Resolution.ts"
import { runServices } from "../../src/proxy/RunServices.ts"
import { live } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

const resolved = (secret: string) =>
  readResolved(JSON.stringify({
    provider: "github",
    connection: "work",
    headers: { Authorization: `Bearer ${secret}` },
    query: {},
    defaults: {},
    secrets: [secret],
    strip: { headers: [], query: [] },
    expires_at: null,
    issued_at: "2026-01-01T00:00:00.000Z",
    refreshable: true
  }))!

const request = {
  host: "api.github.com",
  port: 443,
  provider: "github" as ProviderName,
  connection: "work" as ConnectionName
}

const unused = CredentialSource.of({
  routes: () => Effect.die("not used"),
  resolve: () => Effect.die("not used"),
  login: () => Effect.die("not used"),
  onChange: () => () => {},
  report: () => Effect.succeed(true)
})

describe("RunServices", () => {
  live("reads the settings of an edited file for the next connection", function*() {
    const home = yield* temporaryDirectory
    const file = path.join(home, "config.json")
    const write = (...hosts: ReadonlyArray<string>) =>
      fs.writeFileSync(file, JSON.stringify({ upstream: { private_hosts: hosts } }), { mode: 0o600 })
    write("one.test")
    const { services } = yield* runServices({}, () => undefined as never, {
      version: "v1",
      routes: [],
      placeholders: [],
      baseUrls: [],
      cloudIdentities: []
    }).pipe(
      Effect.provideService(CredentialSource, unused),
      Effect.provide(Layer.provide(ConfigFile.layerNoDeps, Paths.layerHome(home)))
    )
    const hosts = Effect.map(Effect.promise(async () => services.readUpstream()), ({ privateHosts }) => privateHosts)
    assert.deepStrictEqual(yield* hosts, ["one.test"])
    write("one.test", "two.test")
    assert.deepStrictEqual(yield* hosts, ["one.test", "two.test"])
    fs.writeFileSync(file, "{")
    assert.deepStrictEqual(yield* hosts, ["one.test", "two.test"])
  })

  it.effect("prepares each credential once, even if the source returns it again", () => {
    const [first, second] = [resolved("first"), resolved("second")]
    const returned = [first, first, second, first]
    let calls = 0
    return Effect.gen(function*() {
      const { services } = yield* runServices({}, () => undefined as never, {
        version: "v1",
        routes: [],
        placeholders: [],
        baseUrls: [],
        cloudIdentities: []
      })
      const taken: Array<Resolution> = []
      for (let index = 0; index < returned.length; index++) {
        taken.push(
          yield* Effect.callback<Resolution>((resume) =>
            services.credentials.ask("key", request, { settled: (outcome) => resume(Effect.succeed(outcome)) })
          )
        )
      }
      assert.deepStrictEqual(
        taken.map((each) => each._tag === "resolved" ? each.injection.set[1] : each._tag),
        ["Bearer first", "Bearer first", "Bearer second", "Bearer first"]
      )
      assert.strictEqual(taken[1], taken[0])
    }).pipe(
      Effect.scoped,
      Effect.provideService(
        CredentialSource,
        CredentialSource.of({ ...unused, resolve: () => Effect.sync(() => returned[calls++]!) })
      ),
      Effect.provideService(ConfigFile, ConfigFile.of({ read: Effect.succeed(defaults) } as never))
    )
  })
})
