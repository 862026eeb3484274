/**
 * An authorization server that behaves correctly until a test scripts one of its responses.
 *
 * Its own responses are the minimum for a login. Every token contains `canary` and a number, so that a search finds
 * leaks. It does not check codes and refresh tokens: tests examine the requests. `Behaviors.ts` has the ways in which
 * deployed servers differ.
 */
import { openScriptedSite, type Received, type Reply, type ScriptedSite, type Step } from "./ScriptedSite.ts"

export const paths = {
  metadata: "/.well-known/oauth-authorization-server",
  openid: "/.well-known/openid-configuration",
  authorize: "/authorize",
  token: "/token",
  device: "/device",
  register: "/register",
  revoke: "/revoke",
  push: "/par",
  mcp: "/mcp",
  resource: "/.well-known/oauth-protected-resource/mcp"
} as const

/** What a server does instead of what is usual. */
export interface Behavior {
  /** Further hosts that the server responds for. */
  readonly hosts?: ReadonlyArray<string>
  /** The place of the MCP server, if it is not `/mcp` beside the authorization server. */
  readonly mcp?: string
  /** Members of the metadata documents of the server and of its resource. */
  readonly metadata?: (issuer: string) => Readonly<Record<string, unknown>>
  readonly resource?: (issuer: string) => Readonly<Record<string, unknown>>
  /** Members of a registration response. */
  readonly registration?: Readonly<Record<string, unknown>>
  /** Parameters of the authorization response, or the status of an error page. */
  readonly authorize?: (request: URLSearchParams, server: HostileAuthorizationServer) => Changes | number | undefined
  /** The response of an endpoint. Undefined: the usual one. */
  readonly script?: Readonly<
    Record<string, (request: Received, server: HostileAuthorizationServer) => Reply | undefined>
  >
}

type Changes = Readonly<Record<string, string | undefined>>

export interface HostileOptions {
  readonly host?: string
  /** Members of the metadata document. `undefined` removes one. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The lifetime that the tokens state, in seconds. */
  readonly expiresIn?: number
  readonly script?: Readonly<Record<string, Step>>
  readonly behavior?: Behavior
}

export interface HostileAuthorizationServer extends ScriptedSite {
  readonly issuer: string
  /** The metadata document as served, with further changes. */
  readonly metadata: (changes?: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** A valid token response with new tokens, with changes. `undefined` removes a member. */
  readonly tokens: (changes?: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** The redirect of a browser that consents to everything, with changes to the parameters. */
  readonly redirect: (authorizationUrl: string, changes?: Changes) => string
  /** The parameters of an authorization request, wherever they were sent. */
  readonly asked: (authorizationUrl: string) => URLSearchParams
  /** Forgets the registered clients. */
  readonly forget: () => void
  readonly knows: (clientId: string | null) => boolean
}

const set = (target: URLSearchParams, changes: Changes): void => {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) target.delete(name)
    else target.set(name, value)
  }
}

export const openHostileAuthorizationServer = async (
  options: HostileOptions = {}
): Promise<HostileAuthorizationServer> => {
  const host = options.host ?? "as.hostile.test"
  const issuer = `https://${host}`
  const { behavior = {} } = options
  const pushed: Array<URLSearchParams> = []
  const forgotten = new Set<string>()
  let issued = 0
  let registered = 0

  const metadata = (changes: Readonly<Record<string, unknown>> = {}) => ({
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    device_authorization_endpoint: issuer + paths.device,
    registration_endpoint: issuer + paths.register,
    revocation_endpoint: issuer + paths.revoke,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    authorization_response_iss_parameter_supported: true,
    ...behavior.metadata?.(issuer),
    ...options.metadata,
    ...changes
  })

  const asked = (authorizationUrl: string): URLSearchParams => {
    const { searchParams } = new URL(authorizationUrl)
    return pushed[Number(searchParams.get("request_uri")?.split("-")[1])] ?? searchParams
  }

  const tokens = (changes: Readonly<Record<string, unknown>> = {}) => {
    issued++
    return {
      access_token: `canary-at-${issued}`,
      token_type: "Bearer",
      expires_in: options.expiresIn ?? 3600,
      refresh_token: `canary-rt-${issued}`,
      ...changes
    }
  }

  const redirect = (authorizationUrl: string, changes: Changes = {}) => {
    const request = asked(authorizationUrl)
    const own = behavior.authorize?.(request, server)
    if (typeof own === "number") throw new Error(`the authorization server shows a page with the status ${own}`)
    const back = new URL(request.get("redirect_uri") ?? "")
    set(back.searchParams, {
      code: "canary-code",
      state: request.get("state") ?? undefined,
      iss: issuer,
      ...own,
      ...changes
    })
    return back.href
  }

  const register = (request: Received): Reply => {
    registered++
    const id = registered === 1 ? "registered-client" : `registered-client-${registered}`
    return {
      status: 201,
      body: {
        client_id: id,
        client_id_issued_at: 1,
        ...JSON.parse(request.body),
        registration_client_uri: `${issuer}${paths.register}/registered-client`,
        registration_access_token: "canary-registration",
        ...behavior.registration
      }
    }
  }

  const push = ({ form }: Received): Reply => ({
    status: 201,
    body: { request_uri: `urn:ietf:params:oauth:request_uri:canary-${pushed.push(form) - 1}`, expires_in: 60 }
  })

  const usual: Readonly<Record<string, Step>> = {
    [paths.metadata]: () => ({ body: metadata() }),
    [paths.mcp]: {
      status: 401,
      headers: { "www-authenticate": `Bearer resource_metadata="${issuer}${paths.resource}"` }
    },
    [paths.resource]: {
      body: {
        resource: behavior.mcp ?? issuer + paths.mcp,
        authorization_servers: [issuer],
        ...behavior.resource?.(issuer)
      }
    },
    [paths.authorize]: ({ query }) => {
      const own = behavior.authorize?.(query, server)
      return typeof own === "number" ? { status: own, body: "An error page" } : {
        status: 302,
        headers: { location: redirect(`${issuer}${paths.authorize}?${query.toString()}`) }
      }
    },
    [paths.token]: () => ({ body: tokens(), headers: { "cache-control": "no-store" } }),
    [paths.device]: {
      body: {
        device_code: "canary-device-code",
        user_code: "WDJB-MJHT",
        verification_uri: `${issuer}/activate`,
        expires_in: 600
      }
    },
    [paths.register]: register,
    [`${paths.register}/registered-client`]: { status: 204 },
    [paths.revoke]: { status: 200 },
    [paths.push]: push,
    ...options.script
  }
  const scripted = Object.entries(behavior.script ?? {}).map(([path, own]): [string, Step] => [
    path,
    (request) => {
      const step = usual[path] ?? { status: 404 }
      return own(request, server) ?? (typeof step === "function" ? step(request) : step)
    }
  ])
  const site = await openScriptedSite([host, ...behavior.hosts ?? []], {
    ...usual,
    ...Object.fromEntries(scripted)
  })
  const server: HostileAuthorizationServer = {
    ...site,
    issuer,
    metadata,
    tokens,
    redirect,
    asked,
    forget: () => {
      for (let number = 1; number <= registered; number++) {
        forgotten.add(number === 1 ? "registered-client" : `registered-client-${number}`)
      }
    },
    knows: (clientId) => !forgotten.has(clientId ?? "")
  }
  return server
}
