import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import type * as Library from "../../src/embedded.ts"
import { effect } from "../support/Fixture.ts"
import { temporaryHome } from "../support/ProxyHarness.ts"
import { repository } from "../support/Sandbox.ts"

describe("docs/embedding.md", () => {
  it("links every example, which npm run package compiles and runs", () => {
    const guide = fs.readFileSync(path.join(repository, "docs", "embedding.md"), "utf8")
    const examples = fs.readdirSync(path.join(repository, "docs", "examples"))
      .filter((name) =>
        /^[ *]*Prints: /m.test(fs.readFileSync(path.join(repository, "docs", "examples", name), "utf8"))
      )
    assert.lengthOf(examples, 10)
    for (const name of examples) assert.include(guide, `(examples/${name})`)
  })
})

describe("the library", () => {
  effect("contains the files that a run copies for its child process", function*() {
    const library = path.join(repository, "dist", "lib", "embedded.js")
    const { ForwardProxy, RunEnvironment } = (yield* Effect.promise(() => import(library))) as typeof Library
    const proxy = Layer.succeed(
      ForwardProxy,
      {
        baseUrls: [],
        placeholders: [],
        parentProxy: undefined,
        baseUrl: undefined,
        caPem: "",
        port: 1,
        proxyUrl: "http://127.0.0.1:1",
        extraCaCerts: () => [],
        routed: () => ({ patterns: [], ports: [443] })
      } as unknown as Library.ForwardProxy["Service"]
    )
    const written = Effect.flatMap(RunEnvironment, (run) => run.from({}, { java: false, hooks: ["python", "bun"] }))
    const { variables } = yield* Effect.provide(
      written,
      Layer.provide(RunEnvironment.layerNoDeps, [proxy, temporaryHome])
    )
    for (const name of ["NODE_OPTIONS", "BUN_OPTIONS", "PYTHONPATH"]) assert.property(variables, name)
  })
})
