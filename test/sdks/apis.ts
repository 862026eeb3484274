import type { Api } from "./Api.ts"
import { models } from "./models.ts"
import { platforms } from "./platforms.ts"
import { services } from "./services.ts"
import { work } from "./work.ts"

/** The most used APIs. */
export const apis: ReadonlyArray<Api> = [...models, ...platforms, ...services, ...work].toSorted((one, other) =>
  other.downloads - one.downloads
)
