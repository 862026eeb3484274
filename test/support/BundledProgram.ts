/** A test program bundled into one file, which starts in a fraction of the time that the sources take. */
import * as fs from "node:fs"
import * as path from "node:path"
import { type Plugin, rolldown } from "rolldown"
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { packProviders } from "../../src/providers/BundledProviders.ts"

/**
 * Writes the file below the directory, beside the files that it needs: its version, and these providers as bundled
 * ones. Plugins can change the sources.
 */
export const bundleProgram = async (
  input: string,
  directory: string,
  shipped: ReadonlyArray<ProviderDefinition> = [],
  plugins: Array<Plugin> = []
): Promise<string> => {
  // The module that reads the version from package.json expects it at this depth.
  const home = path.join(directory, "program", "dist", "daemon")
  const bundle = await rolldown({ input, platform: "node", plugins })
  await bundle.write({ dir: home, format: "esm", codeSplitting: false, minify: true, entryFileNames: "program.mjs" })
  await bundle.close()
  fs.writeFileSync(path.join(directory, "package.json"), "{\"version\":\"0.0.0\"}")
  fs.writeFileSync(path.join(home, "providers.json"), packProviders(shipped))
  return path.join(home, "program.mjs")
}
