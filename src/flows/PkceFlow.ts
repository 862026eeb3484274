/** The browser login with a client that a person created at the provider, or with the client of the definition. */
import * as Effect from "effect/Effect"
import { makeCodeFlow } from "./CodeFlow.ts"
import { LoginClients } from "./LoginClients.ts"
import { OAuthTargets } from "./oauth/OAuthTargets.ts"

export const PkceFlow = Effect.gen(function*() {
  const clients = yield* LoginClients
  const targets = yield* OAuthTargets
  return yield* makeCodeFlow({
    kind: "pkce",
    findTarget: (login) => targets.find(login, "authorizationEndpoint"),
    findClient: (login, target) =>
      Effect.map(clients.find(login, target), (client) => client ?? { askBecause: undefined })
  })
})
