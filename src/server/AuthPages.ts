/** The pages of a login: the forms, the ways to the provider, and what a login says when it has ended one way or another. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { AuthSession, InputField, NextAction } from "../domain/AuthSession.ts"
import type { Problem } from "../domain/Errors.ts"
import type { InputForm } from "../flows/InputForms.ts"
import { externalLink, type Html, html, linkable } from "./Html.ts"
import { messagePage, pageResponse } from "./Pages.ts"

/** A login's form, and the path of ours that it is sent to. */
export interface InputPage extends InputForm {
  readonly action: string
}

/** What was entered before: values that are not secret, and what is wrong. */
export interface Retry {
  readonly problems: ReadonlyArray<Problem>
  readonly values: Readonly<Record<string, string>>
}

const noRetry: Retry = { problems: [], values: {} }

const fieldOf = (problem: Problem): string | undefined => /^\/data\/(.+)$/.exec(problem.path)?.[1]

/** What is said of a value: a sentence of its own, or the end of one that begins with the field's label. */
const sentence = (label: string, message: string): string =>
  /^[a-z]/.test(message) ? `${label} ${message.replace(/\.$/, "")}.` : message

const field = (input: InputField, index: number, retry: Retry, focused: boolean): Html => {
  const id = `field-${index}`
  const errors = retry.problems.filter((problem) => fieldOf(problem) === input.name)
    .map(({ message }) => sentence(input.label, message))
  const hint = input.hint === null || errors.includes(input.hint) ? undefined : input.hint
  const described = [
    ...(errors.length > 0 ? [`${id}-error`] : []),
    ...(hint === undefined ? [] : [`${id}-hint`])
  ].join(" ")
  const value = input.secret ? undefined : retry.values[input.name] ?? input.default ?? undefined
  return html`<div class="field">
<label for="${id}">${input.label}</label>
<input id="${id}" name="${input.name}" type="${
    input.secret ? "password" : "text"
  }" autocomplete="off" autocapitalize="none" spellcheck="false" data-1p-ignore data-lpignore="true"${
    input.required && html` required`
  }${value !== undefined && html` value="${value}"`}${described !== "" && html` aria-describedby="${described}"`}${
    errors.length > 0 && html` aria-invalid="true"`
  }${focused && html` autofocus`}>
${errors.length > 0 && html`<p class="error" id="${id}-error">${errors.join(" ")}</p>`}
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
</div>
`
}

const sourceNotice = ({ overridesBundled, source }: InputForm): Html | undefined =>
  source === "bundled"
    ? undefined
    : html`<div class="notice warn" role="note"><p><strong>Custom provider.</strong> ${
      overridesBundled
        ? "Its definition was added on this computer and replaces the one that credsvc ships. "
        : "Its definition was added on this computer and does not come with credsvc. "
    }Go on only if you know the hosts below.</p></div>`

/** What a person has to do at the provider before the fields of an OAuth client can be filled in. */
const appNotice = ({ notes, recipient, redirectUri }: InputForm, site: URL | undefined): Html | undefined =>
  recipient === null
    ? undefined
    : html`<div class="notice" role="note"><p>You need an OAuth app of your own at the provider${
      site !== undefined && html`: ${externalLink(site.href, shortAddress(site))}`
    }.</p>${redirectUri !== null && html`<p>Its redirect URI has to be <code>${redirectUri}</code></p>`}${
      notes.map((note) => html`<p>${note}</p>`)
    }</div>`

const shortAddress = (site: URL): string => `${site.host}${site.pathname === "/" ? "" : site.pathname}`

const list = (items: ReadonlyArray<string>): Html =>
  html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`

export const inputPage = (form: InputPage, retry: Retry = noRetry): HttpServerResponse => {
  const names = new Set(form.fields.map(({ name }) => name))
  const general = retry.problems.filter((problem) => !names.has(fieldOf(problem) ?? ""))
  const invalid = form.fields.findIndex((input) => retry.problems.some((problem) => fieldOf(problem) === input.name))
  const focused = invalid === -1 ? 0 : invalid
  const site = form.credentialsUrl === undefined ? undefined : linkable(form.credentialsUrl)
  return pageResponse(retry.problems.length > 0 ? 400 : 200, {
    title: `${retry.problems.length > 0 ? "Error: " : ""}Connect ${form.displayName}`,
    content: html`<section class="card">
<h1>Connect ${form.displayName}</h1>
<p class="lead">What you enter is encrypted on this computer and sent only to ${
      form.recipient === null ? "the hosts below" : html`<strong>${form.recipient}</strong>`
    }. Programs that you start with <code>credsvc run</code> do not receive it.</p>
${sourceNotice(form)}
${form.reason !== null && html`<div class="notice warn" role="alert"><p>${form.reason}</p></div>`}
${appNotice(form, site)}
${
      general.length > 0 &&
      html`<div class="notice bad" role="alert">${
        general.map(({ message }) => html`<p>${sentence("What was entered", message)}</p>`)
      }</div>`
    }
