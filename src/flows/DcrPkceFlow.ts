/** The browser login with dynamic client registration, as in the MCP authorization specification. */
import * as Effect from "effect/Effect"
import { makeCodeFlow } from "./CodeFlow.ts"
import type { OAuthLogin } from "./Flow.ts"
import { LoginClients } from "./LoginClients.ts"
import type { OAuthTarget } from "./oauth/OAuthState.ts"
import { OAuthTargets } from "./oauth/OAuthTargets.ts"
import { failureOf } from "./ProviderFailure.ts"

export const DcrPkceFlow = Effect.gen(function*() {
  const clients = yield* LoginClients
  const targets = yield* OAuthTargets

  const findClient = Effect.fnUntraced(function*(login: OAuthLogin, target: OAuthTarget) {
    const known = yield* clients.find(login, target)
    if (known !== undefined) return known
    const { displayName } = login.definition
    if (target.server.registrationEndpoint === undefined) {
      return { askBecause: `${displayName} does not support dynamic client registration.` }
    }
    return yield* clients.register(login, target).pipe(
      Effect.catchTags({
        // Some servers register only known clients, and reject others with various errors.
        OAuthRejected: (error) => Effect.succeed({ askBecause: failureOf(login.definition, "", error).message }),
        OAuthUnavailable: (error) =>
          Effect.fail(failureOf(login.definition, target.server.registrationEndpoint ?? "", error)),
        OAuthUnsafe: (error) => Effect.fail(failureOf(login.definition, "", error))
      })
    )
  })

  return yield* makeCodeFlow({
    kind: "dcr_pkce",
    findTarget: (login) => targets.discover(login),
    findClient
  })
})
