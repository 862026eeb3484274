/** The input form of a login, which names the requesting provider and the recipient of the values. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Problem } from "../../domain/Errors.ts"
import type { InputField } from "../../domain/wire/AuthSession.ts"
import { isStoredGrant } from "../../domain/wire/ProviderName.ts"
import type { InputForm } from "../../flows/InputForms.ts"
import { copyable } from "../dashboard/Elements.ts"
import { externalLink, type Html, html, linkable } from "./Html.ts"
import { pageResponse } from "./Pages.ts"
import { fieldError, list, texts } from "./Texts.ts"

export interface InputPage extends InputForm {
  readonly action: string
}

export interface Retry {
  readonly problems: ReadonlyArray<Problem>
  readonly values: Readonly<Record<string, string>>
}

const noRetry: Retry = { problems: [], values: {} }

const words = texts.input

const fieldOf = (problem: Problem): string | undefined => /^\/data\/(.+)$/.exec(problem.path)?.[1]

const choice = (input: InputField, options: NonNullable<InputField["options"]>, retry: Retry): Html =>
  html`<fieldset class="field"><legend>${input.label}</legend>
${
    options.map(({ label, value }, index) =>
      html`<label class="choice"><input type="radio" name="${input.name}" value="${value}" required${
        value === (retry.values[input.name] ?? options[0]?.value) && html` checked`
      }${index === 0 && html` autofocus`}><span>${label}${
        label !== value && html`<br><small>${value}</small>`
      }</span></label>`
    )
  }
</fieldset>
`

const field = (input: InputField, index: number, retry: Retry, focused: boolean): Html => {
  const id = `field-${index}`
  const errors = retry.problems.filter((problem) => fieldOf(problem) === input.name)
    .map(({ message }) => fieldError(input.label, message))
  const hint = input.hint === null || errors.includes(input.hint) ? undefined : input.hint
  const described = [
    ...(errors.length > 0 ? [`${id}-error`] : []),
    ...(hint === undefined ? [] : [`${id}-hint`])
  ].join(" ")
  if (input.options !== undefined) return choice(input, input.options, retry)
  const value = input.secret ? undefined : retry.values[input.name] ?? input.default ?? undefined
  const attributes =
    html`id="${id}" name="${input.name}" autocomplete="off" autocapitalize="none" spellcheck="false" data-1p-ignore data-lpignore="true"${
      input.required && html` required`
    }${described !== "" && html` aria-describedby="${described}"`}${errors.length > 0 && html` aria-invalid="true"`}${
      focused && html` autofocus`
    }`
  return html`<div class="field">
<label for="${id}">${input.label}${!input.required && html` <small>${words.optional}</small>`}</label>
${
    input.multiline === true
      ? html`<textarea ${attributes} rows="6"${input.secret && html` class="secret"`}>${value ?? ""}</textarea>`
      : html`<input ${attributes} type="${input.secret ? "password" : "text"}"${
        value !== undefined && html` value="${value}"`
      }>`
  }
${errors.length > 0 && html`<p class="error" id="${id}-error">${errors.join(" ")}</p>`}
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
</div>
`
}

const sourceNotice = ({ overridesBundled, source }: InputForm): Html | undefined =>
  source === "bundled"
    ? undefined
    : html`<div class="notice warn" role="note"><p><strong>${texts.provider.custom}</strong> ${
      overridesBundled ? texts.provider.replaces : texts.provider.added
    } ${words.onlyIfKnown}</p></div>`

/** The kind of input that the title of the form names. */
const kindOf = ({ fields, flow, recipient }: InputForm): keyof typeof words.title => {
  if (fields.some(({ options }) => options !== undefined)) return "account"
  if (isStoredGrant(flow)) return "fields"
  if (recipient !== null) return fields.some(({ name }) => name === "refresh_token") ? "refreshToken" : "client"
  return fields.length === 1 ? "key" : "fields"
}

const oauthFields = new Set(["client_id", "client_secret", "refresh_token"])

const leadOf = ({ fields, flow, recipient }: InputForm): Html =>
  words.lead(
    recipient,
    recipient === null || (!isStoredGrant(flow) && fields.some(({ name }) => !oauthFields.has(name)))
  )

const shortAddress = (site: URL): string => `${site.host}${site.pathname === "/" ? "" : site.pathname}`

/** Explains what the user must do at the provider before filling in the fields of an OAuth client. */
const appNotice = (form: InputForm, site: URL | undefined): Html | undefined => {
  const { notes, redirectUri } = form
  const isClient = kindOf(form) === "client"
  if (!isClient && !(isStoredGrant(form.flow) && notes.length > 0)) return undefined
  return html`<div class="notice" role="note">${
    isClient &&
    html`<p>${words.ownApp}${site !== undefined && html`: ${externalLink(site.href, shortAddress(site))}`}</p>`
  }${redirectUri !== null && html`<p>${words.redirect}</p>${copyable("redirect-uri", redirectUri)}`}${
    notes.map((note) => html`<p>${note}</p>`)
  }</div>`
}

const facts = (form: InputForm): Html =>
  html`<dl>
<dt>${words.provider}</dt><dd>${form.displayName} <code>${form.provider}</code></dd>
<dt>${form.recipient === null ? words.sentTo : words.tokensSentTo}</dt><dd>${list(form.hosts)}</dd>
<dt>${words.sentAs}</dt><dd>${list(form.carriers)}</dd>
<dt>${words.storedAs}</dt><dd>${words.place(form.connection, form.profile)}</dd>
</dl>`

export const inputPage = (form: InputPage, retry: Retry = noRetry): HttpServerResponse => {
  const names = new Set(form.fields.map(({ name }) => name))
  const general = retry.problems.filter((problem) => !names.has(fieldOf(problem) ?? ""))
  const invalid = form.fields.findIndex((input) => retry.problems.some((problem) => fieldOf(problem) === input.name))
  const focused = invalid === -1 ? 0 : invalid
  const site = form.credentialsUrl === undefined ? undefined : linkable(form.credentialsUrl)
  const title = words.title[kindOf(form)](form.displayName)
  return pageResponse(retry.problems.length > 0 ? 400 : 200, {
    title: retry.problems.length > 0 ? words.errorTitle(title) : title,
    content: html`<section class="card">
<h1>${title}</h1>
<p class="lead">${kindOf(form) === "account" ? words.chooseAccount(form.displayName) : leadOf(form)}</p>
${sourceNotice(form)}
${form.reason !== null && html`<div class="notice warn" role="alert"><p>${form.reason}</p></div>`}
${appNotice(form, site)}
${
      general.length > 0 &&
      html`<div class="notice bad" role="alert">${
        general.map(({ message }) => html`<p>${fieldError(words.entered, message)}</p>`)
      }</div>`
    }
<form method="post" action="${form.action}">
<input type="hidden" name="form_token" value="${form.token}">
${form.fields.map((input, index) => field(input, index, retry, index === focused))}
${
      site !== undefined && (form.recipient === null || isStoredGrant(form.flow)) &&
      html`<p class="small">${words.getIt} ${externalLink(site.href, shortAddress(site))}</p>`
    }
<div class="actions">
<button type="submit" name="action" value="connect">${words.connect}</button>
<button type="submit" name="action" value="cancel" class="plain" formnovalidate>${words.cancel}</button>
</div>
</form>
${facts(form)}
</section>`
  })
}
