/**
 * The only way to create HTML in this server: a template that escapes its values, in text and in quoted attributes. It
 * cannot insert a raw string, so text from provider definitions and authorization servers is safe. Also the elements that pages share.
 */
import { isLoopbackLiteral } from "../../platform/sockets/IpAddress.ts"

const markup = Symbol()

export class Html {
  readonly #text: string
  constructor(key: typeof markup, text: string) {
    if (key !== markup) throw new Error("HTML is made with the html template")
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

export type HtmlValue = Html | string | number | null | undefined | false | ReadonlyArray<HtmlValue>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;",
  "`": "&#96;"
}

const escape = (text: string): string =>
  text
    // Characters that change the text direction can make a name look like another one.
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, "\ufffd")
    // oxlint-disable-next-line no-control-regex -- not allowed in HTML, and some browsers drop them inside names
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd")
    .replace(/[&<>"'`]/g, (character) => entities[character] ?? "")

const render = (value: HtmlValue): string => {
  if (value === null || value === undefined || value === false) return ""
  if (value instanceof Html) return value.toString()
  if (typeof value === "string") return escape(value)
  if (typeof value === "number") return String(value)
  return value.map(render).join("")
}

/** Builds HTML. Attributes must be quoted, and must not be event handlers or styles, because the pages' policy blocks both. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<HtmlValue>): Html =>
  new Html(markup, parts.reduce((text, part, index) => text + render(values[index - 1]) + part))

/** Parses a URL that a page may link to: https, or http on a literal loopback address, without credentials. */
export const linkable = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const scheme = url.protocol === "https:" || (url.protocol === "http:" && isLoopbackLiteral(url.hostname))
  return scheme && url.username === "" && url.password === "" ? url : undefined
}

/** A link to another site in a new tab without `opener` access. Plain text if the URL is not allowed. */
export const externalLink = (target: string, label: string): Html => {
  const url = linkable(target)
  return url === undefined
    ? html`${label}`
    : html`<a href="${url.href}" target="_blank" rel="noopener noreferrer">${label}</a>`
}

/** A list of texts, each shown as code. */
export const codeList = (items: ReadonlyArray<string>): Html =>
  html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`

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
