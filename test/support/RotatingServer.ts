/**
 * The scripted authorization server with a token endpoint that rotates the refresh tokens of any number of grants, and
 * counts misuse by clients.
 *
 * Its grace is the minimum for surviving a client's crash: a used refresh token remains valid until the client has
 * shown any part of the response, which may have been lost (RFC 9700 section 4.14.2). Once the successor or its access
 * token is used, using the old token ends the grant.
 */
import { openHostileAuthorizationServer, paths } from "./HostileAuthorizationServer.ts"
import type { Received, Reply } from "./ScriptedSite.ts"
import { dropIn } from "./Services.ts"
import { writeConfig } from "./TestSites.ts"

/** What the connection is created with. */
export interface Seed {
  readonly accessToken: string
  readonly refreshToken: string
}

interface Generation {
  readonly accessToken: string
  readonly refreshToken: string
  readonly grant: Grant
}

interface Grant {
  /** The valid generations: the newest one, and its predecessors as long as it was not used. */
  live: ReadonlyArray<Generation>
}

/** Access tokens after the first last `expiresIn` seconds. */
export const openRotatingServer = async (expiresIn = 3600) => {
  const counts = {
    logins: 0,
    /** Responses with new tokens. */
    rotations: 0,
    /** Of these, responses to a token whose first response never arrived. Without grace they would have required a login. */
    graces: 0,
    /** Uses of a refresh token after its successor was used. */
    replays: 0,
    /** Requests with a token of no grant. */
    unknown: 0
  }
  const generations = new Map<string, Generation>()
  let serial = 0
  let newestGrant: Grant = { live: [] }

  /** Adds a generation to a grant. */
  const next = (grant: Grant): Generation => {
    const number = serial++
    const generation = { accessToken: `canary-at-${number}`, refreshToken: `canary-rt-${number}`, grant }
    grant.live = [...grant.live, generation]
    for (const token of [generation.accessToken, generation.refreshToken]) generations.set(token, generation)
    return generation
  }

  const begin = (): Generation => next(newestGrant = { live: [] })

  /** Invalidates earlier generations. */
  const confirm = (generation: Generation): void => {
    const { grant } = generation
    grant.live = grant.live.slice(grant.live.indexOf(generation))
  }

  const refused = (counter: "replays" | "unknown"): Reply => {
    counts[counter]++
    return { status: 400, body: { error: "invalid_grant" } }
  }

  const issued = ({ accessToken, refreshToken }: Generation): Reply => ({
    body: { access_token: accessToken, refresh_token: refreshToken, token_type: "Bearer", expires_in: expiresIn }
  })

  const token = ({ form }: Received): Reply => {
    if (form.get("grant_type") === "authorization_code") {
      counts.logins++
      return issued(begin())
    }
    const generation = generations.get(form.get("refresh_token") ?? "")
    if (generation === undefined) return refused("unknown")
    const { grant } = generation
    if (!grant.live.includes(generation)) {
      grant.live = []
      return refused("replays")
    }
    confirm(generation)
    if (grant.live.length > 1) counts.graces++
    // A newer response invalidates earlier ones that the client has not used.
    grant.live = [generation]
    counts.rotations++
    return issued(next(grant))
  }

  /** Call it when the client uses an access token. Returns false if the API rejects it. */
  const accepts = (accessToken: string): boolean => {
    const generation = generations.get(accessToken)
    if (generation === undefined || !generation.grant.live.includes(generation)) return false
    confirm(generation)
    return true
  }

  const server = await openHostileAuthorizationServer({
    host: "as.rotating.test",
    script: { [paths.token]: (request) => token(request) }
  })
  return {
    ...server,
    token,
    /** Issues the tokens of a new grant. Earlier tokens belong to no grant any more. */
    grant: (): Seed => {
      generations.clear()
      const { accessToken, refreshToken } = begin()
      return { accessToken, refreshToken }
    },
    accepts,
    /** Call it when the client has stored the newest response, which the server cannot observe. Invalidates earlier tokens. */
    stored: () => {
      const newest = newestGrant.live.at(-1)
      if (newest !== undefined) confirm(newest)
    },
    counts
  }
}

export type RotatingServer = Awaited<ReturnType<typeof openRotatingServer>>

/** The provider `rotating`. */
export const rotatingDefinition = ({ issuer }: RotatingServer) => ({
  name: "rotating",
  auth_type: "oauth2",
  flow: "pkce",
  api_url: "https://api.rotating.test",
  oauth: {
    issuer,
    authorization_url: issuer + paths.authorize,
    token_url: issuer + paths.token,
    client_id: "public-app",
    client_authentication: "none"
  }
})

/** Configures a home to reach the server. */
export const rotatingHome = (home: string, server: RotatingServer): void => {
  writeConfig(home, [server])
  dropIn(home, rotatingDefinition(server))
}