<form method="post" action="${form.action}">
<input type="hidden" name="form_token" value="${form.token}">
${form.fields.map((input, index) => field(input, index, retry, index === focused))}
${
      site !== undefined && form.recipient === null &&
      html`<p class="small">Get it at ${externalLink(site.href, shortAddress(site))}</p>`
    }
<div class="actions">
<button type="submit" name="action" value="connect">Connect</button>
<button type="submit" name="action" value="cancel" class="plain" formnovalidate>Cancel</button>
</div>
</form>
<dl>
<dt>Provider</dt><dd>${form.displayName} <code>${form.provider}</code></dd>
<dt>${form.recipient === null ? "Sent only to" : "Access tokens are sent only to"}</dt><dd>${list(form.hosts)}</dd>
<dt>Sent as</dt><dd>${list(form.carriers)}</dd>
<dt>Stored as</dt><dd>connection <code>${form.connection}</code> of profile <code>${form.profile}</code></dd>
</dl>
</section>`
  })
}

const again = (provider?: string): Html =>
  html`<p class="small">To try again: <code>credsvc login ${provider ?? "<provider>"}</code></p>`

export const completedPage = (displayName: string, { connection, warning }: AuthSession): HttpServerResponse =>
  pageResponse(200, {
    title: `${displayName} is connected`,
    content: html`<section class="card">
<svg class="done" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="10"/><path d="m7.5 12.5 3 3 6-6.5"/></svg>
<h1>${displayName} is connected</h1>
<p class="lead">The connection is stored as <code>${connection}</code>. You can close this tab.</p>
${warning !== null && html`<div class="notice warn" role="note"><p>${warning}</p></div>`}
<p class="small">Use it with: <code>credsvc run -- your-command</code></p>
</section>`
  })

export const cancelledPage = (provider: string): HttpServerResponse =>
  messagePage(200, "Login cancelled", "Nothing was stored. You can close this tab.", again(provider))

export const failedPage = (provider: string, message: string): HttpServerResponse =>
  messagePage(200, "The login did not succeed", message.slice(0, 256), again(provider))

export const waitingPage = (message: string): HttpServerResponse =>
  pageResponse(200, {
    title: "This login is still under way",
    reload: 2,
    content: html`<section class="card">
<h1>This login is still under way</h1>
<p class="lead">${message}</p>
</section>`
  })

/** Between a form of ours and the authorization server, whose host a person sees before going there (A12, B24). */
export const onwardPage = (displayName: string, { message }: AuthSession, address: string): HttpServerResponse => {
  const url = linkable(address)
  return pageResponse(200, {
    title: `Log in to ${displayName}`,
    content: html`<section class="card">
<h1>Log in to ${displayName}</h1>
<p class="lead">${message}</p>
${
      url === undefined
        ? html`<p>The provider's address is not one to open: <code>${address}</code></p>`
        : html`<div class="actions"><a class="button" href="${url.href}" rel="noreferrer">Go on to ${url.host}</a></div>`
    }
</section>`
  })
}

/** Where to enter the code of a login on a device, and the code. It looks again by itself until the login has ended. */
export const devicePage = (
  displayName: string,
  { interval, userCode, verificationUri, verificationUriComplete }: Extract<
    NextAction,
    { readonly type: "show_user_code" }
  >
): HttpServerResponse => {
  const complete = verificationUriComplete === null ? undefined : linkable(verificationUriComplete)
  return pageResponse(200, {
    title: `Enter the code for ${displayName}`,
    reload: Math.max(interval, 5),
    content: html`<section class="card">
<h1>Enter the code for ${displayName}</h1>
<p class="lead">Open <strong>${externalLink(verificationUri, verificationUri)}</strong> and enter:</p>
<p class="code"><code>${userCode}</code></p>
${
      complete !== undefined &&
      html`<p class="small">Or ${
        externalLink(complete.href, "open the page with the code filled in")
      }, and compare it with the one above.</p>`
    }
<p class="small">This page notices by itself when you have finished.</p>
</section>`
  })
}

export const expiredPage = (): HttpServerResponse =>
  messagePage(
    410,
    "This login has expired",
    "It was open for as long as the provider and credsvc allow. Nothing was stored.",
    again()
  )

export const unknownPage = (): HttpServerResponse =>
  messagePage(404, "There is no such login", "The link is not complete, or the login has ended.", again())

export const stalePage = (action: string): HttpServerResponse =>
  messagePage(
    409,
    "This form was sent already",
    "Nothing was changed by sending it again.",
    html`<p><a href="${action}">See how the login stands</a></p>`
  )

/** The callback of an authorization server for a login that we don't know, or no longer. Says nothing of what it sent. */
export const strayCallbackPage = (): HttpServerResponse =>
  messagePage(
    400,
    "This answer belongs to no login",
    "The login that it was for has ended, or was not started from this computer. Nothing was changed.",
    again()
  )
