/** All routes as one layer: the API operations, the pages and the API description. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Api } from "../api/Api.ts"
import * as ChangeRoutes from "./dashboard/ChangeRoutes.ts"
import { Dashboard } from "./dashboard/Dashboard.ts"
import { LiveUpdates } from "./dashboard/LiveUpdates.ts"
import * as ViewRoutes from "./dashboard/ViewRoutes.ts"
import { AuditHandlers } from "./handlers/AuditHandlers.ts"
import { AuthHandlers } from "./handlers/AuthHandlers.ts"
import { ConnectionsHandlers } from "./handlers/ConnectionsHandlers.ts"
import { CredentialsHandlers } from "./handlers/CredentialsHandlers.ts"
import { GrantsHandlers } from "./handlers/GrantsHandlers.ts"
import { IdentitiesHandlers } from "./handlers/IdentitiesHandlers.ts"
import { PoliciesHandlers } from "./handlers/PoliciesHandlers.ts"
import { ProfilesHandlers } from "./handlers/ProfilesHandlers.ts"
import { ProvidersHandlers } from "./handlers/ProvidersHandlers.ts"
import { ProxyHandlers } from "./handlers/ProxyHandlers.ts"
import { RunsHandlers } from "./handlers/RunsHandlers.ts"
import { SandboxesHandlers } from "./handlers/SandboxesHandlers.ts"
import { SystemHandlers } from "./handlers/SystemHandlers.ts"
import { TrustsHandlers } from "./handlers/TrustsHandlers.ts"
import { VaultHandlers } from "./handlers/VaultHandlers.ts"
import { Instance } from "./http/Instance.ts"
import { pagesBelowMountPath } from "./http/MountPath.ts"
import { pages } from "./http/PageTable.ts"
import * as ProfileSelection from "./http/ProfileSelection.ts"
import * as RequestProblems from "./http/RequestProblems.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import * as AssetRoutes from "./pages/AssetRoutes.ts"
import { etagResponse } from "./pages/EtagResponse.ts"
import * as LoginRoutes from "./pages/LoginRoutes.ts"
import { Readiness } from "./Readiness.ts"

const handlers = HttpApiBuilder.layer(Api).pipe(
  Layer.provide([
    AuditHandlers,
    AuthHandlers,
    ConnectionsHandlers,
    CredentialsHandlers,
    PoliciesHandlers,
    IdentitiesHandlers,
    GrantsHandlers,
    ProfilesHandlers,
    ProvidersHandlers,
    ProxyHandlers,
    RunsHandlers,
    SandboxesHandlers,
    SystemHandlers,
    TrustsHandlers,
    VaultHandlers
  ]),
  Layer.provide([ProfileSelection.layer, RequestProblems.layer]),
  Layer.provide(HttpServer.layerServices)
)

/** Logins started on the dashboard end on the login pages, so both share notices. */
const pageRoutes = Layer.mergeAll(AssetRoutes.layer, LoginRoutes.layer, ViewRoutes.layer, ChangeRoutes.layer).pipe(
  Layer.provide(pagesBelowMountPath.layer),
  Layer.provide(Dashboard.layerNoDeps),
  Layer.provide(LiveUpdates.layerNoDeps)
)

/** Serves the API description and its documentation, loaded on first use. */
const descriptions = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { baseUrl } = yield* Instance
  const scope = yield* Effect.scope
  const document = yield* Effect.cached(
    Effect.promise(() => import("../api/OpenApiDocument.ts")).pipe(
      Effect.map(({ apiDocument }) => ({ ...apiDocument, servers: [{ url: baseUrl }] }))
    )
  )
  const description = yield* Effect.cached(
    Effect.map(document, (value) => etagResponse(JSON.stringify(value), { contentType: "application/json" }))
  )
  const documentation = yield* Effect.cached(
    Effect.gen(function*() {
      const { render } = yield* Effect.promise(() => import("./pages/ApiDocsPage.ts"))
      return yield* render(yield* document)
    }).pipe(Effect.provideService(Scope.Scope, scope))
  )
  yield* router.add(pages.openapi.method, pages.openapi.path, Effect.flatten(description))
  yield* router.add(pages.docs.method, pages.docs.path, Effect.flatten(documentation))
}))

export const layer = Layer.mergeAll(
  handlers,
  pageRoutes,
  descriptions,
  MetricsRoute.layer
).pipe(Layer.provide(Readiness.layerNoDeps))
