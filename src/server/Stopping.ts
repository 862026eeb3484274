/** Whether the daemon is about to stop: it still serves, but load balancers should send their requests elsewhere. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export class Stopping extends Context.Service<Stopping, {
  readonly begin: () => void
  readonly hasBegun: () => boolean
}>()("credsvc/server/Stopping") {
  static readonly layer = Layer.sync(Stopping, () => {
    let begun = false
    return Stopping.of({
      begin: () => {
        begun = true
      },
      hasBegun: () => begun
    })
  })
}
