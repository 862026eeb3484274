/**
 * Keeps memory flat while large bodies pass through. Chunks live outside the JavaScript heap, so V8 sees no reason to collect
 * them: a download of a gigabyte would hold a hundred megabytes. A collection of the young generation takes a millisecond.
 */
import * as v8 from "node:v8"
import * as vm from "node:vm"

const INTERVAL_BYTES = 8 * 1024 * 1024

type Collect = (options: { readonly type: "minor" }) => void

let passed = 0
let collect: Collect | undefined

const load = (): Collect => {
  try {
    v8.setFlagsFromString("--expose-gc")
    const gc: unknown = vm.runInNewContext("gc")
    return typeof gc === "function" ? gc as Collect : () => {}
  } catch {
    return () => {} // unsupported by this runtime
  }
}

export const count = (bytes: number): void => {
  passed += bytes
  if (passed < INTERVAL_BYTES) return
  passed = 0
  collect ??= load()
  collect({ type: "minor" })
}
