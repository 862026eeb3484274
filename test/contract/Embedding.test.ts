import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type * as Library from "../../src/proxy.ts"
import { programTimeout } from "../support/ProgramTimeout.ts"
import { repository } from "../support/Sandbox.ts"

const examples = [
  ...fs.readFileSync(path.join(repository, "docs", "embedding.md"), "utf8").matchAll(/```ts\n(.*?)```/gs)
]
  .map((match) => match[1] ?? "")

describe("docs/embedding.md", () => {
  it("has an example", () => {
    assert.isAtLeast(examples.length, 1)
  })

  it("runs unchanged against the built library", () => {
    // Inside the repository, so that "credsvc" resolves to this package and not to an installed one.
    const directory = fs.mkdtempSync(path.join(repository, "dist", "example-"))
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-embedding-"))
    try {
      for (const [index, example] of examples.entries()) {
        const file = path.join(directory, `example${index}.ts`)
        fs.writeFileSync(file, example)
        const ended = spawnSync(process.execPath, [file], {
          encoding: "utf8",
          env: { PATH: process.env["PATH"], HOME: home, DEMO_HOME: path.join(home, "credsvc") },
          timeout: programTimeout
        })
        assert.strictEqual(ended.status, 0, ended.stderr)
        assert.strictEqual(ended.stdout, "ok the key store of our program\n")
      }
    } finally {
      fs.rmSync(directory, { recursive: true, force: true })
      fs.rmSync(home, { recursive: true, force: true })
    }
  })

  it.effect("contains the files that a run copies for its child process", () =>
    Effect.gen(function*() {
      const library = path.join(repository, "dist", "lib", "proxy.js")
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
      const { variables } = yield* Effect.provide(written, Layer.provide(RunEnvironment.layerNoDeps, proxy))
      for (const name of ["NODE_OPTIONS", "BUN_OPTIONS", "PYTHONPATH"]) assert.property(variables, name)
    }))
})
