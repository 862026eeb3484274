/** Flows that a test scripts, and the flow runner that uses them at the provider `acme`. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Flow, FlowEvent, FlowStep, LoginRequest } from "../../src/flows/Flow.ts"
import { oauthDocument } from "./Acme.ts"
import { loginContext } from "./Logins.ts"
import { loginsWith, withHome } from "./Services.ts"
import { type Returned, toEffect } from "./TestBody.ts"

export const definition = oauthDocument({
  flows: ["pkce", "device_code"],
  oauth: { device_authorization_url: "https://login.acme.example/device" }
})

export const grant = (token: string): FlowStep => ({
  _tag: "Granted",
  grant: { values: { access_token: Redacted.make(token) } }
})

export type Receive = (request: LoginRequest, state: unknown, event: FlowEvent) => ReturnType<Flow["receive"]>

/** Flows of both kinds that begin with `step` and record their events. */
export const scripted = (step: FlowStep, receive: Receive = () => Effect.succeed(grant("at-1"))) => {
  const received: Array<FlowEvent> = []
  const flow = (kind: "device_code" | "pkce"): Flow => ({
    kind,
    begin: () => Effect.succeed(step),
    receive: (request, state, event) =>
      Effect.suspend(() => {
        received.push(event)
        return receive(request, state, event)
      })
  })
  return { received, flows: [flow("pkce"), flow("device_code")] }
}

const setUp = Effect.map(loginContext, (context) => ({
  ...context,
  token: context.secret("accessToken"),
  /** Does what the browser does when the provider redirects it back. */
  callback: (state = "s-1") => Effect.map(context.runner.callback(`?state=${state}&code=c-1`), ({ session }) => session)
}))

type Context = Effect.Success<typeof setUp>

/** A new process on the home. */
export const started = <A>(home: string, flows: ReadonlyArray<Flow>, body: (context: Context) => Returned<A>) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(Effect.provide(loginsWith(home, flows)))

export const inHome = <A>(
  { flows, received }: ReturnType<typeof scripted>,
  body: (context: Context, received: ReadonlyArray<FlowEvent>, home: string) => Returned<A>
) => withHome((home) => started(home, flows, (context) => body(context, received, home)), definition)
