/**
 * Keeps memory flat while large bodies pass through.
 *
 * Each chunk lives outside the JavaScript heap, with only a small object in it, so V8 sees no reason to collect until
 * many of them are dead: a download of a gigabyte then holds on to a hundred megabytes. A collection of the young
 * generation, which takes about a millisecond, is asked for whenever so much has passed.
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
    return () => {} // a runtime that does not let us: it collects when it likes
  }
}

/** Counts bytes of a body that were passed on. */
export const count = (bytes: number): void => {
  passed += bytes
  if (passed < INTERVAL_BYTES) return
  passed = 0
  collect ??= load()
  collect({ type: "minor" })
}
