/** Patches `AsyncResource.bind` of Node, which keeps memory of each HTTP/2 request. */
import { AsyncResource } from "node:async_hooks"

/**
 * Replaces `AsyncResource.bind`, which `node:http2` calls for each request. The original defines a deprecated accessor, and V8 keeps the
 * function of an accessor, here with the whole request, until a collection of the whole heap.
 */
export const bindWithoutAccessors = (): void => {
  Object.assign(AsyncResource.prototype, {
    bind(this: AsyncResource, fn: (...values: Array<unknown>) => unknown, thisArg?: unknown) {
      const run = this.runInAsyncScope.bind(this)
      return function(this: unknown, ...values: Array<unknown>) {
        return run(fn, thisArg ?? this, ...values)
      }
    }
  })
}
