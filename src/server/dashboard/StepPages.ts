/** Confirmation pages between a click and its effect, with a link back. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import { externalLink, type Html, html, type HtmlValue } from "../pages/Html.ts"
import { messagePage, pageLink } from "../pages/Pages.ts"
import { texts } from "../pages/Texts.ts"
import { repeatForm } from "./ConnectForm.ts"
import { postForm } from "./Elements.ts"
import { dashboardPage, type Moment } from "./Frame.ts"
import { defaultPath, disconnectPath, overviewPath, providerPath, providersPath, revokePath } from "./Places.ts"

export interface Step {
  readonly moment: Moment
  readonly definition: ProviderDefinition
}

interface Question extends Step {
  readonly status?: number
  readonly title: string
  readonly content: HtmlValue
  readonly button: string
  readonly dangerous: boolean
  readonly back: string
  readonly form: (button: Html) => Html
}

const question = (
  { back, button, content, dangerous, definition, form, moment, status = 200, title }: Question
): HttpServerResponse =>
  dashboardPage(status, {
    title,
    section: "providers",
    moment,
    narrow: true,
    content: html`<section class="card">
<h1>${title}</h1>
${content}
${
      form(
        html`<div class="actions"><button${
          dangerous && html` class="danger"`
        }>${button}</button> <a class="button plain" href="${providerPath(definition.name)}">${back}</a></div>`
      )
    }
</section>`
  })

const points = (items: ReadonlyArray<HtmlValue>): Html =>
  html`<ul>${items.filter((item) => item !== undefined).map((item) => html`<li>${item}</li>`)}</ul>`

const keysAt = ({ credentialsUrl }: ProviderDefinition): Html | undefined =>
  credentialsUrl === undefined
    ? undefined
    : html`${texts.disconnect.keysAt} ${externalLink(credentialsUrl, credentialsUrl.replace(/^https:\/\//, ""))}`

/** `nextDefault` is the connection that becomes the default, if this one is the default and another remains. */
export const disconnectPage = (step: Step, connection: Connection, nextDefault: string | undefined) => {
  const { definition } = step
  const words = texts.disconnect
  return question({
    ...step,
    title: words.title(definition.displayName, connection.connectionName),
    content: points([
      words.erased,
      words.programs,
      nextDefault === undefined ? undefined : words.nextDefault(nextDefault),
      html`${words.stays(definition.displayName)} ${
        definition.authType === "oauth2"
          ? html`<a href="${revokePath(definition.name)}">${words.instead}</a>`
          : keysAt(definition)
      }`
    ]),
    button: words.button,
    dangerous: true,
    back: words.back,
    form: (button) => postForm(disconnectPath(definition.name, connection.connectionName), button)
  })
}

export const makeDefaultPage = (step: Step, connection: string, instead: string | undefined) => {
  const { definition } = step
  const words = texts.makeDefault
  return question({
    ...step,
    title: words.title(connection),
    content: html`<p>${words.text} ${instead !== undefined && words.instead(instead)}</p>`,
    button: words.button,
    dangerous: false,
    back: words.back,
    form: (button) => postForm(defaultPath(definition.name, connection), button)
  })
}

export const revokePage = (step: Step, connections: ReadonlyArray<Connection>) => {
  const { definition } = step
  const words = texts.revoke
  return question({
    ...step,
    title: words.title(definition.displayName),
    content: html`<p>${words.connections(connections.length)} ${
      connections.map(({ connectionName }, index) => html`${index > 0 && ", "}<code>${connectionName}</code>`)
    }</p>
${
      points([
        definition.authType === "oauth2"
          ? words.atProvider(definition.displayName)
          : html`${words.noEndpoint(definition.displayName)} ${keysAt(definition)}`,
        definition.authType === "oauth2" ? words.erasedWithClient : words.erased,
        words.cannotUndo
      ])
    }`,
    button: words.button,
    dangerous: true,
    back: words.back,
    form: (button) => postForm(revokePath(definition.name), button)
  })
}

export const alreadyConnectedPage = (step: Step, connection: string, values: ReadonlyMap<string, string>) => {
  const { definition } = step
  const words = texts.already
  return question({
    ...step,
    status: 409,
    title: words.title(definition.displayName),
    content: html`<p>${words.text(connection)}</p>`,
    button: words.replace,
    dangerous: false,
    back: words.back,
    form: (button) => repeatForm(definition.name, values, button)
  })
}

const { failure } = texts

export const strangeFormPage = (): HttpServerResponse =>
  messagePage(403, failure.strange.title, failure.strange.text, pageLink(overviewPath, failure.open))

export const noProviderPage = (): HttpServerResponse =>
  messagePage(404, failure.noProvider.title, failure.noProvider.text, pageLink(providersPath, failure.allProviders))

export const noConnectionPage = (provider: string): HttpServerResponse =>
  messagePage(
    404,
    failure.noConnection.title,
    failure.noConnection.text,
    pageLink(providerPath(provider), failure.openProvider(provider))
  )
