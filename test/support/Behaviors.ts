/** Ways in which deployed authorization servers differ from the usual one of these tests, according to public reports. */
import { gzipSync } from "node:zlib"
import { type Behavior, paths } from "./HostileAuthorizationServer.ts"

/** A server that allows or requires pushed authorization requests. */
export const pushing = (required: boolean): Behavior => ({
  metadata: (issuer) => ({
    pushed_authorization_request_endpoint: issuer + paths.push,
    require_pushed_authorization_requests: required
  })
})

const invalidTarget = { status: 400, body: { error: "invalid_target" } }

/** Servers that refuse the parameter `resource`. */
export const refusingResource: Readonly<Record<string, Behavior>> = {
  "at the authorization endpoint": {
    authorize: (asked) => asked.has("resource") ? { code: undefined, error: "invalid_target" } : undefined
  },
  "at the authorization endpoint, as Entra ID does": {
    authorize: (asked) =>
      asked.has("resource")
        ? {
          code: undefined,
          error: "invalid_request",
          error_description: "AADSTS901002: The 'resource' request parameter is not supported."
        }
        : undefined
  },
  "at the token endpoint": {
    script: { [paths.token]: ({ form }) => form.has("resource") ? invalidTarget : undefined }
  },
  ...Object.fromEntries([true, false].map((required): [string, Behavior] => [
    `in a pushed request that it ${required ? "requires" : "allows"}`,
    {
      ...pushing(required),
      script: { [paths.push]: ({ form }) => form.has("resource") ? invalidTarget : undefined }
    }
  ])),
  ...Object.fromEntries(["invalid_target", "invalid_request"].map((error): [string, Behavior] => [
    `in a refresh with ${error}`,
    {
      script: {
        [paths.token]: ({ form }) =>
          form.has("resource") && form.has("refresh_token") ? { status: 400, body: { error } } : undefined
      }
    }
  ]))
}

/** What servers respond to a refresh token that has ended, besides `invalid_grant`. */
export const endedTokens: ReadonlyArray<Record<string, unknown>> = [
  { error: "invalid_request", error_description: "Refresh token is invalid" },
  { error: "invalid_request", error_description: "Obot: refresh_token is invalid" },
  { error: "invalid_request", error_description: "Invalid \"refresh_token\" in request." },
  { error: "invalid_request", error_description: "session not found" },
  { error: "invalid_request", error_description: "The refresh token has been revoked." },
  { error: "unauthorized_client", error_description: "refresh_token is invalid" },
  { error: "invalid_grant", error_description: "Upstream refresh failed: invalid_grant: Token has been revoked." },
  { error: "bad_refresh_token" },
  { error: "invalid_refresh_token" },
  { error: "invalid_token" },
  { error: true, message: "Invalid refresh token" },
  { status: 400, message: "Invalid grant" },
  { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token" },
  { errors: [{ resource: "RefreshToken", field: "refresh_token", code: "invalid" }] },
  { errors: [{ errorType: "invalid_grant", message: "Refresh token invalid: x" }] },
  { errors: ["invalid_grant - it has ended"] }
]

const unmanaged = { registration_client_uri: undefined, registration_access_token: undefined }
const secret = { client_secret: "canary-secret", token_endpoint_auth_method: "client_secret_post" }

/** Servers that report in different ways that they no longer know a client. All give clients a secret. */
export const forgettingClients: Readonly<Record<string, Behavior>> = {
  ...Object.fromEntries([400, 401, 422].map((status): [string, Behavior] => [
    `a page with the status ${status}`,
    {
      registration: { ...secret, ...unmanaged },
      authorize: (asked, server) => server.knows(asked.get("client_id")) ? undefined : status
    }
  ])),
  ...Object.fromEntries([401, 404].map((status): [string, Behavior] => [
    `the status ${status} when the registration is read`,
    {
      registration: secret,
      script: {
        [`${paths.register}/registered-client`]: (_, server) =>
          server.knows("registered-client") ? undefined : { status }
      }
    }
  ])),
  ...Object.fromEntries([true, false].map((required): [string, Behavior] => [
    `the refusal of a pushed request that it ${required ? "requires" : "allows"}`,
    {
      registration: { ...secret, ...unmanaged },
      ...pushing(required),
      script: {
        [paths.push]: ({ form }, server) =>
          server.knows(form.get("client_id")) ? undefined : { status: 401, body: { error: "invalid_client" } }
      }
    }
  ])),
  "the refusal of the code": {
    registration: { ...secret, ...unmanaged },
    script: {
      [paths.token]: ({ form }, server) =>
        server.knows(form.get("client_id")) || form.get("grant_type") === "refresh_token"
          ? undefined
          : { status: 400, body: { error: "invalid_client" } }
    }
  }
}

type Reply = ReturnType<NonNullable<NonNullable<Behavior["script"]>[string]>>

const replies = (script: Readonly<Record<string, Reply>>): Behavior => ({
  script: Object.fromEntries(Object.entries(script).map(([path, reply]) => [path, () => reply]))
})

const root = "/.well-known/oauth-protected-resource"
const challenge = (parameters: string, status = 401) => ({
  status,
  headers: parameters === "" ? {} : { "www-authenticate": `Bearer ${parameters}` }
})
const elsewhere = "https://mcp.hostile.test"
/** An MCP server on a host without an authorization server. `path`: where its metadata document is. */
const resourceAt = (path: string, demand: Reply): Behavior => ({
  hosts: ["mcp.hostile.test"],
  mcp: `${elsewhere}/mcp`,
  script: {
    ...Object.fromEntries([paths.metadata, paths.register].map((path) => [
      path,
      ({ host }) => host === "mcp.hostile.test" ? { status: 404 } : undefined
    ])),
    [paths.mcp]: () => demand,
    [paths.resource]: () => ({ status: 404, body: "no" }),
    [path]: (_, server) => ({ body: { resource: `${elsewhere}/mcp`, authorization_servers: [server.issuer] } })
  }
})
const overHttp = (addresses: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(addresses).map(([name, address]) => [name, address.replace("https:", "http:")]))

const compressed = (document: unknown): NonNullable<Reply> => ({
  body: gzipSync(JSON.stringify(document)),
  headers: { "content-type": "application/json", "content-encoding": "gzip" }
})

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)

