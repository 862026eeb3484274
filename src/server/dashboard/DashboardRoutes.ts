/** The routes of the dashboard. They are no operations of the interface, and no client calls them. */
import * as Layer from "effect/Layer"
import type { ServedPath } from "../http/GuardedApp.ts"
import * as ChangeRoutes from "./ChangeRoutes.ts"
import * as ViewRoutes from "./ViewRoutes.ts"

export const servedPaths: ReadonlyArray<ServedPath> = [...ViewRoutes.servedPaths, ...ChangeRoutes.servedPaths]

export const layer = Layer.mergeAll(ViewRoutes.layer, ChangeRoutes.layer)
