/** The page of a device login: the user code and where to enter it, also as a QR code for the user's phone. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { encode } from "uqr"
import type { AuthSession, NextAction } from "../../domain/wire/AuthSession.ts"
import { copyable } from "../dashboard/Elements.ts"
import { cancelForm } from "./AuthPages.ts"
import { externalLink, type Html, html, linkable } from "./Html.ts"
import { pageResponse } from "./Pages.ts"
import { texts } from "./Texts.ts"

const words = texts.device

const qrCode = (text: string): Html => {
  const { data, size } = encode(text, { border: 0 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => dark ? [`M${x} ${y}h1v1h-1z`] : []))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${words.qr}" shape-rendering="crispEdges"><path d="${
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
  const title = words.title(displayName)
  return pageResponse(200, {
    title,
    login: session,
    reload: Math.max(interval, 5),
    content: html`<section class="card">
<h1>${title}</h1>
<div class="device">
<div>
<p>${words.open} <strong>${
      externalLink(verificationUri, verificationUri.replace(/^https:\/\//, ""))
    }</strong> ${words.enter}</p>
<div class="code">${copyable("user-code", userCode)}</div>
</div>
${scanned !== undefined && html`<div><p class="small">${words.scan}</p>${qrCode(scanned.href)}</div>`}
</div>
${
      complete !== undefined &&
      html`<p class="small">${words.or} ${externalLink(complete.href, words.filledIn)}${words.compare}</p>`
    }
<p class="small">${words.notices}</p>
<div class="actions">${cancelForm(session)}</div>
</section>`
  })
}
