/** The settings and functions of V8's garbage collection that Node does not expose. They do nothing where the runtime has none. */
import * as v8 from "node:v8"
import * as vm from "node:vm"

/** `last-resort` also returns everything to the system that is unused, including compiled code. */
type Collect = (
  options: { readonly type: "minor" } | { readonly type: "major"; readonly flavor: "last-resort" }
) => void

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

export const collectGarbage: Collect = (options) => {
  collect ??= load()
  collect(options)
}

/** Keeps the young generation as large as it is now, however much is allocated. */
export const keepYoungGeneration = (): void => {
  try {
    v8.setFlagsFromString("--semi-space-growth-factor=1")
  } catch {
    // unsupported by this runtime
  }
}
