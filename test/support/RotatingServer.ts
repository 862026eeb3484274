/**
 * A token endpoint that rotates refresh tokens and counts every use that a client should not have made, and an API.
 *
 * Its grace is the smallest that makes a client's crash survivable: a refresh token that was used may be used again for
 * as long as nothing of the answer has been seen, which is when the answer may have been lost (RFC 9700 section 4.14.2).
 * As soon as the successor or its access token turns up anywhere, the old token is spent; using it then ends the grant.
 */
import { openScriptedSite, type Received, type Reply, type ScriptedSite } from "./ScriptedSite.ts"
import { dropIn } from "./Services.ts"
import { makeAuthority } from "./TestCertificates.ts"
import { writeConfig } from "./TestSites.ts"

export interface RotatingServer {
  readonly site: ScriptedSite
  readonly issuer: string
  readonly apiHost: string
  readonly tokenEndpoint: string
  /** What the token endpoint answers, for a test that puts something around it. */
  readonly token: (request: Received) => Reply
  /** The tokens of a new grant; those before belong to nobody any more. */
  readonly grant: () => { readonly accessToken: string; readonly refreshToken: string }
  /** To be called with an access token as soon as the client has shown it. False when the API does not take it. */
  readonly accepts: (accessToken: string) => boolean
  /** The client has stored the newest answer, which nobody else can see: what came before is spent. */
  readonly stored: () => void
  readonly counts: {
    /** Answers with new tokens. */
    readonly rotations: number
    /** Of these, to a token whose first answer never arrived: without grace, a login would have been due. */
    readonly graces: number
    /** Uses of a refresh token after its successor was seen. */
    readonly replays: number
    /** Requests with a token of no grant. */
    readonly unknown: number
  }
  readonly close: () => Promise<void>
}

interface Generation {
  readonly accessToken: string
  readonly refreshToken: string
  /** Whether the client has shown that it has this generation. */
  seen: boolean
}

export const openRotatingServer = async (
  options: { readonly host?: string; readonly apiHost?: string; readonly expiresIn?: number } = {}
): Promise<RotatingServer> => {
  const host = options.host ?? "as.rotating.test"
  const apiHost = options.apiHost ?? "api.rotating.test"
  const issuer = `https://${host}`
  const counts = { rotations: 0, graces: 0, replays: 0, unknown: 0 }
  let grants = 0
  /** Those that may still be used: the newest, and the ones it was made from as long as it was not seen. */
  let live: Array<Generation> = []
  const spent = new Set<string>()

  const next = (): Generation => {
    const number = `${grants}-${counts.rotations}`
    return { accessToken: `canary-at-${number}`, refreshToken: `canary-rt-${number}`, seen: false }
  }

  /** What was made before it is spent from now on. */
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
    // Answers that nobody has seen are void once there is a newer one.
    for (const { refreshToken } of live.splice(1)) spent.add(refreshToken)
    counts.rotations++
    const successor = next()
    live.push(successor)
    return {
      body: {
        access_token: successor.accessToken,
        refresh_token: successor.refreshToken,
        token_type: "Bearer",
        expires_in: options.expiresIn ?? 3600
      }
    }
  }

  const accepts = (accessToken: string): boolean => {
    const generation = live.find((item) => item.accessToken === accessToken)
    if (generation === undefined) return false
    confirm(generation)
    return true
  }

  const site = await openScriptedSite(makeAuthority(), [host, apiHost], {
    "/token": token,
    "/me": ({ headers }) =>
      accepts((headers.authorization ?? "").replace("Bearer ", "")) ? { body: { hello: "Ada" } } : { status: 401 }
  })
  return {
    site,
    issuer,
    apiHost,
    tokenEndpoint: `${issuer}/token`,
    token,
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
    counts,
    close: site.close
  }
}

/** Makes a home reach the server, as the provider `rotating`. */
export const rotatingHome = (home: string, { apiHost, issuer, site, tokenEndpoint }: RotatingServer): void => {
  writeConfig(home, [site])
  const definition = {
    name: "rotating",
    auth_type: "oauth2",
    flow: "pkce",
    api_url: `https://${apiHost}`,
    oauth: {
      issuer,
      authorization_url: `${issuer}/authorize`,
      token_url: tokenEndpoint,
      client_id: "public-app",
      client_authentication: "none"
    }
  }
  dropIn(home, definition)
}
