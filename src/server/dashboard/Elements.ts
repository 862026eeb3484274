/** Elements that several pages of the dashboard share. */
import type * as DateTime from "effect/DateTime"
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { type Parameters, withQuery } from "./DashboardPaths.ts"
import type { Slice } from "./ProviderFilter.ts"
import { absoluteTime } from "./Times.ts"

export const postForm = (action: string, content: HtmlValue): Html =>
  html`<form method="post" action="${action}">${content}</form>`

export const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

export const searchField = (name: string, label: string, value = ""): Html =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="search" value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64"></div>`

/** Names the subject of a button or link, for users of screen readers who do not see its row. */
export const about = (what: string): Html => html`<span class="hidden"> ${what}</span>`

/** A list from which the user chooses. `options` maps each value to its label. */
export const select = (name: string, label: string, options: Readonly<Record<string, string>>, chosen: string): Html =>
  html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${
    Object.entries(options).map(([value, label]) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`
    )
  }</select></div>`

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

export const crumb = (path: string, label: string): Html => html`<p class="crumb"><a href="${path}">← ${label}</a></p>`

/** Counts connections that need the user. The result ends a sentence. */
export const needsAttention = (count: number): string =>
  `${count === 0 ? "none" : count} ${count === 1 ? "needs" : "need"} attention`

/** Warns that the definition of a provider is not bundled with credsvc. */
export const customNotice = (
  { overridesBundled, source }: { readonly overridesBundled: boolean; readonly source: "bundled" | "custom" },
  more?: string
): Html | undefined =>
  source === "bundled"
    ? undefined
    : html`<div class="notice warn" role="note"><p><strong>Custom provider.</strong> ${
      overridesBundled
        ? "Its definition was added on this computer and replaces the bundled one."
        : "Its definition was added on this computer; credsvc does not include it."
    }${more !== undefined && ` ${more}`}</p></div>`

/** A notice shown once after an action. It receives the focus, so that screen readers announce it. */
export const doneNotice = (tone: "good" | "warn" | "bad", content: HtmlValue): Html =>
  html`<div class="notice ${tone}" role="status" tabindex="-1" autofocus>${content}</div>`

/** A value with a copy button, which appears only if scripts are enabled. */
export const copyable = (id: string, value: string): Html =>
  html`<div class="copy"><code id="${id}">${value}</code> <button type="button" class="plain compact" hidden data-copy="${id}" data-done="Copied">Copy</button></div>`

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
