/** The routes that are not operations of the API: pages, their files, and documents for programs. */
import * as FindMyWay from "effect/http/FindMyWay"
import { loginPages } from "../../api/LoginPages.ts"
import { enterPath } from "../../config/daemon/PagesCode.ts"
import { clientMetadataPath } from "../../flows/oauth/ClientMetadata.ts"

export interface PageRoute {
  /** A page that accepts POST receives a form. All other routes receive JSON. */
  readonly method: "GET" | "POST"
  readonly path: FindMyWay.PathInput
  /**
   * Whether other sites may link to the page. They may not link to the approvals, whose buttons act immediately: a site
   * could open that page under the pointer and get the second click of a double click.
   */
  readonly linkable?: boolean
  /**
   * Whether anyone may request the page, because a browser cannot sign. Instead, the address of a login contains its
   * secret ID or the `state` of its authorization request, and `enterPath` contains a code.
   */
  readonly anyone?: boolean
}

const get = (path: FindMyWay.PathInput, more: Omit<PageRoute, "method" | "path"> = {}): PageRoute => ({
  method: "GET",
  path,
  ...more
})
const post = (path: FindMyWay.PathInput): PageRoute => ({ method: "POST", path })
const login = ({ method, path }: Pick<PageRoute, "method" | "path">): PageRoute => ({
  method,
  path,
  anyone: true,
  linkable: method === "GET"
})

const linkable = { linkable: true }
const anyone = { anyone: true }

export const pages = {
  root: get("/"),
  enter: get(enterPath, anyone),
  asset: get("/ui/assets/:name", anyone),
  /** The path at which browsers look for the icon of a page that names none, such as the documentation. */
  icon: get("/favicon.ico", anyone),
  callback: login(loginPages.callback),
  /** Serves authorization servers that redirect with a POST after their own form. */
  postedCallback: { method: "POST", path: loginPages.callback.path, ...anyone, ...linkable },
  clientMetadata: get(clientMetadataPath, { ...anyone, ...linkable }),
  showInput: login(loginPages.showInput),
  submitInput: login(loginPages.submitInput),
  showDevice: login(loginPages.showDevice),
  overview: get("/ui/", linkable),
  connections: get("/ui/connections", linkable),
  providers: get("/ui/apps", linkable),
  provider: get("/ui/apps/:provider", linkable),
  connect: post("/ui/apps/:provider/connect"),
  askRevoke: get("/ui/apps/:provider/revoke"),
  revoke: post("/ui/apps/:provider/revoke"),
  check: post("/ui/apps/:provider/:connection/check"),
  askDisconnect: get("/ui/apps/:provider/:connection/disconnect"),
  disconnect: post("/ui/apps/:provider/:connection/disconnect"),
  askDefault: get("/ui/apps/:provider/:connection/default"),
  makeDefault: post("/ui/apps/:provider/:connection/default"),
  runs: get("/ui/runs", linkable),
  askStop: get("/ui/runs/:run/stop"),
  stop: post("/ui/runs/:run/stop"),
  requests: get("/ui/requests", linkable),
  activity: get("/ui/audit", linkable),
  verify: get("/ui/audit/verify"),
  approvals: get("/ui/approvals"),
  answer: post("/ui/approvals/:id"),
  events: get("/ui/events"),
  /** Every other address of the dashboard. */
  unknown: get("/ui/:page/*"),
  metrics: get("/metrics"),
  openapi: get("/openapi.json"),
  docs: get("/docs", linkable)
} as const satisfies Readonly<Record<string, PageRoute>>

const all: ReadonlyArray<PageRoute> = Object.values(pages)

const router = FindMyWay.make<PageRoute>()
for (const page of all) router.on(page.method, page.path, page)

/** Returns the page that serves a request, as the router would. */
export const pageOf = (method: string, target: string): PageRoute | undefined =>
  router.find(method as "GET", target)?.handler
