/**
 * The HTTP interface, as one value.
 *
 * The daemon's handlers, the OpenAPI description, the typed clients and the command line are all made from it. It
 * imports nothing of the server, so that any client may import it.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { AuditGroup } from "./AuditGroup.ts"
import { AuthGroup } from "./AuthGroup.ts"
import { ConnectionsGroup } from "./ConnectionsGroup.ts"
import { CredentialsGroup } from "./CredentialsGroup.ts"
import { describe } from "./Description.ts"
import { ProfilesGroup } from "./ProfilesGroup.ts"
import { ProvidersGroup } from "./ProvidersGroup.ts"
import { ProxyGroup } from "./ProxyGroup.ts"
import { SystemGroup } from "./SystemGroup.ts"

/** A body with a field that we don't know is refused; a client ignores a field that it doesn't know. */
export class Api extends HttpApi.make("credsvc")
  .add(SystemGroup)
  .add(AuthGroup)
  .add(ConnectionsGroup)
  .add(CredentialsGroup)
  .add(ProvidersGroup)
  .add(ProxyGroup)
  .add(AuditGroup)
  .add(ProfilesGroup)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotateMerge(OpenApi.annotations({
    title: "credsvc",
    version: "1",
    summary: "Credentials for third-party APIs, used without being seen",
    description:
      "The interface of a local credential daemon. Every failure is a problem document (RFC 9457) whose `error` " +
      "names its class. Requests from browsers must be same-origin, and `Host` must be the daemon's own.",
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: "http://127.0.0.1:7998", description: "The local daemon" }],
    transform: describe
  }))
{}
