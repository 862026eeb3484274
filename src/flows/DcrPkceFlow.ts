/**
 * The login in the browser at a server that is found by its metadata and where we register ourselves, as the MCP
 * authorization specification has it. A server that registers nobody is logged in to with a client that a person enters.
 */
import * as Effect from "effect/Effect"
import { makeCodeFlow } from "./CodeFlow.ts"
import type { OAuthLogin } from "./Flow.ts"
import { LoginClients } from "./LoginClients.ts"
import type { OAuthTarget } from "./OAuthState.ts"
import { OAuthTargets } from "./OAuthTargets.ts"
import { failureOf } from "./ProviderFailure.ts"

export const DcrPkceFlow = Effect.gen(function*() {
  const clients = yield* LoginClients
  const targets = yield* OAuthTargets

  const findClient = Effect.fnUntraced(function*(login: OAuthLogin, target: OAuthTarget) {
    const known = yield* clients.find(login, target)
    if (known !== undefined) return known
    const { displayName } = login.definition
    if (target.server.registrationEndpoint === undefined) {
      return { askBecause: `${displayName} does not register clients by itself.` }
    }
    return yield* clients.register(login, target).pipe(
      Effect.catchTags({
        // Some register only clients they know of, and say so with one error or another.
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
