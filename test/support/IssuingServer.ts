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

/** Counts tokens as rotations. Nothing is used up, so nothing can be replayed or lost. */
export const openIssuingServer = async (): Promise<RotatingServer> => {
  const counts = { rotations: 0, graces: 0, replays: 0, unknown: 0 }
  const issued = new Set<string>()

  const token = ({ headers }: Received): Reply => {
    if (headers.authorization !== `Basic ${btoa(`service-app:${secret}`)}`) {
      counts.unknown++
      return { status: 401, body: { error: "invalid_client" } }
    }
    const accessToken = `canary-at-${++counts.rotations}`
    issued.add(accessToken)
    return { body: { access_token: accessToken, token_type: "Bearer", expires_in: 3600 } }
  }

  const server = await openHostileAuthorizationServer({
    host: "as.rotating.test",
    script: { [paths.token]: (request) => token(request) }
  })
  return {
    ...server,
    token,
    tokenPath: paths.token,
    secret,
    grant: () => ({ accessToken: "canary-at-0", clientId: "service-app", clientSecret: secret }),
    accepts: (accessToken) => issued.has(accessToken),
    stored: () => {},
    counts
  }
}

/** Counts the keys of a session as rotations. The session token is what a request carries. */
export const openAssumeRoleServer = async (): Promise<RotatingServer> => {
  const counts = { rotations: 0, graces: 0, replays: 0, unknown: 0 }
  const issued = new Set<string>()
  const userId = "AKIAIOSFODNN7EXAMPLE"
  const userSecret = "canary/secret/of/the/user/with/40/letter"

  const token = ({ form, headers }: Received): Reply => {
    const known = headers.authorization?.startsWith(`AWS4-HMAC-SHA256 Credential=${userId}/`) === true
    if (!known || form.get("RoleArn") !== role || form.get("ExternalId") !== "ext:1") {
      counts.unknown++
      return { status: 403, body: "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>" }
    }
    const at = String(headers["x-amz-date"]).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z")
    const sessionToken = `canary-at-${++counts.rotations}`
    issued.add(sessionToken)
    return {
      headers: { "content-type": "text/xml" },
      body: `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIAIOSFODNN7EXAMPLE</AccessKeyId>` +
        `<SecretAccessKey>${"s".repeat(40)}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken>` +
        `<Expiration>${new Date(Date.parse(at) + 3_600_000).toISOString()}</Expiration>` +
        `</Credentials></AssumeRoleResult></AssumeRoleResponse>`
    }
  }

  const server = await openHostileAuthorizationServer({
    host: "sts.us-east-1.rotating.test",
    script: { "/": (request) => token(request) }
  })
  return {
    ...server,
    token,
    tokenPath: "/",
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
    accepts: (accessToken) => issued.has(accessToken),
    stored: () => {},
    counts
  }
}

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
