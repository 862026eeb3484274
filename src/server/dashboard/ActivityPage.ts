/** The page `/ui/audit`: the audit log, newest first. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { AuditQuery } from "../../audit/AuditLog.ts"
import { plural } from "../../domain/text/Plural.ts"
import {
  type AuditEntry,
  AuditEvent,
  auditEvents,
  AuditStatus,
  type AuditVerification
} from "../../domain/wire/AuditEntry.ts"
import { isProviderName } from "../../domain/wire/Names.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import { type Html, html, searchField, select } from "../pages/Html.ts"
import type { View } from "./Dashboard.ts"
import { activityPath, providerPath, verifyPath } from "./DashboardPaths.ts"
import { backLink, dashboardPage, type Moment } from "./Frame.ts"
import { entryRow, logPages, logSection } from "./PagedLists.ts"
import { relativeTime } from "./PageTimes.ts"

const outcomes: Readonly<Record<AuditStatus, string>> = { ok: "succeeded", denied: "denied", failed: "failed" }
const pageSize = 50

export const readActivityFilter = (query: URLSearchParams): AuditQuery => {
  const provider = query.get("provider")?.trim().toLowerCase() ?? ""
  const before = Number(query.get("before") ?? 0)
  return {
    limit: pageSize,
    provider: isProviderName(provider) ? provider as ProviderName : undefined,
    event: AuditEvent.literals.find((event) => event === query.get("event")),
    status: AuditStatus.literals.find((status) => status === query.get("status")),
    before: Number.isSafeInteger(before) && before > 0 ? before : undefined
  }
}

const outcome = ({ status }: AuditEntry): Html | undefined =>
  status === "ok" ? undefined : html`<span class="pill bad">${outcomes[status]}</span>`

const subject = ({ connection, provider }: AuditEntry, nameOf: View["nameOf"]): Html | undefined =>
  provider === null
    ? undefined
    : html`<a href="${providerPath(provider)}">${nameOf(provider)}</a>${connection !== null && [" ", connection]}`

export const eventRow = (entry: AuditEntry, { moment, nameOf }: View): Html =>
  html`<li><div class="what">${auditEvents[entry.event]} ${outcome(entry)}<p class="small">${
    subject(entry, nameOf)
  }</p></div><span class="when">${relativeTime(entry.timestamp, moment.now)}</span></li>`

const columns = ["Time", "Event", "Connection", "Profile", "Outcome"]

const filterForm = ({ event, provider, status }: AuditQuery): Html =>
  html`<form role="search" method="get" action="${activityPath}" class="filters" data-instant="entries">
${searchField("provider", "Provider", provider)}
${select("event", "Event", { "": "All", ...auditEvents }, event ?? "")}
${select("status", "Outcome", { "": "All", ...outcomes }, status ?? "")}
<button class="outline" data-without-script>Apply</button>
</form>`

const pager = ({ before, event, limit, provider, status }: AuditQuery, entries: ReadonlyArray<AuditEntry>) => {
  const [oldest] = entries
  const older = oldest !== undefined && entries.length === limit ? { before: oldest.seq } : undefined
  return logPages(activityPath, { provider, event, status }, before === undefined, older)
}

/** Renders the page. `entries`: the newest matching entries, in chronological order. */
export const activityPage = (view: View, query: AuditQuery, entries: ReadonlyArray<AuditEntry>): HttpServerResponse =>
  dashboardPage(200, {
    title: "Activity",
    section: "activity",
    moment: view.moment,
    content: html`<div class="head"><h1>Activity</h1><a class="button outline" href="${verifyPath}">Verify log</a></div>
<p class="lead">Every use of a credential, and every change in the vault. Verifying the log detects entries that were altered or removed.</p>
${filterForm(query)}
${
      logSection(
        "Entries",
        columns,
        entries.toReversed().map((entry) =>
          entryRow(entry.timestamp, [
            auditEvents[entry.event],
            subject(entry, view.nameOf),
            entry.identity,
            html`${outcome(entry) ?? outcomes.ok}${
              entry.request !== undefined && html`<p class="small"><code>${entry.request}</code></p>`
            }`
          ])
        ),
        pager(query, entries)
      )
    }`
  })
export const verificationPage = (moment: Moment, { entries, head, problem }: AuditVerification): HttpServerResponse =>
  dashboardPage(200, {
    title: "Verify log",
    section: "activity",
    moment,
    narrow: true,
    content: html`${backLink(activityPath, "All activity")}
<section class="card"><h1>Verify log</h1>
<div class="notice ${problem === null ? "good" : "bad"}" role="status"><p>${
      problem === null ?
        html`<strong>The log is intact.</strong> ${plural(entries, "entry", "entries")}${
          entries === 0 ? "" : html`, the last one with the hash <code>${head.slice(0, 16)}…</code>`
        }.` :
        html`<strong>The log could not be verified.</strong> ${problem}`
    }</p></div>
</section>`
  })
