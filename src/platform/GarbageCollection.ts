/** V8's `gc` function, which Node does not expose by default. Does nothing where the runtime has none. */
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
    // V8 rejects code that was cached under other flags, such as by the compile cache that Node writes later.
    v8.setFlagsFromString("--no-expose-gc")
    return typeof gc === "function" ? gc as Collect : () => {}
  } catch {
    return () => {} // unsupported by this runtime
  }
}

export const collectGarbage: Collect = (options) => {
  collect ??= load()
  collect(options)
}