/** What deployed servers do and a login accepts: how they serve documents, and where. */
export const accepted: Readonly<Record<string, Behavior>> = {
  "nothing unusual, as the control": {},
  "compressed documents, though nobody asked for that": {
    script: {
      [paths.metadata]: (_, server) => compressed(server.metadata()),
      [paths.register]: ({ body }) => compressed({ client_id: "a", ...JSON.parse(body) }),
      [paths.token]: (_, server) => compressed(server.tokens())
    }
  },
  ...Object.fromEntries(["redirect_uri not allowed: http://127.0.0.1", ["each redirect_uri must be https"]].map((
    message
  ): [string, Behavior] => [
    `a refusal of the loopback address in ${Array.isArray(message) ? "a list of texts" : "an error of its own form"}`,
    {
      script: {
        [paths.register]: ({ body }) =>
          body.includes("//127.0.0.1:")
            ? { status: 400, body: { statusCode: 400, error: "Bad Request", message } }
            : undefined
      }
    }
  ])),
  ...Object.fromEntries([
    {
      status: 400,
      body: { error: "invalid_client_metadata", error_description: "Requested scopes are not valid: tools" }
    },
    { status: 400, body: { message: "scope.0: Invalid enum value. Expected 'read', received 'tools'" } },
    {
      status: 403,
      body: {
        error: "insufficient_scope",
        error_description: "Policy 'Allowed Client Scopes' rejected request to client-registration service. " +
          "Details: Not permitted to use specified clientScope"
      }
    },
    { status: 400, body: { error: "invalid_client_metadata" }, member: "application_type" },
    { status: 500, body: { message: "Internal server error" }, member: "application_type" }
  ].map(({ member = "scope", ...reply }): [string, Behavior] => [
    `a refusal of the ${member} at registration with ${reply.body.error ?? "an error of its own form"}`,
    {
      resource: () => ({ scopes_supported: ["tools"] }),
      script: {
        [paths.register]: ({ body }) => member in JSON.parse(body) ? reply : undefined
      }
    }
  ])),
  "a demand for scopes that its resource does not name, as Okta makes": {
    metadata: () => ({ scopes_supported: ["tools", "offline_access"] }),
    authorize: (asked) =>
      asked.get("scope") === "tools offline_access" ? undefined : { code: undefined, error: "invalid_scope" }
  },
  "a refusal of offline_access, though its metadata lists that scope": {
    metadata: () => ({ scopes_supported: ["tools", "offline_access"] }),
    resource: () => ({ scopes_supported: ["tools"] }),
    authorize: (asked) => asked.get("scope") === "tools" ? undefined : { code: undefined, error: "invalid_scope" }
  },
  "a refusal of scopes that only its resource lists": {
    metadata: () => ({ scopes_supported: ["tools", "more"] }),
    resource: () => ({ scopes_supported: ["tools", "unknown"] }),
    authorize: (asked) => asked.get("scope") === "tools" ? undefined : { code: undefined, error: "invalid_scope" }
  },
  ...Object.fromEntries(
    ["https://as.hostile.test/none", "https://gone.hostile.test"].map((first): [string, Behavior] => [
      `${first} as the first of two authorization servers`,
      { resource: (issuer) => ({ authorization_servers: [first, issuer] }) }
    ])
  ),
  ...Object.fromEntries([`resource_metadata="${elsewhere}/meta"`, ""].map((parameters): [string, Behavior] => {
    const behavior = resourceAt(parameters === "" ? `${root}/mcp/` : "/meta", {
      status: 307,
      headers: { location: "http://mcp.hostile.test/mcp/" }
    })
    return [
      `a challenge ${parameters === "" ? "" : "with a pointer "}only after a redirect to the address with a slash`,
      { ...behavior, script: { ...behavior.script, "/mcp/": () => challenge(parameters) } }
    ]
  })),
  "a pointer to a host that does not exist": resourceAt(
    root,
    challenge(`resource_metadata="https://internal.hostile.test/x"`)
  ),
  "500 for the document of the resource, and metadata at the origin": replies({
    [paths.mcp]: challenge(""),
    [paths.resource]: { status: 500 }
  }),
  "other documents at all addresses of metadata of the resource": {
    script: {
      [paths.mcp]: () => challenge(""),
      ...Object.fromEntries([paths.resource, root].map((path) => [path, () => ({ body: { status: "ok" } })]))
    }
  },
  "addresses with the scheme http, behind a TLS proxy": {
    metadata: (issuer) =>
      overHttp({
        issuer,
        authorization_endpoint: issuer + paths.authorize,
        token_endpoint: issuer + paths.token,
        registration_endpoint: issuer + paths.register
      }),
    resource: (issuer) => overHttp({ resource: issuer + paths.mcp, authorization_servers: issuer }),
    authorize: (_, server) => overHttp({ iss: server.issuer }),
    script: {
      [paths.mcp]: () => challenge(`resource_metadata="http://as.hostile.test/meta"`),
      "/meta": () => ({ status: 307, headers: { location: `http://as.hostile.test${paths.resource}` } })
    }
  },
  "no metadata, but the default endpoints": replies({
    [paths.mcp]: challenge(""),
    [paths.resource]: { status: 404 },
    [paths.metadata]: { status: 404 }
  })
}

