import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { CredentialSource } from "../../src/proxy/routing/CredentialSource.ts"
import { runServices } from "../../src/proxy/RunServices.ts"
import { live } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

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
})
