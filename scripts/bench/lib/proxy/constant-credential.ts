/**
 * credsvc's proxy with a constant credential: everything that `credsvc run` does except asking the daemon.
 *
 * Arguments: home directory, credential, whether to search responses for it (`searched` or `unsearched`), hosts. Prints the proxy's
 * URL and the path of its certificate.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as path from "node:path"
import { ConfigFile } from "../../../../src/config/file/ConfigFile.ts"
import { Paths } from "../../../../src/config/Paths.ts"
import type { ConnectionName } from "../../../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../../../src/domain/wire/ProviderName.ts"
import { prepareHeap } from "../../../../src/platform/process/V8Flags.ts"
import { PeerOwner } from "../../../../src/platform/sockets/PeerOwner.ts"
import { ForwardProxy } from "../../../../src/proxy/ForwardProxy.ts"
import { CredentialSource } from "../../../../src/proxy/routing/CredentialSource.ts"

const [home = "", credential = "", searched = "", ...hosts] = process.argv.slice(2)
const provider = "bench" as ProviderName
const connection = "default" as ConnectionName

const table = {
  version: "1",
  routes: hosts.map((host) => ({ host, pathPrefix: null, provider, connection, connected: true })),
  placeholders: [],
  baseUrls: [],
  cloudIdentities: []
}
const source = Layer.succeed(CredentialSource, {
  onChange: () => () => {},
  report: () => Effect.succeed(true),
  login: () => Effect.succeed({}),
  routes: (version) => Effect.succeed(version === table.version ? undefined : table),
  resolve: () =>
    Effect.succeed({
      provider,
      connection,
      headers: { Authorization: Redacted.make(credential) },
      query: {},
      defaults: {},
      secrets: searched === "searched" ? [Redacted.make(credential.replace("Bearer ", ""))] : [],
      strip: { headers: [], query: [] },
      expiresAt: null,
      issuedAt: DateTime.makeUnsafe(0),
      refreshable: false
    })
})

const program = Effect.gen(function*() {
  const proxy = yield* ForwardProxy
  const ca = path.join(home, `${searched}-ca.pem`)
  fs.writeFileSync(ca, proxy.caPem)
  console.log(`${proxy.proxyUrl} ${ca}`)
  return yield* Effect.never
})

prepareHeap()
const fiber = Effect.runFork(program.pipe(
  Effect.provide(
    ForwardProxy.layerNoDeps().pipe(
      Layer.provide([source, ConfigFile.layerNoDeps, PeerOwner.layer]),
      Layer.provide(Paths.layerHome(home))
    )
  )
))
process.once("SIGTERM", () => fiber.interruptUnsafe())
fiber.addObserver(() => process.exit(0))
