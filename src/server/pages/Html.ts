/**
 * The only way to create HTML in this server: a template that escapes its values, in text and in quoted attributes. It
 * cannot insert a raw string, so text from provider definitions and authorization servers is safe.
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
