/**
 * Regular expressions written by others, run for a bounded time.
 *
 * V8 backtracks, so a pattern such as `(a+)+` can occupy the process for as long as the sun shines. Static checks of
 * patterns refuse too much or too little; the time limit of `node:vm` stops a match that is under way.
 */
import { builtins } from "./builtins.ts"

const DEFAULT_MILLISECONDS = 100

/** Whether the whole text matches. "undecided" when the time was up, or the pattern is not a regular expression. */
export const matchesWhole = (
  pattern: string,
  text: string,
  options: { readonly milliseconds?: number } = {}
): "yes" | "no" | "undecided" => {
  try {
    const matched: unknown = builtins.vm.runInNewContext(
      "new RegExp('^(?:' + pattern + ')$').test(text)",
      { pattern, text },
      { timeout: options.milliseconds ?? DEFAULT_MILLISECONDS }
    )
    return matched === true ? "yes" : "no"
  } catch {
    return "undecided"
  }
}
