import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { Paths, pathsOf } from "../../../src/config/Paths.ts"
import { holdMillis } from "../../../src/domain/wire/ResolveMessages.ts"
import { linkOf } from "../../../src/platform/files/ReadOrEmpty.ts"
import { listenIn } from "../../../src/platform/Listeners.ts"
import { ChangeMark } from "../../../src/server/resolve/ChangeMark.ts"
import { StoreManifest } from "../../../src/vault/manifest/StoreManifest.ts"
import { live } from "../../support/Fixture.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"

/** Replaces a descriptor of this process for the file by one that cannot write. */
const denyWriting = (file: string): void => {
  const own = fs.readdirSync("/proc/self/fd").map(Number).find((fd) => linkOf(`/proc/self/fd/${fd}`) === file)!
  fs.closeSync(own)
  const others: Array<number> = []
  for (let fd = fs.openSync(file, "r"); fd !== own; fd = fs.openSync(file, "r")) others.push(fd)
  for (const fd of others) fs.closeSync(fd)
}

const opened = Effect.gen(function*() {
  const home = yield* temporaryDirectory
  const paths = pathsOf(home)
  const listeners = new Set<() => void>()
  const manifest = {
    onChange: (listener: () => void) => listenIn(listeners, listener)
  } as unknown as StoreManifest["Service"]
  const layer = ChangeMark.layerNoDeps.pipe(
    Layer.provide([Layer.succeed(Paths, paths), Layer.succeed(StoreManifest, manifest)])
  )
  const start = (scope: Scope.Scope) =>
    Effect.map(Layer.buildWithScope(layer, scope), (context) => Context.get(context, ChangeMark))
  return { file: paths.changeMark, listeners, server: paths.server, start }
})

describe("ChangeMark", () => {
  live(
    "replaces the content of a private file at each commit, response, start and stop, if a proxy uses it",
    function*() {
      const { file, listeners, server, start } = yield* opened
      fs.mkdirSync(server)
      const scope = yield* Scope.make()
      const mark = yield* start(scope)
      const read = () => fs.readFileSync(file, "latin1")
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      const seen = new Set<string>()
      for (const replace of [mark.replace, ...listeners]) {
        const given = mark.current()
        assert.match(given ?? "", /^[\w-]{16}$/)
        assert.strictEqual(read(), given)
        seen.add(read())
        replace()
        assert.notStrictEqual(read(), given)
        const next = read()
        replace()
        assert.strictEqual(read(), next, "not given")
      }
      seen.add(mark.current()!)
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(seen.has(read()))
      assert.strictEqual(listeners.size, 0)
      seen.add(read())
      yield* start(yield* Effect.scope)
      assert.isFalse(seen.has(read()))
    }
  )

  live("gives proxies no content if the file cannot be written", function*() {
    const { start } = yield* opened
    const mark = yield* start(yield* Effect.scope)
    mark.replace()
    assert.isUndefined(mark.current())
  })

  live.skipIf(process.platform !== "linux")(
    "waits until the responses that proxies keep have expired if the file cannot be changed",
    function*() {
      const { file, server, start } = yield* opened
      fs.mkdirSync(server)
      const mark = yield* start(yield* Effect.scope)
      denyWriting(file)
      assert.isDefined(mark.current())
      const given = performance.now()
      mark.replace()
      assert.isAtLeast(performance.now() - given, holdMillis - 1)
      assert.isUndefined(mark.current())
    }
  )
})
