/** Whether a program listens on a Unix socket. A killed process leaves its socket behind. */
import * as Effect from "effect/Effect"
import { builtins } from "../builtins.ts"

export const isServed = (file: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = builtins.net.connect({ path: file })
    const done = (served: boolean) => {
      socket.destroy()
      resume(Effect.succeed(served))
    }
    socket.once("connect", () => done(true)).once("error", () => done(false))
  })
