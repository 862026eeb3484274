/** Where a browser finds the pages of this daemon. Whoever listens supplies it: only then the port is known. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export class PublicUrl extends Context.Service<PublicUrl, {
  /** Scheme, host and port; never taken from a request. */
  readonly origin: string
}>()("credsvc/flows/PublicUrl") {
  static readonly layerOf = (origin: string): Layer.Layer<PublicUrl> => Layer.succeed(PublicUrl, { origin })
}
