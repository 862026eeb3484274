/** The browser login with dynamic client registration, as in the MCP authorization specification. */
import * as Effect from "effect/Effect"
import { makeCodeFlow } from "./CodeFlow.ts"
import { LoginClients } from "./LoginClients.ts"
import { OAuthTargets } from "./oauth/OAuthTargets.ts"

export const DcrPkceFlow = Effect.gen(function*() {
  const clients = yield* LoginClients
  const targets = yield* OAuthTargets

  return yield* makeCodeFlow({
    kind: "dcr_pkce",
    findTarget: (login) => targets.discover(login),
    findClient: (login, target) => clients.obtain(login, target)
  })
})
