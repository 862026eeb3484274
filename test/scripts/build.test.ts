import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fork } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import type { Built } from "../../scripts/build.ts"
import { build, startFiles } from "../../scripts/build.ts"
import { environmentIn, succeed } from "../../scripts/called-functions.ts"

class Build extends Context.Service<Build, Built & { readonly out: string }>()("test/Build") {
  static readonly layer = Layer.effect(
    Build,
    Effect.gen(function*() {
      const out = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-build-"))),
        (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
      )
      const built = yield* Effect.promise(() => build({ out: path.join(out, "first"), types: false }))
      return Build.of({ out, ...built })
    })
  )
}

layer(Build.layer, { timeout: 120_000 })("the build", (it) => {
  it.effect("starts without the command tree, a command's handler, the daemon, the proxy or the store", () =>
    Effect.gen(function*() {
      const { program } = yield* Build
      const loaded = startFiles(program.output).flatMap((chunk) => chunk.moduleIds)
      assert.isTrue(loaded.some((id) => id.endsWith("/src/cli/DirectCommands.ts")))
      const early = loaded.filter((id) =>
        /\/src\/(cli\/(?:commands|Cli\.ts)|server|proxy|store|vault|connections|flows|client)\/|effect\/dist\/cli\/Command\.js|\/(undici|ws|tldts|platform-node)\//
          .test(id)
      )
      assert.deepStrictEqual(early, [])
    }))

  it.effect("loads little code at startup", () =>
    Effect.gen(function*() {
      const { program } = yield* Build
      const bytes = startFiles(program.output).reduce((sum, chunk) => sum + Buffer.byteLength(chunk.code), 0)
      assert.isBelow(bytes, 120 * 1024)
    }))

  it.effect("creates no schema for commands that only read, and before the command of a run starts", () =>
    Effect.gen(function*() {
      const { program } = yield* Build
      for (const command of ["Get", "List", "Run"]) {
        const file = program.output.find((file) =>
          file.type === "chunk" && file.moduleIds.some((id) => id.endsWith(`/src/cli/commands/${command}.ts`))
        )
        const loaded = startFiles(program.output, file?.fileName).flatMap((chunk) => chunk.moduleIds)
        assert.deepStrictEqual(
          loaded.filter((id) => /effect\/dist\/Schema\.js$|domain\/Errors\.ts$/.test(id)),
          [],
          command
        )
      }
    }))

  it.effect("loads neither the HTTP interface nor its server with the library's services", () =>
    Effect.gen(function*() {
      const { library } = yield* Build
      const chunks = startFiles(library.output, "index.js")
      const loaded = chunks.flatMap((chunk) => chunk.moduleIds)
      assert.isTrue(loaded.some((id) => id.endsWith("/src/server/Services.ts")))
      assert.deepStrictEqual(
        loaded.filter((id) => /\/src\/(?:api|server\/(?:http|handlers|pages))\/|platform-node\//.test(id)),
        []
      )
      assert.deepStrictEqual(
        chunks.flatMap((chunk) => chunk.imports).filter((name) => /^effect\/http-api\/HttpApi(?!Error)/.test(name)),
        []
      )
    }))

  it.effect("omits the WebSockets, terminals and child processes of platform-node", () =>
    Effect.gen(function*() {
      const { daemon, library } = yield* Build
      const rendered = [...daemon.output, ...library.output].flatMap((file) =>
        file.type === "chunk"
          ? Object.entries(file.modules).flatMap(([id, { renderedLength }]) => renderedLength > 0 ? [id] : [])
          : []
      )
      assert.isTrue(rendered.some((id) => id.endsWith("/platform-node/dist/NodeHttpServer.js")))
      assert.deepStrictEqual(rendered.filter((id) => /\/ws\/|\/Node(?:Terminal|ChildProcessSpawner)\.js$/.test(id)), [])
    }))

  it.effect("loads no server with the library's client", () =>
    Effect.gen(function*() {
      const { library } = yield* Build
      const loaded = startFiles(library.output, "api.js").flatMap((chunk) => chunk.moduleIds)
      assert.isTrue(loaded.some((id) => id.endsWith("/src/client/DaemonClient.ts")))
      assert.deepStrictEqual(
        loaded.filter((id) => /\/src\/(?:server|vault|store|flows|connections)\/|platform-node\//.test(id)),
        []
      )
    }))

  it.effect("names call sites of the debug log by their line in the source", () =>
    Effect.gen(function*() {
      const { program } = yield* Build
      const source = fs.readFileSync(path.join(import.meta.dirname, "../../src/cli/daemon/DaemonAccess.ts"), "utf8")
      const line = source.split("\n").findIndex((text) => text.includes("callSite(\"send\")")) + 1
      assert.isTrue(program.output.some((file) => file.type === "chunk" && file.code.includes(`send:${line}`)))
    }))

  it.effect("imports only its own files and Node's modules", () =>
    Effect.gen(function*() {
      const { daemon, program, telemetry } = yield* Build
      const files = [...program.output, ...daemon.output, ...telemetry.output]
      const imported = files.flatMap((file) => file.type === "chunk" ? file.imports.concat(file.dynamicImports) : [])
      const own = new Set(files.map((file) => file.fileName))
      const outside = imported.filter((name) => !own.has(name.replace(/^\.\//, "")) && !isBuiltin(name))
      // The page behind /docs, which the build copies.
      assert.deepStrictEqual([...new Set(outside)], ["./httpApiSwagger.js"])
    }))

  it.effect("adds only parentheses to the files that common commands load", () =>
    Effect.gen(function*() {
      const { daemon, out, program } = yield* Build
      const withoutParentheses = (code: string) => code.replace(/[()]/g, "")
      const changed = [...program.output, ...daemon.output].flatMap((file) => {
        if (file.type !== "chunk") return []
        const written = fs.readFileSync(path.join(out, "first", file.fileName), "utf8")
        assert.strictEqual(withoutParentheses(written), withoutParentheses(file.code), file.fileName)
        return written === file.code ? [] : [file.fileName]
      })
      for (const name of ["main", "client", "run", "List", "Daemon"]) {
        const pattern = new RegExp(`^${name}(?:-.{8})?\\.js$`)
        assert.isTrue(changed.some((file) => pattern.test(file)), name)
      }
    }))

  it.effect("loads Node's modules for a daemon before it changes V8's flags", () =>
    Effect.gen(function*() {
      const { out } = yield* Build
      const program = path.join(out, "first", "credsvc.js")
      const loaded = path.join(out, "loaded.json")
      const recorder = `import fs from "node:fs"
import v8 from "node:v8"
const set = v8.setFlagsFromString
let before
v8.setFlagsFromString = (flag) => {
  before ??= new Set(process.moduleLoadList)
  set(flag)
}
process.on("exit", () => {
  const after = process.moduleLoadList.filter((name) => name.startsWith("NativeModule ") && !before.has(name))
  fs.writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(after.map((name) => name.replace("NativeModule ", ""))))
})`
      const daemon = yield* Effect.acquireRelease(
        Effect.sync(() =>
          fork(program, ["daemon", "serve", "--port", "0"], {
            env: environmentIn(out),
            execArgv: ["--import", `data:text/javascript,${encodeURIComponent(recorder)}`],
            stdio: ["ignore", "ignore", "inherit", "ipc"]
          })
        ),
        (daemon) => Effect.sync(() => daemon.kill("SIGKILL"))
      )
      yield* Effect.promise(() => once(daemon, "message"))
      succeed(process.execPath, [program, "list"], environmentIn(out))
      const ended = once(daemon, "exit")
      daemon.kill("SIGTERM")
      yield* Effect.promise(() => ended)
      // SQLite would print that it is experimental.
      const names = JSON.parse(fs.readFileSync(loaded, "utf8")) as ReadonlyArray<string>
      assert.deepStrictEqual(names.filter((name) => !name.startsWith("internal/")), ["sqlite"])
    }))
})
