/** Runs axe-core on a page in a browser. */
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

/** Returns one sentence per violation, in the light and the dark color scheme. */
export const violationsOn = async (page: Page): Promise<ReadonlyArray<string>> => {
  // Injects the script with the browser's own means, because the page's content security policy allows no foreign
  // scripts.
  await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  const light = await run(page, "all")
  await page.emulateMedia({ colorScheme: "dark" })
  // Colors are all that differs in the dark scheme.
  const dark = await run(page, "colours")
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return [...light, ...dark.map((fault) => `in dark colours: ${fault}`)]
}
