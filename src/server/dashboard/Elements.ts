/** Parts that several pages have. */
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { texts } from "../pages/Texts.ts"

/** Makes the token of a form from the path that the form is sent to. */
export type IssueToken = (action: string) => string

/** A form of ours: only with its token is it accepted. */
export const postForm = (action: string, token: IssueToken, content: HtmlValue): Html =>
  html`<form method="post" action="${action}"><input type="hidden" name="form_token" value="${
    token(action)
  }">${content}</form>`

/** A value that is not entered but sent along. */
export const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

/** What a button or link is about, for those who hear it without its row. */
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

export const crumb = (path: string, label: string): Html => html`<p class="crumb"><a href="${path}">← ${label}</a></p>`

/** Said once, after something was done. The focus is on it, so that it is read out. */
export const doneNotice = (tone: "good" | "warn" | "bad", content: HtmlValue): Html =>
  html`<div class="notice ${tone}" role="status" tabindex="-1" autofocus>${content}</div>`

/** A value and a button that copies it, which only a script can. */
export const copyable = (id: string, value: string): Html =>
  html`<div class="copy"><code id="${id}">${value}</code> <button type="button" class="plain compact" hidden data-copy="${id}" data-done="${texts.provider.copied}">${texts.provider.copy}</button></div>`
