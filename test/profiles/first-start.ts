/** Starts in the home given as its argument and prints the active profile. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Documents } from "../../src/config/Documents.ts"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"

const layer = Profiles.layerNoDeps.pipe(
  Layer.provide(Documents.layerFiles),
  Layer.provide(ConfigFile.layerNoDeps),
  Layer.provide(Paths.layerNoDeps),
  Layer.provide(Settings.layerOf({ home: process.argv[2]! }))
)

process.stdout.write(
  await Effect.runPromise(Profiles.pipe(Effect.flatMap(({ active }) => active), Effect.provide(layer)))
)