/** A server that a login refuses. `says`: parts of the message. `allowed`: options with which the login continues, if any. */
export interface Refused {
  readonly behavior: Behavior
  readonly says: ReadonlyArray<string>
  readonly allowed?: object
}

const entra = "https://as.hostile.test/{tenantid}/v2.0"
const tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
const lonely = "https://lonely.hostile.test"

export const refused: Readonly<Record<string, Refused>> = {
  "an error of its own form": {
    behavior: replies({ [paths.token]: { status: 403, body: { error: { code: 7, message: "Bad credentials" } } } }),
    says: ["(403)", "Bad credentials"]
  },
  "a registration with an initial access token": {
    behavior: replies({
      [paths.register]: { status: 401, body: { message: "An initial access token is required" } }
    }),
    says: ["An initial access token is required", "Enter the credentials of your OAuth app"]
  },
  "a resource at another port": {
    behavior: { resource: () => ({ resource: "http://as.hostile.test:8080/mcp" }) },
    says: [`"http://as.hostile.test:8080/mcp" instead of "https://as.hostile.test/mcp"`, "--no-resource"],
    allowed: { no_resource: true }
  },
  "no announcement of PKCE": {
    behavior: { metadata: () => ({ code_challenge_methods_supported: undefined }) },
    says: ["https://as.hostile.test", "S256", "--flow pkce"],
    allowed: { flow: "pkce" }
  },
  "no iss in the response, though its metadata announces one": {
    behavior: { authorize: () => ({ iss: undefined }) },
    says: ["lacks the iss parameter", "--trust-issuer https://as.hostile.test"],
    allowed: { trust_issuer: "https://as.hostile.test" }
  },
  "a deeply nested list instead of the resource": {
    behavior: replies({
      [paths.resource]: { body: `{"resource":${nested(200_000)}}`, headers: { "content-type": "application/json" } }
    }),
    says: ["describes the resource", "--no-resource"]
  },
  "no resource in metadata on another host": {
    behavior: {
      hosts: ["mcp.hostile.test"],
      mcp: `${elsewhere}/mcp`,
      script: {
        [paths.mcp]: () => challenge(`resource_metadata="https://as.hostile.test/meta"`),
        "/meta": (_, server) => ({ body: { authorization_servers: [server.issuer] } })
      }
    },
    says: [`describes the resource "none" instead of "${elsewhere}/mcp"`, "--no-resource"],
    allowed: { no_resource: true }
  },
  "metadata that names all tenants": {
    behavior: {
      hosts: ["mcp.hostile.test"],
      mcp: `${elsewhere}/mcp`,
      metadata: () => ({ issuer: entra, authorization_response_iss_parameter_supported: undefined }),
      resource: (issuer) => ({ authorization_servers: [`${issuer}/organizations/v2.0`] }),
      authorize: () => ({ iss: undefined }),
      script: {
        [paths.metadata]: () => ({ status: 404 }),
        [`/organizations/v2.0${paths.openid}`]: (_, server) => ({ body: server.metadata() }),
        [paths.token]: ({ form }, server) => {
          const claims = { iss: entra.replace("{tenantid}", tenant), aud: form.get("client_id"), sub: "1", exp: 9e9 }
          const token = ["{}", JSON.stringify(claims), ""].map((part) => Buffer.from(part).toString("base64url"))
          return { body: server.tokens({ id_token: token.join(".") }) }
        }
      }
    },
    says: [`"${entra}" instead of "https://as.hostile.test/organizations/v2.0"`, `--trust-issuer '${entra}'`],
    allowed: { trust_issuer: entra, scopes: ["openid"] }
  },
  "an issuer without a document of its own": {
    behavior: {
      hosts: ["mcp.hostile.test", "lonely.hostile.test"],
      mcp: `${elsewhere}/mcp`,
      metadata: () => ({ issuer: lonely }),
      authorize: () => ({ iss: lonely }),
      script: {
        [paths.mcp]: () => challenge(""),
        [paths.resource]: () => ({ status: 404 }),
        [paths.metadata]: ({ host }) => host === "mcp.hostile.test" ? undefined : { status: 404 }
      }
    },
    says: [`"${lonely}" instead of "${elsewhere}"`, `${lonely}${paths.metadata} (404)`, `--trust-issuer ${lonely}`],
    allowed: { trust_issuer: lonely }
  },
  "no metadata anywhere": {
    behavior: {
      hosts: ["mcp.hostile.test"],
      mcp: `${elsewhere}/mcp`,
      script: {
        [paths.mcp]: ({ host }) => host === "mcp.hostile.test" ? { status: 404 } : undefined,
        [paths.resource]: () => ({ status: 404 }),
        [paths.metadata]: ({ host }) => host === "mcp.hostile.test" ? { status: 404 } : undefined
      }
    },
    says: [
      `${elsewhere}${paths.resource} (404)`,
      `${elsewhere}${root} (404)`,
      `${elsewhere}${paths.metadata} (404)`,
      `${elsewhere}${paths.openid} (404)`,
      "--trust-issuer"
    ],
    allowed: { trust_issuer: "https://as.hostile.test" }
  }
}
