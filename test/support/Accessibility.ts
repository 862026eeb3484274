/** What axe-core finds on a page as a browser shows it. */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** One sentence for each fault. */
export const violationsOn = async (page: Page): Promise<ReadonlyArray<string>> => {
  // By the browser's own means: the policy of the pages lets no script in that is not theirs.
  await page.evaluate(axe)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: { readonly run: () => Promise<any> } }
    const { passes, violations } = await axe.run()
    if (passes.length < 10) throw new Error("axe-core has hardly looked at the page")
    return violations.flatMap((violation: any) =>
      violation.nodes.map((node: any) => `${violation.id}: ${node.target.join(" ")}: ${node.failureSummary}`)
    )
  })
}
