/** The page `/ui/audit`: the audit log, newest first. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { AuditQuery } from "../../audit/AuditLog.ts"
import { type AuditEntry, AuditEvent, AuditStatus, type AuditVerification } from "../../domain/wire/AuditEntry.ts"
import { isProviderName } from "../../domain/wire/Names.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import { type Html, html } from "../pages/Html.ts"
import { texts } from "../pages/Texts.ts"
import type { View } from "./Dashboard.ts"
import { crumb, entriesTable, pagesNav, select } from "./Elements.ts"
import { dashboardPage, type Moment } from "./Frame.ts"
import { activityPath, providerPath, verifyPath, withQuery } from "./Places.ts"
import { absoluteTime, relativeTime } from "./Times.ts"

const words = texts.activity
const pageSize = 50

export const readQuery = (query: URLSearchParams): AuditQuery => {
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
  status === "ok" ? undefined : html`<span class="pill bad">${texts.outcomes[status]}</span>`

const subject = ({ connection, provider }: AuditEntry, nameOf: View["nameOf"]): Html | undefined =>
  provider === null
    ? undefined
    : html`<a href="${providerPath(provider)}">${nameOf(provider)}</a>${connection !== null && [" ", connection]}`

export const eventRow = (entry: AuditEntry, { moment, nameOf }: View): Html =>
  html`<li><div class="what">${texts.events[entry.event]} ${outcome(entry)}<p class="small">${
    subject(entry, nameOf)
  }</p></div><span class="when">${relativeTime(entry.timestamp, moment.now)}</span></li>`

/** The explicit roles restore the implicit ones, which the narrow layout loses because it displays rows as blocks. */
const tableRow = (entry: AuditEntry, nameOf: View["nameOf"]): Html =>
  html`<tr role="row"><th scope="row" role="rowheader">${absoluteTime(entry.timestamp)}</th><td role="cell">${
    texts.events[entry.event]
  }</td><td role="cell">${subject(entry, nameOf)}</td><td role="cell">${entry.identity}</td><td role="cell">${
    outcome(entry) ?? texts.outcomes.ok
  }</td></tr>
`

const columns = [words.when, words.event, words.connection, words.profile, words.status]

const all = { value: "", label: words.all }

const filterForm = ({ event, provider, status }: AuditQuery): Html =>
  html`<form role="search" method="get" action="${activityPath}" class="filters" data-instant="entries">
<div class="field"><label for="provider">${words.provider}</label><input id="provider" name="provider" type="search" value="${
    provider ?? ""
  }" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64"></div>
${
    select(
      "event",
      words.event,
      [all, ...AuditEvent.literals.map((value) => ({ value, label: texts.events[value] }))],
      event ?? ""
    )
  }
${
    select(
      "status",
      words.status,
      [all, ...AuditStatus.literals.map((value) => ({ value, label: texts.outcomes[value] }))],
      status ?? ""
    )
  }
<button class="outline" data-without-script>${words.apply}</button>
</form>`

const pager = (
  { before, event, limit, provider, status }: AuditQuery,
  entries: ReadonlyArray<AuditEntry>
): Html | undefined => {
  const filter = { provider, event, status }
  const [oldest] = entries
  const hasOlder = oldest !== undefined && entries.length === limit
  const { newest, older } = texts.pages
  return pagesNav(
    before === undefined ? undefined : { href: withQuery(activityPath, filter), label: newest },
    hasOlder
      ? { href: withQuery(activityPath, { ...filter, before: oldest.seq }), label: older, rel: "next" }
      : undefined
  )
}

/** `entries` are the newest matching ones, in chronological order. */
export const activityPage = (view: View, query: AuditQuery, entries: ReadonlyArray<AuditEntry>): HttpServerResponse => {
  return dashboardPage(200, {
    title: words.title,
    section: "activity",
    moment: view.moment,
    content:
      html`<div class="head"><h1>${words.title}</h1><a class="button outline" href="${verifyPath}">${words.verify}</a></div>
<p class="lead">${words.lead}</p>
${filterForm(query)}
<section class="card" id="entries" data-live>
${
        entries.length === 0
          ? html`<p class="empty">${words.none}</p>`
          : entriesTable(words.table, columns, entries.toReversed().map((entry) => tableRow(entry, view.nameOf)))
      }
${pager(query, entries)}
</section>`
  })
}

export const verifiedPage = (moment: Moment, { entries, head, problem }: AuditVerification): HttpServerResponse =>
  dashboardPage(200, {
    title: words.verify,
    section: "activity",
    moment,
    narrow: true,
    content: html`${crumb(activityPath, words.back)}
<section class="card"><h1>${words.verify}</h1>
<div class="notice ${problem === null ? "good" : "bad"}" role="status"><p>${
      problem === null ? words.intact(entries, head) : words.broken(problem)
    }</p></div>
</section>`
  })
