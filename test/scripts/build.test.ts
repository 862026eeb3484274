import { assert, describe, it } from "@effect/vitest"
import { fork } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { type Built, builtFile, startFiles } from "../../scripts/build.ts"
import { environmentIn } from "../../scripts/called-functions.ts"
import { succeed } from "../../scripts/lib/Programs.ts"
import { testDirectory } from "../support/TestDirectories.ts"

const { daemon, library, program, telemetry } = JSON.parse(fs.readFileSync(builtFile, "utf8")) as Built
const dist = path.join(import.meta.dirname, "../../dist")

describe("the build", () => {
  it("starts without the command tree, a command's handler, the daemon, the proxy or the store", () => {
    const loaded = startFiles(program).flatMap((chunk) => chunk.moduleIds)
    assert.isTrue(loaded.some((id) => id.endsWith("/src/cli/parse/DirectCommands.ts")))
    const early = loaded.filter((id) =>
      /\/src\/(cli\/(?:commands|Cli\.ts)|server|proxy|store|vault|connections|flows|client)\/|effect\/dist\/cli\/Command\.js|\/(undici|ws|tldts|platform-node)\//
        .test(id)
    )
    assert.deepStrictEqual(early, [])
  })

  it("loads little code at startup", () => {
    const bytes = startFiles(program).reduce((sum, chunk) => sum + Buffer.byteLength(chunk.code), 0)
    assert.isBelow(bytes, 120 * 1024)
  })

  it("creates no schema for commands that only read, and before the command of a run starts", () => {
    for (const command of ["Get", "List", "Run"]) {
      const file = program.find(({ moduleIds }) =>
        moduleIds.some((id) => id.endsWith(`/src/cli/commands/${command}.ts`))
      )
      const loaded = startFiles(program, file?.fileName).flatMap((chunk) => chunk.moduleIds)
      assert.deepStrictEqual(
        loaded.filter((id) => /effect\/dist\/Schema\.js$|domain\/Errors\.ts$/.test(id)),
        [],
        command
      )
    }
  })

  it("loads neither the HTTP interface nor its server with the library's services", () => {
    const chunks = startFiles(library, "index.js")
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
  })

  it("omits the WebSockets, terminals and child processes of platform-node", () => {
    const rendered = [...daemon, ...library].flatMap((file) => file.rendered)
    assert.isTrue(rendered.some((id) => id.endsWith("/platform-node/dist/NodeHttpServer.js")))
    assert.deepStrictEqual(rendered.filter((id) => /\/ws\/|\/Node(?:Terminal|ChildProcessSpawner)\.js$/.test(id)), [])
  })

  it("loads no server with the library's client", () => {
    const loaded = startFiles(library, "api.js").flatMap((chunk) => chunk.moduleIds)
    assert.isTrue(loaded.some((id) => id.endsWith("/src/client/DaemonClient.ts")))
    assert.deepStrictEqual(
      loaded.filter((id) => /\/src\/(?:server|vault|store|flows|connections)\/|platform-node\//.test(id)),
      []
    )
  })

  it("names call sites of the debug log by their line in the source", () => {
    const source = fs.readFileSync(path.join(import.meta.dirname, "../../src/cli/daemon/DaemonAccess.ts"), "utf8")
    const line = source.split("\n").findIndex((text) => text.includes("callSite(\"send\")")) + 1
    assert.isTrue(program.some(({ code }) => code.includes(`send:${line}`)))
  })

  it("imports only its own files and Node's modules", () => {
    const files = [...program, ...daemon, ...telemetry]
    const imported = files.flatMap(({ dynamicImports, imports }) => [...imports, ...dynamicImports])
    const own = new Set(files.map((file) => file.fileName))
    const outside = imported.filter((name) => !own.has(name.replace(/^\.\//, "")) && !isBuiltin(name))
    // The page behind /docs, which the build copies.
    assert.deepStrictEqual([...new Set(outside)], ["./httpApiSwagger.js"])
  })

  it("changes only parentheses in the files that common commands load", () => {
    const withoutParentheses = (code: string) => code.replace(/[()]/g, "")
    const changed = [...program, ...daemon].flatMap(({ code, fileName }) => {
      const written = fs.readFileSync(path.join(dist, fileName), "utf8")
      assert.strictEqual(withoutParentheses(written), withoutParentheses(code), fileName)
      return written === code ? [] : [fileName]
    })
    for (const name of ["main", "client", "run", "List", "Daemon"]) {
      const pattern = new RegExp(`^${name}(?:-.{8})?\\.js$`)
      assert.isTrue(changed.some((file) => pattern.test(file)), name)
    }
  })

  it("loads Node's modules for a daemon before it changes V8's flags", async () => {
    const out = testDirectory()
    const program = path.join(dist, "credsvc.js")
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
    const daemon = fork(program, ["daemon", "serve", "--port", "0"], {
      env: environmentIn(out),
      execArgv: ["--import", `data:text/javascript,${encodeURIComponent(recorder)}`],
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    onTestFinished(() => void daemon.kill("SIGKILL"))
    await once(daemon, "message")
    succeed(process.execPath, [program, "list"], { env: environmentIn(out) })
    const ended = once(daemon, "exit")
    daemon.kill("SIGTERM")
    await ended
    // SQLite would print that it is experimental.
    const names = JSON.parse(fs.readFileSync(loaded, "utf8")) as ReadonlyArray<string>
    assert.deepStrictEqual(names.filter((name) => !name.startsWith("internal/")), ["sqlite"])
  })
})
