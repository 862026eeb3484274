/** Pages of a login that is in progress elsewhere or has ended. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Problem } from "../../domain/Errors.ts"
import type { AuthSession } from "../../domain/wire/AuthSession.ts"
import { loginPath, overviewPath, providerPath } from "../dashboard/DashboardPaths.ts"
import { doneNotice, type Html, html, linkable } from "./Html.ts"
import { messagePage, pageLink, pageResponse } from "./Pages.ts"
import { fieldError, sentence } from "./Sentences.ts"

const onwards = (provider?: string): Html =>
  html`<p class="small">To try again, run: <code>credsvc login ${provider}</code></p>
<p class="small"><a href="${
    provider === undefined ? overviewPath : providerPath(provider)
  }">View on the dashboard</a></p>`

const completedPage = (displayName: string, { connection, provider, warning }: AuthSession): HttpServerResponse =>
  pageResponse(200, {
    title: `${displayName} is connected`,
    content: html`<section class="card">
<svg class="done" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="10"/><path d="m7.5 12.5 3 3 6-6.5"/></svg>
<h1>${displayName} is connected</h1>
<p class="lead">Stored as connection <code>${connection}</code>. You can close this tab.</p>
${warning !== null && html`<div class="notice warn" role="note"><p>${warning}</p></div>`}
<p>Use it with: <code class="command">credsvc run -- your-command</code></p>
<p class="small"><a href="${providerPath(provider)}">View on the dashboard</a></p>
</section>`
  })

const failureOf = ({ error, message }: AuthSession): string => sentence((error?.message ?? message).slice(0, 256))

/** Renders the result page of a login, or returns undefined while it is in progress. */
export const endPage = (displayName: string, session: AuthSession): HttpServerResponse | undefined => {
  const without = (ending: string, text: string) =>
    messagePage(200, `Login to ${displayName} ${ending}`, text, onwards(session.provider))
  switch (session.status) {
    case "completed":
      return completedPage(displayName, session)
    case "cancelled":
      return without("cancelled", "Nothing was stored. You can close this tab.")
    case "failed":
      return without("failed", failureOf(session))
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
      const connected = html`${displayName} is connected as <code>${connection}</code>.`
      return warning === null
        ? doneNotice("good", html`<p>${connected}</p>`)
        : doneNotice("warn", html`<p>${connected}</p><p>${warning}</p>`)
    }
    case "cancelled":
      return doneNotice("warn", html`<p>The login was cancelled. Nothing was stored.</p>`)
    default:
      return doneNotice("bad", html`<p><strong>Login to ${displayName} failed.</strong> ${failureOf(session)}</p>`)
  }
}

/** The form that cancels a login. Knowing the session ID, a secret in the path, authorizes this. */
export const cancelForm = ({ sessionId }: Pick<AuthSession, "sessionId">): Html =>
  html`<form method="post" action="${
    loginPath(sessionId)
  }"><button name="action" value="cancel" class="plain">Cancel</button></form>`

export const waitingPage = (displayName: string, session: AuthSession): HttpServerResponse =>
  pageResponse(200, {
    title: `Finishing the login to ${displayName}`,
    login: session,
    reload: 2,
    content: html`<section class="card" aria-busy="true">
<h1>Finishing the login to ${displayName}</h1>
<p class="lead">${session.message}</p>
<div class="actions">${cancelForm(session)}</div>
</section>`
  })

/** The form for a user whose browser cannot reach the daemon at the redirect URI. */
const pasteForm = ({ sessionId }: AuthSession, problems: ReadonlyArray<Problem>): Html =>
  html`<details${
    problems.length > 0 && html` open`
  }><summary>The browser cannot open the last page of the login?</summary>
<form method="post" action="${loginPath(sessionId)}">
<div class="field"><label for="callback">Address or code</label>
<input id="callback" name="callback" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" data-1p-ignore data-lpignore="true" required>
${problems.map(({ message }) => html`<p class="error">${fieldError("Address or code", message)}</p>`)}
<p class="hint">Copy the address of the page that cannot be shown. It begins with the address of this daemon.</p>
</div>
<div class="actions"><button name="action" value="paste">Finish the login</button></div>
</form></details>`

/** The page between our form and the authorization server. It shows the server's host before the browser goes there. */
export const onwardPage = (
  displayName: string,
  session: AuthSession,
  address: string,
  problems: ReadonlyArray<Problem>
): HttpServerResponse => {
  const url = linkable(address)
  const title = `Log in to ${displayName}`
  return pageResponse(problems.length === 0 ? 200 : 400, {
    title,
    login: session,
    content: html`<section class="card">
<h1>${title}</h1>
<p class="lead">${session.message} ${
      url !== undefined && "Sign in there and allow access. The provider then returns you to this site."
    }</p>
${url === undefined && html`<p>The provider sent an unsafe URL: <code>${address}</code></p>`}
<div class="actions">${
      url !== undefined &&
      html`<a class="button" href="${url.href}" rel="noreferrer" autofocus>Continue to ${url.host}</a>`
    }${cancelForm(session)}</div>
${pasteForm(session, problems)}
</section>`
  })
}

/**
 * Asks the user of the browser to confirm the login, because this user may have followed another person's link. The
 * code is only in this page, so only this user can confirm. If another site causes a double click here, its second click
 * does not confirm, because of the checkbox.
 */
export const confirmPage = (
  displayName: string,
  { baseUrl, profile, session }: {
    readonly baseUrl: string | null
    readonly profile: string
    readonly session: AuthSession
  },
  query: string
): HttpServerResponse => {
  const title = `Finish the login to ${displayName}?`
  return pageResponse(200, {
    title,
    content: html`<section class="card">
<h1>${title}</h1>
<p class="lead">The profile <strong>${profile}</strong> of this server gets access to your account at ${displayName}. Continue only if you started this login.</p>
<form method="post" action="${loginPath(session.sessionId)}">
<input type="hidden" name="callback" value="${query}">
<label class="choice"><input type="checkbox" autocomplete="off" required><span>I started this login for the profile <code>${profile}</code></span></label>
<div class="actions">
<button name="action" value="paste">Finish the login</button>
<button name="action" value="cancel" class="plain" formnovalidate>Cancel</button>
</div>
</form>
<dl>
<dt>Provider</dt><dd>${displayName} <code>${session.provider}</code></dd>
${baseUrl !== null && html`<dt>Address</dt><dd>${baseUrl}</dd>`}
<dt>Stored as</dt><dd>connection <code>${session.connection}</code> of profile <code>${profile}</code></dd>
</dl>
</section>`
  })
}

export const expiredPage = (): HttpServerResponse =>
  messagePage(410, "Login expired", "The login was not completed in time. Nothing was stored.", onwards())

export const unknownPage = (): HttpServerResponse =>
  messagePage(404, "Login not found", "The link is incomplete, or the login is too old.", onwards())

export const stalePage = (displayName: string, { sessionId }: AuthSession): HttpServerResponse =>
  messagePage(
    409,
    `Form for ${displayName} already submitted`,
    "Submitting it again changed nothing.",
    pageLink(loginPath(sessionId), "Show the current step")
  )

/** The page for a callback of an unknown or expired login. It quotes nothing from the callback. */
export const strayCallbackPage = (): HttpServerResponse =>
  messagePage(
    400,
    "No matching login",
    "The response of the provider does not belong to a login in progress on this computer. Nothing was changed.",
    onwards()
  )
