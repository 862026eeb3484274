import * as Effect from "effect/Effect"
import { plural } from "../../domain/text/Plural.ts"
import { Output } from "../output/Output.ts"

export const migrate = Effect.fnUntraced(function*({ to }: { readonly to: "file" | "postgresql" }) {
  const output = yield* Output
  const { move } = yield* Effect.promise(() => import("../../server/Daemon.ts"))
  const { leftover, place, rows } = yield* move(to)
  if (output.json) return yield* output.document({ to, rows, place, leftover })
  yield* output.note(`Moved the store to ${place}: ${plural(rows, "row")}, each compared with its original.`)
  yield* output.note(
    to === "postgresql"
      ? `Start the daemon with CREDSVC_DATABASE_URL from now on. Delete ${leftover}, and ` +
        "identities.moved and providers.moved of the home, when you no longer need them."
      : "Start the daemon without CREDSVC_DATABASE_URL from now on."
  )
})
