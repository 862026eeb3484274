/**
 * The endpoints at which cloud SDKs find the identity of a machine: the metadata server of Google Cloud, and the managed identity
 * of Azure App Service. They return a placeholder for the access token, which the proxy replaces like any other.
 *
 * SDKs connect to the endpoints directly, not through the proxy. Azure SDKs send a secret of the run. Google SDKs cannot send
 * one, because they use only the host and port of GCE_METADATA_HOST. So on Linux, both must also run in processes of the run's
 * user (`RunAdmission`). The required header fields and the exact `Host` prevent requests of web pages.
 */
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { uriDecoded } from "../../domain/text/PercentEncoding.ts"
import type { ProxyPlaceholder } from "../../domain/wire/ProxyRoutes.ts"
import { fieldOf } from "../../http/HeaderFields.ts"
import type { ServerRequest } from "../../http/http1/ServerRequest.ts"
import { builtins } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"

/** How long clients keep a placeholder before they request it again. */
const LIFETIME_SECONDS = 3600
const CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"

interface Answer {
  readonly status: number
  readonly type: "application/json" | "application/text"
  readonly body: string
}

/** A part of the metadata. Recursive listings omit functions. */
type Metadata = string | ReadonlyArray<string> | (() => object) | { readonly [name: string]: Metadata }

interface Dialect {
  readonly provider: ProxyPlaceholder["provider"]
  readonly path: RegExp
  /** The header field that each request must have. */
  readonly field: readonly [name: string, value: string]
  /** A field with which a request is refused, because a proxy has forwarded it. */
  readonly refused?: string
  readonly answer: (path: string, query: URLSearchParams) => Answer
  readonly variables: (authority: string) => Readonly<Record<string, string>>
}

const json = (value: unknown, status = 200): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value)
})

const text = (body: string, status = 200): Answer => ({ status, type: "application/text", body })

/** Google Cloud: https://cloud.google.com/compute/docs/metadata/predefined-metadata-keys */
const google = (account: string | undefined, givenProject: string | undefined): Omit<Dialect, "provider"> => {
  const email = account ?? "default"
  const project = givenProject ?? /@([a-z0-9.:-]+)\.iam\.gserviceaccount\.com$/.exec(email)?.[1]
  const identity = {
    aliases: ["default"],
    email,
    scopes: [CLOUD_PLATFORM],
    token: () => ({ access_token: PLACEHOLDER, expires_in: LIFETIME_SECONDS, token_type: "Bearer" })
  }
  const root: Metadata = {
    computeMetadata: {
      v1: {
        instance: { "service-accounts": { default: identity, [email]: identity } },
        project: project === undefined ? {} : { "project-id": project },
        universe: { "universe-domain": "googleapis.com" }
      }
    }
  }
  return {
    path: /^\/(?:$|computeMetadata\/)/,
    field: ["metadata-flavor", "Google"],
    refused: "x-forwarded-for",
    variables: (authority) => ({ GCE_METADATA_HOST: authority, GCE_METADATA_IP: authority }),
    answer: (path, query) => {
      let found: Metadata | undefined = root
      for (const part of path.split("/").filter((part) => part !== "")) {
        const name: string = uriDecoded(part) ?? ""
        found = typeof found === "object" && !Array.isArray(found) && Object.hasOwn(found, name)
          ? (found as { readonly [name: string]: Metadata })[name]
          : undefined
      }
      if (found === undefined) return text("not part of a run's metadata\n", 404)
      if (typeof found === "function") return json(found())
      if (query.get("recursive") === "true") return json(found)
      if (typeof found === "string") return text(found)
      return text((Array.isArray(found) ? found : Object.keys(found)).join("\n"))
    }
  }
}

const withoutSlash = (resource: string): string => resource.replace(/\/+$/, "").toLowerCase()

/** Azure: https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference */
const azure = (listed: ReadonlyArray<string>): Omit<Dialect, "provider"> => {
  const resources = new Set(listed.map(withoutSlash))
  const secret = builtins.crypto.randomBytes(32).toString("base64url")
  return {
    path: /^\/msi\/token$/,
    field: ["x-identity-header", secret],
    variables: (authority) => ({ IDENTITY_ENDPOINT: `http://${authority}/msi/token`, IDENTITY_HEADER: secret }),
    answer: (_, query) => {
      const resource = query.get("resource") ?? ""
      if (!resources.has(withoutSlash(resource))) {
        const message = `this run has no connection for the resource "${resource.slice(0, 256)}"`
        return json({ statusCode: 400, message }, 400)
      }
      const expires = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS
      return json({ access_token: PLACEHOLDER, expires_on: String(expires), resource, token_type: "Bearer" })
    }
  }
}

export class CloudIdentities {
  readonly #dialects: ReadonlyArray<Dialect>
  readonly #authority: () => string

  /** `listed`: the rows of the routing table. `project`: the user's Google Cloud project. */
  constructor(listed: ReadonlyArray<ProxyPlaceholder>, project: string | undefined, port: () => number) {
    const speak = (name: string, dialect: (values: ReadonlyArray<string>) => Omit<Dialect, "provider">) => {
      const rows = listed.filter(({ variable }) => variable === name)
      return rows[0] === undefined ? [] : [{ provider: rows[0].provider, ...dialect(rows.map(({ value }) => value)) }]
    }
    this.#authority = () => `127.0.0.1:${port()}`
    this.#dialects = [
      ...speak("GCE_METADATA_HOST", (accounts) => google(accounts.find((account) => account !== ""), project)),
      ...speak("IDENTITY_ENDPOINT", azure)
    ]
  }

  /** The variables by which SDKs find the endpoints. */
  get variables(): ReadonlyArray<ProxyPlaceholder> {
    return this.#dialects.flatMap(({ provider, variables }) =>
      Object.entries(variables(this.#authority())).map(([variable, value]) => ({ provider, variable, value }))
    )
  }

  /** Returns a function that responds to a request to an endpoint; undefined for requests that the proxy handles. */
  responder({ headers, method, response, target }: ServerRequest): (() => void) | undefined {
    const [path = "", query] = target.split("?", 2)
    const dialect = this.#dialects.find((dialect) => dialect.path.test(path))
    if (dialect === undefined) return undefined
    const { field: [name, value], refused } = dialect
    if (path === "/" && fieldOf(headers, name) === undefined) return undefined
    const isRefused = fieldOf(headers, "host") !== this.#authority() ||
      !isSameSecret(fieldOf(headers, name) ?? "", value) ||
      (refused !== undefined && fieldOf(headers, refused) !== undefined)
    return () => {
      const { body, status, type } = isRefused || method !== "GET"
        ? text("", isRefused ? 403 : 405)
        : dialect.answer(path, new URLSearchParams(query))
      const fields = ["Content-Type", type, "Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"]
      response.send(status, "", isRefused ? fields : [...fields, "Metadata-Flavor", "Google"], body)
    }
  }
}
