/** Pages of a login that is in progress elsewhere or has ended. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Problem } from "../../domain/Errors.ts"
import type { AuthSession } from "../../domain/wire/AuthSession.ts"
import { doneNotice } from "../dashboard/Elements.ts"
import { loginPath, overviewPath, providerPath } from "../dashboard/Places.ts"
import { type Html, html, linkable } from "./Html.ts"
import { messagePage, pageLink, pageResponse } from "./Pages.ts"
import { fieldError, sentence, texts } from "./Texts.ts"

const words = texts.login

const onwards = (provider?: string): Html =>
  html`<p class="small">${words.again(provider)}</p>
<p class="small"><a href="${provider === undefined ? overviewPath : providerPath(provider)}">${words.dashboard}</a></p>`

const completedPage = (
  displayName: string,
  { connection, provider, warning }: AuthSession
): HttpServerResponse =>
  pageResponse(200, {
    title: words.completed(displayName),
    content: html`<section class="card">
<svg class="done" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="10"/><path d="m7.5 12.5 3 3 6-6.5"/></svg>
<h1>${words.completed(displayName)}</h1>
<p class="lead">${words.stored(connection)}</p>
${warning !== null && html`<div class="notice warn" role="note"><p>${warning}</p></div>`}
<p>${words.use}</p>
<p class="small"><a href="${providerPath(provider)}">${words.dashboard}</a></p>
</section>`
  })

const cancelledPage = (displayName: string, { provider }: AuthSession): HttpServerResponse =>
  messagePage(200, words.cancelled(displayName), words.nothingStored, onwards(provider))

const failureOf = ({ error, message }: AuthSession): string => sentence((error?.message ?? message).slice(0, 256))

const failedPage = (displayName: string, session: AuthSession): HttpServerResponse =>
  messagePage(200, words.failed(displayName), failureOf(session), onwards(session.provider))

/** The result page of a login. Undefined while it is in progress. */
export const endPage = (displayName: string, session: AuthSession): HttpServerResponse | undefined => {
  switch (session.status) {
    case "completed":
      return completedPage(displayName, session)
    case "cancelled":
      return cancelledPage(displayName, session)
    case "failed":
      return failedPage(displayName, session)
    case "expired":
      return expiredPage()
    default:
      return undefined
  }
}

export const endNotice = (displayName: string, session: AuthSession): Html => {
  const { connection, status, warning } = session
  switch (status) {
    case "completed": {
      const connected = words.connectedNotice(displayName, connection)
      return warning === null
        ? doneNotice("good", html`<p>${connected}</p>`)
        : doneNotice("warn", html`<p>${connected}</p><p>${warning}</p>`)
    }
    case "cancelled":
      return doneNotice("warn", html`<p>${words.cancelledNotice}</p>`)
    default:
      return doneNotice("bad", html`<p><strong>${words.failed(displayName)}.</strong> ${failureOf(session)}</p>`)
  }
}

/** The form that cancels a login. Knowing the session ID, a secret in the path, authorizes this. */
export const cancelForm = ({ sessionId }: Pick<AuthSession, "sessionId">): Html =>
  html`<form method="post" action="${
    loginPath(sessionId)
  }"><button name="action" value="cancel" class="plain">${words.cancel}</button></form>`

export const waitingPage = (displayName: string, session: AuthSession): HttpServerResponse =>
  pageResponse(200, {
    title: words.waiting(displayName),
    login: session,
    reload: 2,
    content: html`<section class="card" aria-busy="true">
<h1>${words.waiting(displayName)}</h1>
<p class="lead">${session.message}</p>
<div class="actions">${cancelForm(session)}</div>
</section>`
  })

/** For a browser that cannot reach the daemon at the redirect URI. */
const pasteForm = ({ sessionId }: AuthSession, problems: ReadonlyArray<Problem>): Html =>
  html`<details${problems.length > 0 && html` open`}><summary>${words.elsewhere}</summary>
<form method="post" action="${loginPath(sessionId)}">
<div class="field"><label for="callback">${words.address}</label>
<input id="callback" name="callback" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" data-1p-ignore data-lpignore="true" required>
${problems.map(({ message }) => html`<p class="error">${fieldError(words.address, message)}</p>`)}
<p class="hint">${words.addressHint}</p>
</div>
<div class="actions"><button name="action" value="paste">${words.finish}</button></div>
</form></details>`

/** The page between our form and the authorization server. It shows the server's host before the user goes there. */
export const onwardPage = (
  displayName: string,
  session: AuthSession,
  address: string,
  problems: ReadonlyArray<Problem>
): HttpServerResponse => {
  const url = linkable(address)
  const title = words.onward(displayName)
  return pageResponse(problems.length === 0 ? 200 : 400, {
    title,
    login: session,
    content: html`<section class="card">
<h1>${title}</h1>
<p class="lead">${session.message} ${url !== undefined && words.onwardText}</p>
${url === undefined && html`<p>${words.noAddress} <code>${address}</code></p>`}
<div class="actions">${
      url !== undefined &&
      html`<a class="button" href="${url.href}" rel="noreferrer" autofocus>${words.goOn(url.host)}</a>`
    }${cancelForm(session)}</div>
${pasteForm(session, problems)}
</section>`
  })
}

export const expiredPage = (): HttpServerResponse => messagePage(410, words.expired, words.expiredText, onwards())

export const unknownPage = (): HttpServerResponse => messagePage(404, words.unknown, words.unknownText, onwards())

export const stalePage = (displayName: string, { sessionId }: AuthSession): HttpServerResponse =>
  messagePage(
    409,
    words.stale(displayName),
    words.staleText,
    pageLink(loginPath(sessionId), words.staleLink)
  )

/** The page for a callback of an unknown or expired login. It quotes nothing from the callback. */
export const strayCallbackPage = (): HttpServerResponse => messagePage(400, words.stray, words.strayText, onwards())
