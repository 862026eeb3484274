/**
 * The HTTP API as one value, from which handlers, OpenAPI description and clients are derived. It imports nothing from
 * the server, so that any client can import it.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import { AuditGroup } from "./AuditGroup.ts"
import { AuthGroup } from "./AuthGroup.ts"
import { ConnectionsGroup } from "./ConnectionsGroup.ts"
import { CredentialsGroup } from "./CredentialsGroup.ts"
import { GrantsGroup } from "./GrantsGroup.ts"
import { IdentitiesGroup } from "./IdentitiesGroup.ts"
import { factsOf, RequestProblems } from "./OperationParts.ts"
import { PoliciesGroup } from "./PoliciesGroup.ts"
import { ProfilesGroup } from "./ProfilesGroup.ts"
import { ProvidersGroup } from "./ProvidersGroup.ts"
import { ProxyGroup } from "./ProxyGroup.ts"
import { RunsGroup } from "./RunsGroup.ts"
import { SandboxesGroup } from "./SandboxesGroup.ts"
import { SystemGroup } from "./SystemGroup.ts"
import { TrustsGroup } from "./TrustsGroup.ts"
import { VaultGroup } from "./VaultGroup.ts"

/** The API rejects request bodies with unknown fields. Clients ignore unknown fields in responses. */
export class Api extends HttpApi.make("credsvc")
  .add(SystemGroup)
  .add(AuthGroup)
  .add(ConnectionsGroup)
  .add(CredentialsGroup)
  .add(ProvidersGroup)
  .add(ProxyGroup)
  .add(RunsGroup)
  .add(SandboxesGroup)
  .add(PoliciesGroup)
  .add(AuditGroup)
  .add(ProfilesGroup)
  .add(VaultGroup)
  .add(IdentitiesGroup)
  .add(TrustsGroup)
  .add(GrantsGroup)
  .middleware(RequestProblems)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotateMerge(OpenApi.annotations({
    title: "credsvc",
    version: "1",
    summary: "Lets programs use API credentials without seeing them",
    description:
      "The HTTP API of the local credential daemon. Every error response is a problem document (RFC 9457) whose `error` " +
      "names the error class. Browsers may only read, get no secrets, and must be same-origin. `Host` must name the daemon. Requests with unknown " +
      "fields are rejected; clients must ignore unknown fields in responses.",
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: "http://127.0.0.1:7998", description: "The local daemon" }]
  }))
{}

const groups = Object.values(Api.groups) as ReadonlyArray<{
  readonly identifier: string
  readonly endpoints: Readonly<Record<string, HttpApiEndpoint.Top>>
}>

export const operations = groups.flatMap(({ endpoints, identifier }) =>
  Object.entries(endpoints).map(([name, endpoint]) => ({
    id: `${identifier}.${name}`,
    method: endpoint.method,
    path: endpoint.path as string,
    hasBody: endpoint.payload.size > 0,
    facts: factsOf(endpoint)
  }))
)
