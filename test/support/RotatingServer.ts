/**
 * The scripted authorization server with a token endpoint that rotates refresh tokens and counts misuse by clients.
 *
 * Its grace is the minimum for surviving a client's crash: a used refresh token remains valid until the client has
 * shown any part of the response, which may have been lost (RFC 9700 section 4.14.2). Once the successor or its access
 * token is used, using the old token ends the grant.
 */
import { type HostileAuthorizationServer, openHostileAuthorizationServer, paths } from "./HostileAuthorizationServer.ts"
import type { Received, Reply } from "./ScriptedSite.ts"
import { dropIn } from "./Services.ts"
import { writeConfig } from "./TestSites.ts"

/** What the connection is created with: a refresh token, the client of a stored grant, or the values for a role. */
export type Seed =
  | { readonly accessToken: string; readonly refreshToken: string }
  | { readonly accessToken: string; readonly clientId: string; readonly clientSecret: string }
  | { readonly accessToken: string; readonly role: Readonly<Record<string, string>> }

export interface RotatingServer extends HostileAuthorizationServer {
  /** The response of the token endpoint, for tests that modify it. */
  readonly token: (request: Received) => Reply
  readonly tokenPath: string
  /** A part of what the connection keeps for its token requests, to search for it. */
  readonly secret: string
  /** Issues the tokens of a new grant. Earlier tokens belong to no grant any more. */
  readonly grant: () => Seed
  /** Call it when the client uses an access token. Returns false if the API rejects it. */
  readonly accepts: (accessToken: string) => boolean
  /** The client has stored the newest response, which the server cannot observe. Invalidates earlier tokens. */
  readonly stored: () => void
  readonly counts: {
    /** Responses with new tokens. */
    readonly rotations: number
    /**
     * Of these, responses to a token whose first response never arrived. Without grace they would have required a
     * login.
     */
    readonly graces: number
    /** Uses of a refresh token after its successor was used. */
    readonly replays: number
    /** Requests with a token of no grant. */
    readonly unknown: number
  }
}

interface Generation {
  readonly accessToken: string
  readonly refreshToken: string
  /** Whether the client has used this generation. */
  seen: boolean
}

export const openRotatingServer = async (): Promise<RotatingServer> => {
  const counts = { rotations: 0, graces: 0, replays: 0, unknown: 0 }
  let grants = 0
  /** The valid generations: the newest one, and its predecessors as long as it was not used. */
  let live: Array<Generation> = []
  const spent = new Set<string>()

  const next = (): Generation => {
    const number = `${grants}-${counts.rotations}`
    return { accessToken: `canary-at-${number}`, refreshToken: `canary-rt-${number}`, seen: false }
  }

  /** Invalidates earlier generations. */
  const confirm = (generation: Generation): void => {
    generation.seen = true
    const at = live.indexOf(generation)
    for (const { refreshToken } of live.splice(0, at)) spent.add(refreshToken)
  }

  const refused = (counter: "replays" | "unknown"): Reply => {
    counts[counter]++
    live = []
    return { status: 400, body: { error: "invalid_grant" } }
  }

  const token = ({ form }: Received): Reply => {
    const presented = form.get("refresh_token") ?? ""
    if (spent.has(presented)) return refused("replays")
    const generation = live.find(({ refreshToken }) => refreshToken === presented)
    if (generation === undefined) return refused("unknown")
    confirm(generation)
    if (live.length > 1) counts.graces++
    // A newer response invalidates earlier ones that the client has not used.
    for (const { refreshToken } of live.splice(1)) spent.add(refreshToken)
    counts.rotations++
    const successor = next()
    live.push(successor)
    return {
      body: {
        access_token: successor.accessToken,
        refresh_token: successor.refreshToken,
        token_type: "Bearer",
        expires_in: 3600
      }
    }
  }

  const accepts = (accessToken: string): boolean => {
    const generation = live.find((item) => item.accessToken === accessToken)
    if (generation === undefined) return false
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
    tokenPath: paths.token,
    secret: "canary-rt",
    grant: () => {
      grants++
      live = [next()]
      spent.clear()
      return live[0]!
    },
    accepts,
    stored: () => {
      const newest = live.at(-1)
      if (newest !== undefined) confirm(newest)
    },
    counts
  }
}

/** Configures a home to reach the server, as the provider `rotating`. */
export const rotatingHome = (home: string, server: RotatingServer): void => {
  const { issuer } = server
  writeConfig(home, [server])
  dropIn(home, {
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
}
