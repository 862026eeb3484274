/** What all pages have in common: the frame, and the headers that keep a page to itself (A11). */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type Html, html, type HtmlValue } from "./Html.ts"
import { stylesheetPath } from "./Stylesheet.ts"

/** Pages have no script. `form-action` also forbids a redirect of a form to another site, so none is made (A12). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

export const pageHeaders = (contentSecurityPolicy = policy): Readonly<Record<string, string>> => ({
  "content-security-policy": contentSecurityPolicy,
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  // With `no-referrer` a browser would send `Origin: null` with our own forms (A5).
  "referrer-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), publickey-credentials-get=()"
})

export interface Page {
  readonly title: string
  readonly content: HtmlValue
  readonly wide?: boolean
  /** Goes on to this address of ours by itself. */
  readonly next?: string
}

export const iconPath = "/ui/icon.svg"

const padlock =
  html`<rect x="4" y="10.5" width="16" height="10" rx="2.5"/><path d="M8 10.5V7.5a4 4 0 0 1 8 0v3M12 14.5v2"/>`

const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${padlock}</svg>`

/** The mark of the pages, for the browser's tab. */
export const icon: HttpServerResponse.HttpServerResponse = HttpServerResponse.text(
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#3d8f72" stroke-width="2.25">${padlock}</svg>`
    .toString(),
  { contentType: "image/svg+xml", headers: { "content-security-policy": "default-src 'none'" } }
)

const document = ({ content, next, title, wide }: Page): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · credsvc</title>
<link rel="icon" href="${iconPath}" type="image/svg+xml">
<link rel="stylesheet" href="${stylesheetPath}">
${next === undefined ? undefined : html`<meta http-equiv="refresh" content="0; url=${next}">`}
</head>
<body>
<main class="${wide === true ? "wide" : "narrow"}">
<a class="mark" href="/ui/">${mark}<span>credsvc</span></a>
${content}
</main>
</body>
</html>
`

export const pageResponse = (status: number, page: Page): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(document(page).toString(), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: pageHeaders()
  })

/** A page that only says something. */
export const messagePage = (
  status: number,
  title: string,
  text: HtmlValue,
  more?: HtmlValue
): HttpServerResponse.HttpServerResponse =>
  pageResponse(status, {
    title,
    content: html`<section class="card">
<h1>${title}</h1>
<p class="lead">${text}</p>
${more}
</section>`
  })

export const seeOther = (location: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 303, headers: { location, ...pageHeaders() } })
