/** The tables of logs, and the links between the pages of logs and lists. */
import type * as DateTime from "effect/DateTime"
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { type Parameters, withQuery } from "./DashboardPaths.ts"
import { absoluteTime } from "./PageTimes.ts"
import type { Slice } from "./ProviderFilter.ts"

/** The matching entries of a log, such as "Requests" (`what`), and the links to older and newer ones. */
export const logSection = (
  what: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Html>,
  pages: Html | undefined
): Html =>
  html`<section class="card" id="entries" data-live>
${
    rows.length === 0
      ? html`<p class="empty">No matching ${what.toLowerCase()}.</p>`
      : html`<div class="table" role="region" aria-label="${what}, newest first" tabindex="0"><table role="table">
<thead role="rowgroup"><tr role="row">${
        columns.map((column) => html`<th scope="col" role="columnheader">${column}</th>`)
      }</tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table></div>`
  }
${pages}
</section>`

/** A row of the table of a log. The explicit roles are for the narrow layout, in which table elements are blocks without roles. */
export const entryRow = (time: DateTime.Utc, cells: ReadonlyArray<HtmlValue>): Html =>
  html`<tr role="row"><th scope="row" role="rowheader">${absoluteTime(time)}</th>${
    cells.map((cell) => html`<td role="cell">${cell}</td>`)
  }</tr>
`

interface PageLink {
  readonly href: string
  readonly label: string
  readonly rel?: "prev" | "next"
}

const pageLink = ({ href, label, rel }: PageLink): Html =>
  html`<a${rel !== undefined && html` rel="${rel}"`} href="${href}">${label}</a>`

/** Links to other pages of a list, if there are any. */
const pagesNav = (back: PageLink | undefined, onward: PageLink | undefined): Html | undefined =>
  back === undefined && onward === undefined
    ? undefined
    : html`<nav class="pages" aria-label="Pages of this list"><span>${
      back !== undefined && pageLink(back)
    }</span><span>${onward !== undefined && pageLink(onward)}</span></nav>`

/** Links to the newest and the next older page of a log. `older`: the parameters of that page, if there is one. */
export const logPages = (
  path: string,
  filter: Parameters,
  isNewest: boolean,
  older: Parameters | undefined
): Html | undefined =>
  pagesNav(
    isNewest ? undefined : { href: withQuery(path, filter), label: "Newest" },
    older && { href: withQuery(path, { ...filter, ...older }), label: "Older", rel: "next" }
  )

/** Links to the previous and the next page of a list with numbered pages. */
export const numberedPages = (
  path: string,
  parameters: Parameters,
  { page, pages }: Slice<unknown>
): Html | undefined => {
  const at = (page: number) => withQuery(path, { ...parameters, page: page === 1 ? undefined : page })
  return pagesNav(
    page > 1 ? { href: at(page - 1), label: "Previous", rel: "prev" } : undefined,
    page < pages ? { href: at(page + 1), label: "Next", rel: "next" } : undefined
  )
}
