/** The page of a device login: the user code and where to enter it, with a QR code for the user's phone. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { encode } from "uqr"
import type { AuthSession, NextAction } from "../../domain/wire/AuthSession.ts"
import { cancelForm } from "./AuthPages.ts"
import { copyable, externalLink, type Html, html, linkable } from "./Html.ts"
import { pageResponse } from "./Pages.ts"

const qrCode = (text: string): Html => {
  const { data, size } = encode(text, { border: 0 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => dark ? [`M${x} ${y}h1v1h-1z`] : []))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the login page" shape-rendering="crispEdges"><path d="${
    squares.join("")
  }"/></svg>`
}

export const devicePage = (
  displayName: string,
  session: AuthSession,
  { interval, userCode, verificationUri, verificationUriComplete }: Extract<
    NextAction,
    { readonly type: "show_user_code" }
  >
): HttpServerResponse => {
  const complete = verificationUriComplete === null ? undefined : linkable(verificationUriComplete)
  const scanned = complete ?? linkable(verificationUri)
  const title = `Enter the code for ${displayName}`
  return pageResponse(200, {
    title,
    login: session,
    reload: Math.max(interval, 5),
    content: html`<section class="card">
<h1>${title}</h1>
<p>${session.message}</p>
<div class="device">
<div>
<p>Open <strong>${
      externalLink(verificationUri, verificationUri.replace(/^https:\/\//, ""))
    }</strong> and enter this code:</p>
<div class="code">${copyable("user-code", userCode)}</div>
</div>
${scanned !== undefined && html`<div><p class="small">Or scan with a phone:</p>${qrCode(scanned.href)}</div>`}
</div>
${
      complete !== undefined &&
      html`<p class="small">Or ${
        externalLink(complete.href, "open the page with the code filled in")
      } and check that the codes match.</p>`
    }
<p class="small">This page updates automatically when you are done.</p>
<div class="actions">${cancelForm(session)}</div>
</section>`
  })
}
