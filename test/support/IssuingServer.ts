/**
 * Servers that issue tokens as often as they are asked: a token endpoint to a client with a secret, and a Security Token
 * Service to a user of AWS with a key pair.
 */
import { keyPairFields } from "../../src/domain/definition/AwsSigV4.ts"
import { openHostileAuthorizationServer, paths } from "./HostileAuthorizationServer.ts"
import type { RotatingServer } from "./RotatingServer.ts"
import type { Received, Reply } from "./ScriptedSite.ts"
import { dropIn } from "./Services.ts"
import { writeConfig } from "./TestSites.ts"

const secret = "canary-secret-of-the-client"

/** Nothing is used up, so nothing can be replayed or lost. Each response has a new token, and counts as a rotation. */
const openIssuer = async (
  host: string,
  tokenPath: string,
  parts: Pick<RotatingServer, "secret" | "grant"> & {
    readonly isKnown: (request: Received) => boolean
    readonly refusal: Reply
    readonly issue: (token: string, request: Received) => Reply
  }
): Promise<RotatingServer> => {
  const counts = { logins: 0, rotations: 0, graces: 0, replays: 0, unknown: 0 }
  const issued = new Set<string>()
  const token = (request: Received): Reply => {
    if (!parts.isKnown(request)) {
      counts.unknown++
      return parts.refusal
    }
    const next = `canary-at-${++counts.rotations}`
    issued.add(next)
    return parts.issue(next, request)
  }
  const server = await openHostileAuthorizationServer({ host, script: { [tokenPath]: (request) => token(request) } })
  const { grant, secret } = parts
  return { ...server, token, tokenPath, secret, grant, accepts: (each) => issued.has(each), stored: () => {}, counts }
}

export const openIssuingServer = (): Promise<RotatingServer> =>
  openIssuer("as.rotating.test", paths.token, {
    secret,
    grant: () => ({ accessToken: "canary-at-0", clientId: "service-app", clientSecret: secret }),
    isKnown: ({ headers }) => headers.authorization === `Basic ${btoa(`service-app:${secret}`)}`,
    refusal: { status: 401, body: { error: "invalid_client" } },
    issue: (access_token) => ({ body: { access_token, token_type: "Bearer", expires_in: 3600 } })
  })

const userId = "AKIAIOSFODNN7EXAMPLE"
const userSecret = "canary/secret/of/the/user/with/40/letter"

/** Issues the keys of a session. The session token is what a request carries. */
export const openAssumeRoleServer = (): Promise<RotatingServer> =>
  openIssuer("sts.us-east-1.rotating.test", "/", {
    secret: userSecret,
    grant: () => ({
      accessToken: "canary-at-0",
      role: {
        role_arn: role,
        [keyPairFields.accessKeyId]: userId,
        [keyPairFields.secretAccessKey]: userSecret,
        external_id: "ext:1"
      }
    }),
    isKnown: ({ form, headers }) =>
      headers.authorization?.startsWith(`AWS4-HMAC-SHA256 Credential=${userId}/`) === true &&
      form.get("RoleArn") === role && form.get("ExternalId") === "ext:1",
    refusal: { status: 403, body: "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>" },
    issue: (sessionToken, { headers }) => {
      const at = String(headers["x-amz-date"]).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z")
      return {
        headers: { "content-type": "text/xml" },
        body: `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIAIOSFODNN7EXAMPLE</AccessKeyId>` +
          `<SecretAccessKey>${"s".repeat(40)}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken>` +
          `<Expiration>${new Date(Date.parse(at) + 3_600_000).toISOString()}</Expiration>` +
          `</Credentials></AssumeRoleResult></AssumeRoleResponse>`
      }
    }
  })

const role = "arn:aws:iam::123456789012:role/Deploy"

/** Configures a home to assume a role at the server, as the provider `rotating`. */
export const assumeRoleHome = (home: string, server: RotatingServer): void => {
  writeConfig(home, [server])
  dropIn(home, {
    name: "rotating",
    auth_type: "api_key",
    flow: "api_key",
    flows: ["api_key", "assume_role"],
    api_url: "https://api.rotating.test",
    hosts: ["api.rotating.test", "sts.{region}.rotating.test"],
    api_key: {
      fields: [
        { name: keyPairFields.accessKeyId, secret: false },
        { name: keyPairFields.secretAccessKey },
        { name: keyPairFields.sessionToken, required: false }
      ],
      aws_sigv4: {
        scopes: { "api.rotating.test": "us-east-1/api", "sts.{region}.rotating.test": "{region}/sts" },
        assume_role: { aws: "sts.{region}.rotating.test" }
      }
    }
  })
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
