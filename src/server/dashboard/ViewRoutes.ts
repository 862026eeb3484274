/** Routes of the pages that change nothing. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { AuditLog } from "../../audit/AuditLog.ts"
import { RequestLog, verifyLogs } from "../../audit/RequestLog.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { RunQuestions } from "../../runs/RunQuestions.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { currentPeer } from "../http/CurrentCaller.ts"
import { Instance } from "../http/Instance.ts"
import { layerPages } from "../pages/PageRequests.ts"
import { Readiness } from "../Readiness.ts"
import { activityPage, readActivityFilter, verificationPage } from "./ActivityPage.ts"
import { approvalsPage } from "./ApprovalsPage.ts"
import { connectionsPage } from "./ConnectionsPage.ts"
import { Dashboard } from "./Dashboard.ts"
import { ofProvider, type Page, query, withFailurePage } from "./DashboardRequests.ts"
import { LiveUpdates } from "./LiveUpdates.ts"
import { overviewPage } from "./OverviewPage.ts"
import { pageIn, readFilter } from "./ProviderFilter.ts"
import { providerPage } from "./ProviderPage.ts"
import { providersPage } from "./ProvidersPage.ts"
import { readRequestFilter, requestQueryOf, requestsPage } from "./RequestsPage.ts"
import { runsPage } from "./RunsPage.ts"
import { noPage } from "./StepPages.ts"

const recentEntries = 8

export const layer = layerPages(Effect.gen(function*() {
  const audit = yield* AuditLog
  const requests = yield* RequestLog
  const children = yield* ChildRefusal
  const dashboard = yield* Dashboard
  const { baseUrl } = yield* Instance
  const live = yield* LiveUpdates
  const readiness = yield* Readiness
  const registered = yield* RunRegistry
  const questions = yield* RunQuestions
  const registry = yield* ProviderRegistry

  const noticeOf = Effect.map(query, (parameters) => dashboard.notices.take(parameters.get("notice") ?? ""))

  /** A page that commands inside a run cannot read, because it tells what other programs did. */
  const logPage = <E>(page: Page<E>) => withFailurePage(Effect.andThen(children.refuseLogs(), page))

  return {
    overview: withFailurePage(Effect.gen(function*() {
      const view = yield* dashboard.connections()
      // A scan adds an entry for each compared provider and changes nothing, so scans are left out.
      const recent = yield* children.refuseLogs().pipe(
        Effect.andThen(audit.list({ limit: recentEntries, exceptEvent: "scan" })),
        Effect.map((entries) => entries.toReversed()),
        Effect.catchTag("OperationNotAllowedError", () => Effect.succeed(undefined))
      )
      return overviewPage({ view, recent, concerns: yield* readiness.concerns })
    })),
    connections: withFailurePage(Effect.gen(function*() {
      return connectionsPage(yield* dashboard.connections(), pageIn(yield* query), yield* noticeOf)
    })),
    providers: withFailurePage(Effect.zipWith(
      dashboard.connections(),
      query,
      (view, parameters) => providersPage(view, readFilter(parameters))
    )),
    provider: ofProvider(Effect.fnUntraced(function*(name) {
      const found = yield* registry.get(name)
      return providerPage({
        view: yield* dashboard.connections(name),
        page: pageIn(yield* query),
        provider: found,
        baseUrl,
        notice: yield* noticeOf
      })
    })),
    runs: logPage(Effect.gen(function*() {
      return runsPage({
        view: yield* dashboard.view,
        runs: yield* registered.list,
        page: pageIn(yield* query),
        notice: yield* noticeOf
      })
    })),
    requests: logPage(Effect.gen(function*() {
      const view = yield* dashboard.view
      const filter = readRequestFilter(yield* query)
      return requestsPage(view, filter, yield* requests.list(requestQueryOf(filter, view.moment.now)))
    })),
    activity: logPage(Effect.gen(function*() {
      const view = yield* dashboard.view
      const filter = readActivityFilter(yield* query)
      return activityPage(view, filter, yield* audit.list(filter))
    })),
    approvals: withFailurePage(Effect.gen(function*() {
      return approvalsPage({
        moment: yield* dashboard.moment,
        questions: yield* questions.visibleTo(yield* currentPeer),
        notice: yield* noticeOf
      })
    })),
    verify: logPage(Effect.zipWith(dashboard.moment, verifyLogs(audit, requests), verificationPage)),
    events: Effect.gen(function*() {
      return HttpServerResponse.text(yield* live.after((yield* query).get("since") ?? ""))
    }),
    unknown: Effect.succeed(noPage())
  }
}))
