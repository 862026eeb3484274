import type { Api } from "./Api.ts"
import { models } from "./models.ts"
import { platforms } from "./platforms.ts"

/** The most used APIs. */
export const apis: ReadonlyArray<Api> = [...models, ...platforms].toSorted((one, other) =>
  other.downloads - one.downloads
)
