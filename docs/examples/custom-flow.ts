/**
 * A login method of the program's own: people enter the number of a ticket, and the program obtains keys for it, each valid
 * for a short time.
 *
 * Prints: Enter the number of your ticket. -> completed by acme.ticket, Bearer key-2-of-ticket-42
 */
import { Connections, type Flow, FlowRunner, parseDefinition, Profiles } from "credsvc"
import * as Testing from "credsvc/testing"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

const definition = Result.getOrThrow(parseDefinition(JSON.stringify({
  name: "acme",
  auth_type: "api_key",
  flow: "acme.ticket",
  api_url: "https://api.acme.example"
})))

let issued = 0

/** A request to the service desk, in a real program. Here each key expires immediately, so each use obtains another. */
const keyFor = (ticket: Redacted.Redacted<string>) =>
  Effect.map(DateTime.now, (obtainedAt) => ({
    values: { api_key: Redacted.make(`key-${++issued}-of-ticket-${Redacted.value(ticket)}`) },
    obtainedAt,
    expiresAt: obtainedAt
  }))

const ticketFlow: Flow = {
  kind: "acme.ticket",
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
      ? Effect.map(keyFor(event.data["ticket"]!), (issued) => ({
        _tag: "Granted",
        grant: { ...issued, grantValues: event.data }
      }))
      : Effect.succeed({ _tag: "Expired" }),
  renew: ({ grantValues }) => keyFor(grantValues["ticket"]!)
}

const program = Effect.gen(function*() {
  const runner = yield* FlowRunner
  const profile = yield* (yield* Profiles).active
  const started = yield* runner.start(profile, { provider: definition.name })
  const ended = yield* runner.resume(started.sessionId, { ticket: Redacted.make("42") })

  const connections = yield* Connections
  const [connection] = yield* connections.list(profile)
  const request = { host: "api.acme.example", path: "/" }
  const { headers } = yield* connections.resolve(profile, request, { run: Option.none() })
  const used = Redacted.value(headers["Authorization"]!)
  console.log(`${started.message} -> ${ended.status} by ${connection!.flow}, ${used}`)
}).pipe(Effect.provide(Testing.layer({ providers: [definition], flows: [ticketFlow] })))

await Effect.runPromise(program)
