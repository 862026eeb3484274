import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { failWith } from "../../domain/FailWith.ts"
import { Output } from "../output/Output.ts"
import type { ServeInput } from "../tree/CommandInputs.ts"

const invalid = (path: string, message: string) =>
  failWith(({ InvalidRequestError }) => InvalidRequestError.at(path, message))

/** Runs the daemon in this process or, with `--reload`, in a child process. */
export const serveDaemon = Effect.fnUntraced(function*(input: ServeInput) {
  const group = Option.getOrUndefined(input.frontGroup)
  if (group !== undefined && Option.isNone(input.frontSocket)) {
    return yield* invalid("--front-group", "is only allowed with --front-socket")
  }
  if (input.reload && Option.isSome(input.drain)) {
    return yield* invalid("--drain", "has no effect with --reload")
  }
  if (input.reload) {
    const { serveReloading } = yield* Effect.promise(() => import("../daemon/ReloadingDaemon.ts"))
    return yield* serveReloading(input)
  }
  const output = yield* Output
  const daemon = yield* Effect.promise(() => import("../../server/Daemon.ts"))
  yield* daemon.serve({
    host: input.host,
    port: input.port,
    drainSeconds: Option.getOrUndefined(input.drain),
    front: Option.match(input.frontSocket, { onNone: () => undefined, onSome: (path) => ({ path, group }) }),
    onReady: ({ url }) =>
      void Effect.runFork(output.either(() => ({ status: "listening", url, pid: process.pid }), () => url))
  })
})
