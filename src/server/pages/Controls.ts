/** Forms, fields and notices of pages. */
import { type Html, html, type HtmlValue } from "./Html.ts"

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

/** A value with a copy button, which appears only if scripts are enabled. */
export const copyable = (id: string, value: string): Html =>
  html`<div class="copy"><code id="${id}">${value}</code> <button type="button" class="plain compact" hidden data-copy="${id}" data-done="Copied">Copy</button></div>`

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
