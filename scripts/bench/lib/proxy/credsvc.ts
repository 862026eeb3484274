/**
 * Our proxy, as `run` puts it together, in a process of its own.
 *
 * arguments: home directory (with its config.json), daemon port. Prints `{proxyUrl, caPem}`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DaemonClient } from "../../../../src/client/DaemonClient.ts"
import { ConfigFile } from "../../../../src/config/ConfigFile.ts"
import { Paths } from "../../../../src/config/Paths.ts"
import { Settings } from "../../../../src/config/Settings.ts"
import { PeerOwner } from "../../../../src/platform/PeerOwner.ts"
import { CredentialSource } from "../../../../src/proxy/CredentialSource.ts"
import { ForwardProxy } from "../../../../src/proxy/ForwardProxy.ts"

const [home = "", port = ""] = process.argv.slice(2)
const daemonUrl = new URL(`http://127.0.0.1:${port}`)

const settings = Settings.layerOf({ home, daemonUrl: Option.some(daemonUrl) })
const base = Layer.mergeAll(settings, Paths.layerHome(home), PeerOwner.layer)
const source = CredentialSource.layerDaemon({ runId: "bench-0123456789abcdef" }).pipe(
  Layer.provide(DaemonClient.layerNoDeps())
)
const proxy = ForwardProxy.layer({ daemonUrl }).pipe(
  Layer.provide([source, ConfigFile.layerNoDeps]),
  Layer.provideMerge(base)
)

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const { caPem, proxyUrl } = Context.get(yield* Layer.build(proxy), ForwardProxy)
  console.log(JSON.stringify({ proxyUrl, caPem }))
  return yield* Effect.never
})))
