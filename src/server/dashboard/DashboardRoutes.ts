/** All routes of the dashboard. They are not part of the API, and no API client calls them. */
import * as Layer from "effect/Layer"
import type { ServedPath } from "../http/GuardedApp.ts"
import * as ChangeRoutes from "./ChangeRoutes.ts"
import * as ViewRoutes from "./ViewRoutes.ts"

export const servedPaths: ReadonlyArray<ServedPath> = [...ViewRoutes.servedPaths, ...ChangeRoutes.servedPaths]

export const layer = Layer.mergeAll(ViewRoutes.layer, ChangeRoutes.layer)
