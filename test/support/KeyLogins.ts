/** A home with the provider `acme`, at which users log in with an API key. */
import * as Effect from "effect/Effect"
import { keyDocument } from "./Acme.ts"
import { testsIn } from "./Fixture.ts"
import { loginContext } from "./Logins.ts"
import { logins, withHome } from "./Services.ts"
import { redacted } from "./StoredConnections.ts"
import { type Returned, toEffect } from "./TestBody.ts"

export const definition = (changes: Readonly<Record<string, unknown>> = {}) =>
  keyDocument({
    credentials_url: "https://acme.example/keys",
    api_key: {
      header_name: "X-Acme-Key",
      header_prefix: "",
      key_pattern: "ak-[a-z0-9-]+",
      key_pattern_hint: "begins with ak-"
    },
    ...changes
  })

export const key = (value: string) => redacted({ api_key: value })

const setUp = Effect.map(loginContext, (context) => ({ ...context, reveal: context.secret("apiKey") }))

export type Context = Effect.Success<typeof setUp>

/** Runs the body in a new process on the home. */
export const started = <A>(home: string, body: (context: Context) => Returned<A>) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(Effect.provide(logins(home)))

const inHome = <A>(body: (context: Context, home: string) => Returned<A>) =>
  withHome((home) => started(home, (context) => body(context, home)), definition())

export const { effect } = testsIn(inHome)
