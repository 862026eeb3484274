/** Ways in which deployed authorization servers differ from the usual one of these tests, by what public reports say. */
import { type Behavior, paths } from "./HostileAuthorizationServer.ts"

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
  "in a pushed request that it requires": {
    metadata: (issuer) => ({
      pushed_authorization_request_endpoint: issuer + paths.push,
      require_pushed_authorization_requests: true
    }),
    script: { [paths.push]: ({ form }) => form.has("resource") ? invalidTarget : undefined }
  },
  "in a pushed request that it allows": {
    metadata: (issuer) => ({ pushed_authorization_request_endpoint: issuer + paths.push }),
    script: { [paths.push]: ({ form }) => form.has("resource") ? invalidTarget : undefined }
  },
  "in a refresh": {
    script: {
      [paths.token]: ({ form }) =>
        form.has("resource") && form.get("grant_type") === "refresh_token" ? invalidTarget : undefined
    }
  }
}

const unmanaged = { registration_client_uri: undefined, registration_access_token: undefined }
const secret = { client_secret: "canary-secret", token_endpoint_auth_method: "client_secret_post" }

/** Servers that tell about a client that they no longer know, each in its own way. All give clients a secret. */
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
      metadata: (issuer) => ({
        pushed_authorization_request_endpoint: issuer + paths.push,
        require_pushed_authorization_requests: required
      }),
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
