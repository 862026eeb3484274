/** A token endpoint that issues tokens to a client with a secret, as often as it is asked. */
import { openHostileAuthorizationServer, paths } from "./HostileAuthorizationServer.ts"
import type { RotatingServer } from "./RotatingServer.ts"
import type { Received, Reply } from "./ScriptedSite.ts"
import { dropIn } from "./Services.ts"
import { writeConfig } from "./TestSites.ts"

const secret = "canary-secret-of-the-client"

/** Nothing is used up, so nothing can be replayed or lost. Each response has a new token, and counts as a rotation. */
export const openIssuingServer = async (): Promise<RotatingServer> => {
  const counts = { logins: 0, rotations: 0, graces: 0, replays: 0, unknown: 0 }
  const issued = new Set<string>()
  const token = ({ headers }: Received): Reply => {
    if (headers.authorization !== `Basic ${btoa(`service-app:${secret}`)}`) {
      counts.unknown++
      return { status: 401, body: { error: "invalid_client" } }
    }
    const access_token = `canary-at-${++counts.rotations}`
    issued.add(access_token)
    return { body: { access_token, token_type: "Bearer", expires_in: 3600 } }
  }
  const server = await openHostileAuthorizationServer({
    host: "as.rotating.test",
    script: { [paths.token]: (request) => token(request) }
  })
  const grant = () => ({ accessToken: "canary-at-0", clientId: "service-app", clientSecret: secret })
  return { ...server, token, secret, grant, accepts: (each) => issued.has(each), stored: () => {}, counts }
}

/** Configures a home to reach the server, as the provider `rotating`. */
export const issuingHome = (home: string, server: RotatingServer): void => {
  writeConfig(home, [server])
  dropIn(home, {
    name: "rotating",
    auth_type: "oauth2",
    flow: "client_credentials",
    api_url: "https://api.rotating.test",
    oauth: { issuer: server.issuer, token_url: server.issuer + paths.token, client_credentials: {} }
  })
}
