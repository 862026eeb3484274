import * as Effect from "effect/Effect"
import { receiveMasterKey, type StartMessage } from "../../client/Autostart.ts"
import { Output } from "../Output.ts"
import { ServeDaemon } from "../ServeDaemon.ts"

/** A client that started this process waits for one message. Whoever runs it by hand reads the address. */
const tellParent = (message: StartMessage): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (process.send === undefined) return resume(Effect.void)
    process.send(message, () => {
      if (process.connected) process.disconnect()
      resume(Effect.void)
    })
  })

const sentence = (error: unknown): string => {
  const { detail, message } = Object(error) as { readonly detail?: unknown; readonly message?: unknown }
  return typeof detail === "string" && detail !== "" ? detail : typeof message === "string" ? message : "It failed."
}

export const serve = Effect.fnUntraced(function*(input: {
  readonly host: string
  readonly port: number
  readonly reload: boolean
}) {
  const output = yield* Output
  const daemon = yield* ServeDaemon
  yield* daemon.serve({
    ...input,
    masterKey: receiveMasterKey(process.env),
    onListening: (url) =>
      Effect.andThen(
        output.either(() => ({ status: "listening", url, pid: process.pid }), () => `credsvc daemon at ${url}`),
        tellParent({ ready: true, url })
      )
  }).pipe(Effect.tapError((error) => tellParent({ ready: false, message: sentence(error) })))
})
