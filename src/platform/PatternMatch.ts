/**
 * Matches a regular expression from an untrusted source against a string, within a time limit.
 *
 * A pattern such as `(a+)+b` can take exponential time. Only code in a separate V8 context can be interrupted.
 */
import type * as Vm from "node:vm"
import { builtins } from "./builtins.ts"
import { errorCode } from "./ErrorCode.ts"

interface Sandbox {
  readonly context: Vm.Context
  readonly script: Vm.Script
}

let sandbox: Sandbox | undefined

const prepare = (): Sandbox => {
  // A null prototype prevents code in the context from reaching functions outside of it.
  const context = builtins.vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } })
  return { context, script: new builtins.vm.Script("new RegExp(pattern).test(text)") }
}

const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** A match that times out without having used much processor time is tried again, with limits up to this one. */
const longestMillis = 3000

/**
 * Whether the pattern matches the whole text; "undecided" if it does not compile or takes too long. The limit is
 * wall-clock time, but a match counts as too long only if the process has used about as much processor time.
 */
export const matchesWhole = (pattern: string, text: string, timeoutMillis = 50): "match" | "mismatch" | "undecided" => {
  const { context, script } = sandbox ??= prepare()
  try {
    context["pattern"] = `^(?:${pattern})$`
    context["text"] = text
    for (let timeout = timeoutMillis; timeout <= longestMillis; timeout *= 2) {
      const before = cpuMillis()
      try {
        return script.runInContext(context, { timeout }) === true ? "match" : "mismatch"
      } catch (cause) {
        if (errorCode(cause) !== "ERR_SCRIPT_EXECUTION_TIMEOUT" || cpuMillis() - before >= timeoutMillis * 0.8) {
          return "undecided"
        }
      }
    }
    return "undecided"
  } finally {
    // Cleared, because the text may be a secret.
    context["text"] = ""
  }
}
