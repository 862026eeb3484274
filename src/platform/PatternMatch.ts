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

const isTimeout = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** A match that was not given the processor says nothing about the pattern: it is tried again, up to this time. */
const longestMillis = 3000

/**
 * Whether the pattern matches the whole text; "undecided" when it does not compile or takes too long. The time is that
 * of the clock, but it has not run out before the process has computed for about as long.
 */
export const matchesWhole = (
  pattern: string,
  text: string,
  timeoutMillis = 50
): "match" | "mismatch" | "undecided" => {
  const { context, script } = sandbox ??= prepare()
  try {
    context["pattern"] = `^(?:${pattern})$`
    context["text"] = text
    for (let timeout = timeoutMillis; timeout <= longestMillis; timeout *= 2) {
      const before = cpuMillis()
      try {
        return script.runInContext(context, { timeout }) === true ? "match" : "mismatch"
      } catch (cause) {
        if (!isTimeout(cause) || cpuMillis() - before >= timeoutMillis * 0.8) return "undecided"
      }
    }
    return "undecided"
  } finally {
    // The text may be a secret.
    context["text"] = ""
  }
}
