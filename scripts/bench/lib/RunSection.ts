/** Runs one section in a separate process, and sends its results to bench.ts. Its first argument is the section's file. */
import { pathToFileURL } from "node:url"
import type { Results, Row, Section } from "./Section.ts"

const { section } = await import(pathToFileURL(process.argv[2] ?? "").href) as { readonly section: Section }
const { method, run, title } = section
process.send?.({ title, method })

const results = await run().catch((error: Error): ReadonlyArray<Row> => {
  console.error(error)
  return [{ what: title, result: `failed: ${error.message.split("\n")[0]}`, met: false }]
})
process.send?.("rows" in results ? results : { rows: results, charts: [] } satisfies Results, () => process.exit(0))
