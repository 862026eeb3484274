/**
 * An authorization server with any number of grants that rotates their refresh tokens and counts misuse by clients.
 *
 * Its grace is that of `RotatingServer.ts`: a used refresh token remains valid until the client has shown any part of the
 * response, which may have been lost.
 */
import { type HostileAuthorizationServer, openHostileAuthorizationServer, paths } from "./HostileAuthorizationServer.ts"
import type { Received, Reply } from "./ScriptedSite.ts"

interface Issued {
  readonly grant: Grant
  readonly position: number
}

interface Grant {
  /** The position of the newest tokens that the client has used. */
  seen: number
  /** The positions of valid tokens are from `seen` to this one. */
  newest: number
}

export interface GrantServer extends HostileAuthorizationServer {
  /** The lifetime of further access tokens in seconds. */
  expiresIn: number
  /** The response of the token endpoint. */
  readonly token: (request: Received) => Reply
  /** Call it when the client uses an access token. Returns false if the API rejects it. */
  readonly accepts: (accessToken: string) => boolean
  readonly counts: {
    logins: number
    rotations: number
    /** Rotations of a token that was used before, and whose response the client has not shown. */
    graces: number
    /** Uses of a refresh token whose successor was used. */
    replays: number
    /** Requests with a token of no grant. */
    unknown: number
  }
}

/** Serves the definition of `grantDefinition`. */
export const openGrantServer = async (expiresIn: number): Promise<GrantServer> => {
  const counts = { logins: 0, rotations: 0, graces: 0, replays: 0, unknown: 0 }
  const issued = new Map<string, Issued>()
  let serial = 0

  const issue = (grant: Grant, position: number): Reply => {
    grant.newest = position
    serial++
    for (const kind of ["at", "rt"]) issued.set(`canary-${kind}-${serial}`, { grant, position })
    return {
      body: {
        access_token: `canary-at-${serial}`,
        refresh_token: `canary-rt-${serial}`,
        token_type: "Bearer",
        expires_in: opened.expiresIn
      }
    }
  }

  const isValid = ({ grant, position }: Issued) => position >= grant.seen && position <= grant.newest

  const token = ({ form }: Received): Reply => {
    if (form.get("grant_type") === "authorization_code") {
      counts.logins++
      return issue({ seen: 0, newest: 0 }, 0)
    }
    const found = issued.get(form.get("refresh_token") ?? "")
    if (found === undefined || !isValid(found)) {
      counts[found === undefined ? "unknown" : "replays"]++
      return { status: 400, body: { error: "invalid_grant" } }
    }
    const { grant, position } = found
    if (position < grant.newest) counts.graces++
    grant.seen = position
    counts.rotations++
    // Positions are never used twice, so that the tokens of a lost response stay invalid.
    return issue(grant, grant.newest + 1)
  }

  const server = await openHostileAuthorizationServer({
    host: "as.granting.test",
    script: { [paths.token]: (request) => token(request) }
  })
  const opened: GrantServer = {
    ...server,
    expiresIn,
    token,
    accepts: (accessToken) => {
      const found = issued.get(accessToken)
      if (found === undefined || !isValid(found)) return false
      found.grant.seen = found.position
      return true
    },
    counts
  }
  return opened
}

/** The definition of the provider. */
export const grantDefinition = ({ issuer }: GrantServer) => ({
  name: "granting",
  auth_type: "oauth2",
  flow: "pkce",
  api_url: "https://api.granting.test",
  oauth: {
    authorization_url: issuer + paths.authorize,
    token_url: issuer + paths.token,
    client_id: "public-app",
    client_authentication: "none",
    pkce: true
  }
})
