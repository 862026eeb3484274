/** The texts of `credsvc help <topic>`, which are files in `assets/`. */
import { requireAsset } from "../../platform/files/PackageFiles.ts"

/** The text of each topic, by its name. */
export const topics: ReadonlyMap<string, string> = new Map(
  ["run", "flows", "profiles", "security"].map((name) => {
    return [name, requireAsset(`help-${name}.txt`, import.meta.url).trim()]
  })
)
