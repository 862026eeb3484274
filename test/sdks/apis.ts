import * as fs from "node:fs"
import * as path from "node:path"
import type { Api } from "./Api.ts"
import { models } from "./models.ts"
import { platforms } from "./platforms.ts"
import { services } from "./services.ts"
import { work } from "./work.ts"

interface Packages {
  readonly dependencies: Readonly<Record<string, string>>
  /** Of the first program of each API: in a month, in millions. */
  readonly downloads: Readonly<Record<string, number>>
}

export const packages: Packages = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "packages", "package.json"), "utf8")
)

/** The most used APIs. */
export const apis = Object.entries<Api>({ ...models, ...platforms, ...services, ...work })
  .map(([provider, api]) => {
    const [first = ""] = [api.sdk, api.cli].flatMap((programs) => Object.keys(programs ?? {}))
    return Object.assign({ provider, downloads: packages.downloads[first] ?? 0 }, api)
  })
  .toSorted((one, other) => other.downloads - one.downloads)
