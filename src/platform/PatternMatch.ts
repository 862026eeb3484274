/**
 * Matching a regular expression from a stranger against a text, within a time bound.
 *
 * A pattern such as `(a+)+b` can take longer than the universe has left. Only a separate V8 context can be told to stop.
 */
import type * as Vm from "node:vm"
import { builtins } from "./builtins.ts"

interface Sandbox {
  readonly context: Vm.Context
  readonly script: Vm.Script
}

let sandbox: Sandbox | undefined

const prepare = (): Sandbox => {
  // Without a prototype there is no way from the context to the functions outside.
  const context = builtins.vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } })
  return { context, script: new builtins.vm.Script("new RegExp(pattern).test(text)") }
}

/** Whether the pattern matches the whole text; "undecided" when it does not compile or takes too long. */
export const matchesWhole = (
  pattern: string,
  text: string,
  timeoutMillis = 50
): "match" | "mismatch" | "undecided" => {
  const { context, script } = sandbox ??= prepare()
  try {
    context["pattern"] = `^(?:${pattern})$`
    context["text"] = text
    return script.runInContext(context, { timeout: timeoutMillis }) === true ? "match" : "mismatch"
  } catch {
    return "undecided"
  } finally {
    // The text may be a secret.
    context["text"] = ""
  }
}
