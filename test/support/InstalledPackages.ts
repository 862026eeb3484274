/** Programs from npm that tests run as users would. */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/**
 * The directory in which `scripts/setup` installs the `packages/` of a directory of tests: outside of the tree, so that a fresh clone
 * finds them.
 */
export const installedPackages = (directory: "clients" | "openapi" | "sandboxes" | "sdks"): string => {
  const lock = path.join(import.meta.dirname, "..", directory, "packages", "package-lock.json")
  const hash = createHash("sha256").update(fs.readFileSync(lock)).digest("hex").slice(0, 12)
  const cache = process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache")
  return path.join(cache, `credsvc-test-${directory}-${hash}`)
}
