/** `credsvc ui`: opens the pages of the daemon. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { findAccessKey } from "../../config/daemon/AccessKey.ts"
import { enterPath, pagesCode } from "../../config/daemon/PagesCode.ts"
import { Paths } from "../../config/Paths.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { openUrl } from "../login/UrlOpener.ts"
import { Output } from "../output/Output.ts"

/** Returns the address of the pages. If others can reach the daemon, the address has a code, for which the browser gets a cookie. */
const addressOf = Effect.fnUntraced(function*(url: URL, exposed: boolean) {
  const key = exposed ? yield* findAccessKey(yield* Paths) : undefined
  if (key === undefined) return new URL("/ui/", url).href
  return new URL(`${enterPath}?code=${pagesCode(key, yield* Clock.currentTimeMillis)}`, url).href
})

export const ui = Effect.fnUntraced(function*(input: { readonly noBrowser: boolean }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const address = yield* client.address
  if (!address.loopback) {
    return yield* OperationNotAllowedError.of(
      `The pages of the daemon at ${address.url.origin} open only on its own machine. Run credsvc ui there, or forward ` +
        "its port with ssh -L."
    )
  }
  // This call starts the daemon, which may choose another port.
  const { exposed } = yield* call("system.health")
  const dashboard = yield* addressOf((yield* client.address).url, exposed)
  const opened = input.noBrowser ? false : yield* openUrl(dashboard)
  yield* output.either(() => ({ url: dashboard, opened }), () => dashboard)
  if (!input.noBrowser && !opened) yield* output.note("Could not open a browser; open the URL yourself.")
}, provideDaemon())
