/** The common frame and security headers of all pages. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { AuthSession } from "../../domain/wire/AuthSession.ts"
import { script, stylesheet } from "./Assets.ts"
import { etagResponse } from "./EtagResponse.ts"
import { type Html, html, type HtmlValue } from "./Html.ts"

/** Allows only our own script. No form may redirect to another site, because `form-action` also blocks redirects. */
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
  // Paths and queries contain secrets of logins. With `no-referrer`, browsers send `Origin: null` with our own forms.
  "referrer-policy": "strict-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), publickey-credentials-get=()"
})

const padlock =
  html`<rect x="4" y="10.5" width="16" height="10" rx="2.5"/><path d="M8 10.5V7.5a4 4 0 0 1 8 0v3M12 14.5v2"/>`

export const mark =
  html`<a class="mark" href="/ui/"><svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${padlock}</svg><span>credsvc</span></a>`

export const icon = etagResponse(
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#3d8f72" stroke-width="2.25">${padlock}</svg>`
    .toString(),
  { contentType: "image/svg+xml", headers: { "content-security-policy": "default-src 'none'" } }
)

interface Document {
  readonly title: string
  readonly body: Html
  /** Reloads the page after this many seconds, in browsers where the script does not reload it on a change. */
  readonly reload?: number
}

/** Renders a page. The script announces changes to screen readers in the live region `announcer`. */
export const documentResponse = (
  status: number,
  { body, reload, title }: Document
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · credsvc</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="${stylesheet().path}" integrity="${stylesheet().integrity}">
<script src="${script().path}" integrity="${script().integrity}" defer></script>
${reload !== undefined && html`<noscript><meta http-equiv="refresh" content="${reload}"></noscript>`}
</head>
<body>
${body}
<p class="hidden" id="announcer" role="status"></p>
</body>
</html>
`.toString(),
    { status, contentType: "text/html; charset=utf-8", headers: pageHeaders() }
  )

interface Page extends Omit<Document, "body"> {
  readonly content: HtmlValue
  /** The login that the page shows. The script reloads the page when the login's status changes. */
  readonly login?: Pick<AuthSession, "sessionId" | "status">
}

export const pageResponse = (
  status: number,
  { content, login, ...head }: Page
): HttpServerResponse.HttpServerResponse =>
  documentResponse(status, {
    ...head,
    body: html`<main class="narrow"${
      login !== undefined && html` data-login="/auth/sessions/${login.sessionId}" data-status="${login.status}"`
    }>
${mark}
${content}
</main>`
  })

export const pageLink = (path: string, label: string): Html => html`<p><a href="${path}">${label}</a></p>`

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
