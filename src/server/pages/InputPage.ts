/** The input form of a login. It names the provider, and the host that receives the values. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Problem } from "../../domain/Errors.ts"
import type { InputField } from "../../domain/wire/AuthSession.ts"
import { isStoredGrant } from "../../domain/wire/ProviderName.ts"
import type { InputForm } from "../../flows/sessions/InputForms.ts"
import { choiceOf, fieldOf } from "./FormFields.ts"
import { codeList, copyable, customNotice, externalLink, type Html, html, linkable } from "./Html.ts"
import { pageResponse } from "./Pages.ts"
import { fieldError } from "./Sentences.ts"

interface InputPage extends InputForm {
  readonly action: string
}

export interface Retry {
  readonly problems: ReadonlyArray<Problem>
  readonly values: Readonly<Record<string, string>>
}

const noRetry: Retry = { problems: [], values: {} }

const inputOf = (problem: Problem): string | undefined => /^\/data\/(.+)$/.exec(problem.path)?.[1]

const field = (input: InputField, index: number, retry: Retry, focused: boolean): Html => {
  const { label, multiline, name, options, required, secret } = input
  if (options !== undefined) {
    return choiceOf(
      label,
      name,
      options.map((option) => ({ ...option, hint: option.label === option.value ? undefined : option.value })),
      { chosen: retry.values[name] ?? options[0]?.value, focused: true }
    )
  }
  const errors = retry.problems.filter((problem) => inputOf(problem) === name)
    .map(({ message }) => fieldError(label, message))
  const value = secret ? undefined : retry.values[name] ?? input.default ?? undefined
  return fieldOf({
    id: `field-${index}`,
    name,
    label: html`${label}${!required && html` <small>optional</small>`}`,
    hint: input.hint === null || errors.includes(input.hint) ? undefined : input.hint,
    errors,
    focused,
    element: (attributes) =>
      multiline === true
        ? html`<textarea ${attributes}${required && html` required`} rows="6"${secret && html` class="secret"`}>${
          value ?? ""
        }</textarea>`
        : html`<input ${attributes}${required && html` required`} type="${secret ? "password" : "text"}"${
          value !== undefined && html` value="${value}"`
        }>`
  })
}

const titles = {
  client: "Enter the OAuth app for",
  key: "Enter the API key for",
  fields: "Enter the credentials for",
  refreshToken: "Enter a refresh token for",
  account: "Choose an account of"
} as const

const kindOf = ({ fields, flow, recipient }: InputForm): keyof typeof titles => {
  if (fields.some(({ options }) => options !== undefined)) return "account"
  if (isStoredGrant(flow)) return "fields"
  if (recipient !== null) return fields.some(({ name }) => name === "refresh_token") ? "refreshToken" : "client"
  return fields.length === 1 ? "key" : "fields"
}

const oauthFields = new Set(["client_id", "client_secret", "refresh_token"])

const leadOf = ({ fields, flow, recipient }: InputForm): Html => {
  const alsoHosts = recipient === null || (!isStoredGrant(flow) && fields.some(({ name }) => !oauthFields.has(name)))
  return html`Your input is encrypted on this computer and sent only to ${
    recipient !== null && html`<strong>${recipient}</strong>`
  }${recipient !== null && alsoHosts && " and "}${
    alsoHosts && "the hosts below"
  }. Programs under <code class="command">credsvc run</code> never receive it.`
}

const shortAddress = (site: URL): string => `${site.host}${site.pathname === "/" ? "" : site.pathname}`

/** Explains what the user must do at the provider before filling in the OAuth client fields. */
const appNotice = (form: InputForm, site: URL | undefined): Html | undefined => {
  const { notes, redirectUri, scopes } = form
  const isClient = kindOf(form) === "client"
  if (!isClient && !(isStoredGrant(form.flow) && notes.length > 0)) return undefined
  return html`<div class="notice" role="note">${
    isClient &&
    html`<p>This provider requires your own OAuth app${
      site !== undefined && html`: ${externalLink(site.href, shortAddress(site))}`
    }</p>`
  }${redirectUri !== null && html`<p>Set its redirect URI to:</p>${copyable("redirect-uri", redirectUri)}`}${
    isClient && scopes.length > 0 &&
    html`<p>If the provider limits the scopes of the app, allow:</p>${codeList(scopes)}`
  }${notes.map((note) => html`<p>${note}</p>`)}</div>`
}

const facts = (form: InputForm): Html =>
  html`<dl>
<dt>Provider</dt><dd>${form.displayName} <code>${form.provider}</code></dd>
<dt>${form.recipient === null ? "Sent only to" : "Access tokens are sent only to"}</dt><dd>${codeList(form.hosts)}</dd>
<dt>Sent as</dt><dd>${codeList(form.carriers)}</dd>
<dt>Stored as</dt><dd>connection <code>${form.connection}</code> of profile <code>${form.profile}</code></dd>
</dl>`

export const inputPage = (form: InputPage, retry: Retry = noRetry): HttpServerResponse => {
  const names = new Set(form.fields.map(({ name }) => name))
  const general = retry.problems.filter((problem) => !names.has(inputOf(problem) ?? ""))
  const invalid = form.fields.findIndex((input) => retry.problems.some((problem) => inputOf(problem) === input.name))
  const focused = invalid === -1 ? 0 : invalid
  const site = form.credentialsUrl === undefined ? undefined : linkable(form.credentialsUrl)
  const title = `${titles[kindOf(form)]} ${form.displayName}`
  return pageResponse(retry.problems.length > 0 ? 400 : 200, {
    title: retry.problems.length > 0 ? `Error: ${title}` : title,
    content: html`<section class="card">
<h1>${title}</h1>
<p class="lead">${
      kindOf(form) === "account" ? `The login to ${form.displayName} gives access to several accounts.` : leadOf(form)
    }</p>
${customNotice(form, "Continue only if you recognize the hosts below.")}
${form.reason !== null && html`<div class="notice warn" role="alert"><p>${form.reason}</p></div>`}
${appNotice(form, site)}
${
      general.length > 0 &&
      html`<div class="notice bad" role="alert">${
        general.map(({ message }) => html`<p>${fieldError("The input", message)}</p>`)
      }</div>`
    }
<form method="post" action="${form.action}">
<input type="hidden" name="form_token" value="${form.token}">
${form.fields.map((input, index) => field(input, index, retry, index === focused))}
${
      site !== undefined && (form.recipient === null || isStoredGrant(form.flow)) &&
      html`<p class="small">Get one at ${externalLink(site.href, shortAddress(site))}</p>`
    }
<div class="actions">
<button type="submit" name="action" value="connect">Connect</button>
<button type="submit" name="action" value="cancel" class="plain" formnovalidate>Cancel</button>
</div>
</form>
${facts(form)}
</section>`
  })
}
