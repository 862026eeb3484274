/** The routes of the dashboard. They are no operations of the interface, and no client calls them. */
import * as Layer from "effect/Layer"
import type { ServedPath } from "../FrontDoor.ts"
import * as ChangeRoutes from "./ChangeRoutes.ts"
import { Dashboard } from "./Dashboard.ts"
import { LiveUpdates } from "./LiveUpdates.ts"
import * as ViewRoutes from "./ViewRoutes.ts"

export const servedPaths: ReadonlyArray<ServedPath> = [...ViewRoutes.servedPaths, ...ChangeRoutes.servedPaths]

export const layer = Layer.mergeAll(ViewRoutes.layer, ChangeRoutes.layer).pipe(
  Layer.provide(Dashboard.layerNoDeps),
  Layer.provide(LiveUpdates.layerNoDeps)
)
