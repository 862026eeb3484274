/**
 * V8's pretenuring, which allocates objects in the old generation where most of the earlier ones survived collections.
 *
 * Each request of a proxy is a graph of short-lived objects. If one of them is in the old generation, the next collection of the young
 * one keeps the whole graph, although the request is over. That confirms V8's choice, so it lasts
 * (docs/decisions/0039-steps-of-a-request.md).
 */
import * as module from "node:module"
import * as v8 from "node:v8"

/** After the modules that a start loads, because V8 rejects code that was cached under other flags. */
const DELAY_MILLISECONDS = 500

/** Disables it for the rest of the process. A daemon disables it in `bin.ts`. */
export const disablePretenuring = (): void => {
  setTimeout(() => {
    // What is written later would be rejected by the next start.
    module.flushCompileCache()
    v8.setFlagsFromString("--no-allocation-site-pretenuring")
  }, DELAY_MILLISECONDS).unref()
}
