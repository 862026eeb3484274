/** The services that every handler needs: settings, paths and the debug log. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Paths } from "../../config/Paths.ts"
import { Settings } from "../../config/Settings.ts"
import { ClientLog } from "./ClientLog.ts"

const home = ClientLog.layerNoDeps.pipe(Layer.provideMerge(Paths.layerNoDeps), Layer.provideMerge(Settings.layer))

/** Provides the services when a command runs, so that help is printed even if the environment is invalid. */
export const provideHome = Effect.provide(home)
