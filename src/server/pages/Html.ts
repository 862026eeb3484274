/**
 * The only way to make HTML here: a template whose values are escaped, in text and in quoted attributes alike. There is
 * no way to put in a string as it is, so provider definitions and authorization servers can say what they like.
 */
import { isLoopbackLiteral } from "../../platform/Loopback.ts"

const markup = Symbol()

/** A piece of HTML that {@link html} made. */
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
    // Direction overrides let a name read as another one.
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

/** Attributes must be quoted in the template, and must not be event handlers or styles: the policy of the pages allows neither. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<HtmlValue>): Html =>
  new Html(markup, parts.reduce((text, part, index) => text + render(values[index - 1]) + part))

/** The URL if a page may link to it: https, or http on a literal loopback address, without a user. */
export const linkable = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const scheme = url.protocol === "https:" || (url.protocol === "http:" && isLoopbackLiteral(url.hostname))
  return scheme && url.username === "" && url.password === "" ? url : undefined
}

/** A link to another site, opened in a tab that cannot reach back; plain text when the URL is not one to follow. */
export const externalLink = (target: string, label: string): Html => {
  const url = linkable(target)
  return url === undefined
    ? html`${label}`
    : html`<a href="${url.href}" target="_blank" rel="noopener noreferrer">${label}</a>`
}
