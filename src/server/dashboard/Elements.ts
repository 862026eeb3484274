/** Elements that several pages of the dashboard have. */
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { texts } from "../pages/Texts.ts"

export type IssueToken = (action: string) => string

/** A POST form with its form token, without which the daemon rejects it. */
export const postForm = (action: string, token: IssueToken, content: HtmlValue): Html =>
  html`<form method="post" action="${action}"><input type="hidden" name="form_token" value="${
    token(action)
  }">${content}</form>`

export const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

/** Names the subject of a button or link, for users of screen readers who do not see its row. */
export const about = (what: string): Html => html`<span class="hidden"> ${what}</span>`

export interface Option {
  readonly value: string
  readonly label: string
}

export const select = (
  name: string,
  label: string,
  options: ReadonlyArray<Option>,
  chosen: string
): Html =>
  html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${
    options.map(({ label, value }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`
    )
  }</select></div>`

/** The table of a page that is about entries of a log. */
export const entriesTable = (label: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<Html>): Html =>
  html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table role="table">
<thead role="rowgroup"><tr role="row">${
    columns.map((column) => html`<th scope="col" role="columnheader">${column}</th>`)
  }</tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table></div>`

export const crumb = (path: string, label: string): Html => html`<p class="crumb"><a href="${path}">← ${label}</a></p>`

/** A notice shown once after an action. It receives the focus, so that screen readers announce it. */
export const doneNotice = (tone: "good" | "warn" | "bad", content: HtmlValue): Html =>
  html`<div class="notice ${tone}" role="status" tabindex="-1" autofocus>${content}</div>`

/** A value with a copy button, which appears only if scripts are enabled. */
export const copyable = (id: string, value: string): Html =>
  html`<div class="copy"><code id="${id}">${value}</code> <button type="button" class="plain compact" hidden data-copy="${id}" data-done="${texts.provider.copied}">${texts.provider.copy}</button></div>`
