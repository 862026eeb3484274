/** The daemon's services with a temporary home, which is deleted when the scope closes. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { AuditLog } from "../audit/AuditLog.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { Paths } from "../config/Paths.ts"
import { Settings } from "../config/Settings.ts"
import { Connections } from "../connections/Connections.ts"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { PublicUrl } from "../flows/PublicUrl.ts"
import { builtins } from "../platform/builtins.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { BundledProviders } from "../providers/BundledProviders.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { Store } from "../store/Store.ts"
import { KeyResolver } from "../vault/keys/KeyResolver.ts"
import { Keyring } from "../vault/keys/Keyring.ts"
import * as StoredDocuments from "../vault/StoredDocuments.ts"
import { Vault } from "../vault/Vault.ts"
import { FakeProvider, httpLayer } from "./FakeProvider.ts"

export const temporaryHome = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(builtins.os.tmpdir(), "credsvc-check-"))),
  (home) => Effect.sync(() => fs.rmSync(home, { recursive: true, force: true }))
)

export const layerOf = (definitions: ReadonlyArray<ProviderDefinition>) =>
  Layer.unwrap(Effect.map(temporaryHome, (home) =>
    FlowRunner.layerRoom.pipe(
      Layer.provideMerge(PublicUrl.layerOf("http://127.0.0.1:7998")),
      Layer.provideMerge(Connections.layerRoom),
      Layer.provideMerge(Layer.provide(ProviderRegistry.layerNoDeps, BundledProviders.layerOf(definitions))),
      Layer.provideMerge(Layer.provideMerge(httpLayer, FakeProvider.layer)),
      Layer.provideMerge(AuditLog.layerNoDeps),
      Layer.provideMerge(Profiles.layerNoDeps),
      Layer.provideMerge(StoredDocuments.layerNoDeps),
      Layer.provideMerge(Vault.layerResolver),
      Layer.provideMerge(KeyResolver.layerLocalKey),
      Layer.provideMerge(Keyring.layerAbsent),
      Layer.provideMerge(Store.layerNoDeps),
      Layer.provideMerge(ConfigFile.layerNoDeps),
      Layer.provideMerge(Paths.layerNoDeps),
      Layer.provideMerge(Settings.layerOf({ home }))
    )))
