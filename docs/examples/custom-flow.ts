/**
 * A login method of the program's own: people enter the number of a ticket, and the program fetches the key.
 *
 * Prints: Enter the number of your ticket. -> completed
 */
import { type Flow, FlowRunner, Profiles } from "credsvc"
import * as Testing from "credsvc/testing"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { openai } from "./provider.ts"

const keyOf = (ticket: Redacted.Redacted<string>) =>
  Effect.succeed(Redacted.make(`sk-issued-for-${Redacted.value(ticket)}-0123456789`))

const ticketFlow: Flow = {
  kind: "api_key",
  supports: (definition) => definition.name === "openai",
  begin: () =>
    Effect.succeed({
      _tag: "AskInput",
      message: "Enter the number of your ticket.",
      fields: [
        { name: "ticket", label: "Ticket", secret: false, required: true, default: null, pattern: null, hint: null }
      ],
      state: null
    }),
  receive: (_request, _state, event) =>
    event._tag === "Input"
      ? Effect.map(keyOf(event.data["ticket"]!), (key) => ({ _tag: "Granted", grant: { values: { api_key: key } } }))
      : Effect.succeed({ _tag: "Expired" })
}

const program = Effect.gen(function*() {
  const runner = yield* FlowRunner
  const started = yield* runner.start(yield* (yield* Profiles).active, { provider: openai })
  const ended = yield* runner.resume(started.sessionId, { ticket: Redacted.make("42") })
  console.log(`${started.message} -> ${ended.status}`)
}).pipe(Effect.provide(Testing.layer({ flows: [ticketFlow] })))

await Effect.runPromise(program)
