/** What axe-core finds on a page as a browser shows it. */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const run = (page: Page, rules: "all" | "colours"): Promise<ReadonlyArray<string>> =>
  page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { readonly axe: { readonly run: (options: object) => Promise<any> } }
    const { passes, violations } = await axe.run(
      rules === "all" ? {} : { runOnly: ["color-contrast", "link-in-text-block"] }
    )
    if (passes.length < (rules === "all" ? 10 : 1)) throw new Error("axe-core has hardly looked at the page")
    return violations.flatMap((violation: any) =>
      violation.nodes.map((node: any) => `${violation.id}: ${node.target.join(" ")}: ${node.failureSummary}`)
    )
  }, rules)

/** One sentence for each fault, in light colours and in dark ones. */
export const violationsOn = async (page: Page): Promise<ReadonlyArray<string>> => {
  // By the browser's own means: the policy of the pages lets no script in that is not theirs.
  await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  const light = await run(page, "all")
  await page.emulateMedia({ colorScheme: "dark" })
  // All that is another one there.
  const dark = await run(page, "colours")
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return [...light, ...dark.map((fault) => `in dark colours: ${fault}`)]
}
