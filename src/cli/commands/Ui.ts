import * as Effect from "effect/Effect"
import { SystemGroup } from "../../api/SystemGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { openUrl } from "../login/UrlOpener.ts"
import { Output } from "../output/Output.ts"

export const ui = Effect.fnUntraced(function*(input: { readonly noBrowser: boolean }) {
  const client = yield* DaemonClient
  const output = yield* Output
  // This starts the daemon, which may choose another port.
  yield* client.of(SystemGroup).health()
  const { url } = yield* client.address
  const dashboard = new URL("/ui/", url).href
  const opened = input.noBrowser ? false : yield* openUrl(dashboard)
  yield* output.either(() => ({ url: dashboard, opened }), () => dashboard)
  if (!input.noBrowser && !opened) yield* output.note("Could not open a browser; open the URL yourself.")
}, provideDaemon())
