/** Confirmation pages between a click and its effect, with a link back. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import { externalLink, type Html, html, type HtmlValue, postForm } from "../pages/Html.ts"
import { messagePage, pageLink } from "../pages/Pages.ts"
import { repeatForm } from "./ConnectForm.ts"
import { defaultPath, disconnectPath, overviewPath, providerPath, providersPath, revokePath } from "./DashboardPaths.ts"
import { dashboardPage, type Moment } from "./Frame.ts"

interface Step {
  readonly moment: Moment
  readonly definition: ProviderDefinition
}

interface Question extends Step {
  readonly status?: number
  readonly title: string
  readonly content: HtmlValue
  readonly button: string
  readonly dangerous?: boolean
  readonly back?: string
  readonly form: (button: Html) => Html
}

const question = (
  { back = "Cancel", button, content, dangerous = false, definition, form, moment, status = 200, title }: Question
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
    : html`Delete it at ${externalLink(credentialsUrl, credentialsUrl.replace(/^https:\/\//, ""))}`

/** Asks to confirm a disconnect. `nextDefault` becomes the default if this connection is the default and others remain. */
export const disconnectPage = ({ definition, moment }: Step, connection: Connection, nextDefault: string | undefined) =>
  question({
    moment,
    definition,
    title: `Disconnect ${definition.displayName}, ${connection.connectionName}?`,
    content: points([
      "The daemon deletes the credential from the vault.",
      html`Programs under <code class="command">credsvc run</code> lose access with their next request.`,
      nextDefault === undefined ? undefined : html`<code>${nextDefault}</code> becomes the default connection.`,
      html`The credential stays valid at ${definition.displayName}. ${
        definition.authType === "oauth2"
          ? html`<a href="${revokePath(definition.name)}">Revoke all connections instead</a>`
          : keysAt(definition)
      }`
    ]),
    button: "Disconnect",
    dangerous: true,
    form: (button) => postForm(disconnectPath(definition.name, connection.connectionName), button)
  })

export const makeDefaultPage = ({ definition, moment }: Step, connection: string, instead: string | undefined) =>
  question({
    moment,
    definition,
    title: `Set ${connection} as default?`,
    content: html`<p>Programs that name no connection use it from their next request. ${
      instead !== undefined && html`They currently use <code>${instead}</code>, which stays connected.`
    }</p>`,
    button: "Set as default",
    form: (button) => postForm(defaultPath(definition.name, connection), button)
  })

export const revokePage = ({ definition, moment }: Step, connections: ReadonlyArray<Connection>) =>
  question({
    moment,
    definition,
    title: `Revoke all access to ${definition.displayName}?`,
    content: html`<p>${
      connections.length === 1 ? "This connection is removed" : `These ${connections.length} connections are removed`
    }: ${connections.map(({ connectionName }, index) => html`${index > 0 && ", "}<code>${connectionName}</code>`)}</p>
${
      points([
        definition.authType === "oauth2"
          ? `credsvc asks ${definition.displayName} to revoke the tokens.`
          : html`credsvc cannot revoke API keys of ${definition.displayName}. The daemon only deletes them from the vault. ${
            keysAt(definition)
          }`,
        definition.authType === "oauth2"
          ? "The daemon deletes the tokens and the OAuth client registered for them from the vault."
          : undefined,
        "This cannot be undone."
      ])
    }`,
    button: "Revoke",
    dangerous: true,
    form: (button) => postForm(revokePath(definition.name), button)
  })

export const alreadyConnectedPage = (
  { definition, moment }: Step,
  connection: string,
  values: ReadonlyMap<string, string>
) =>
  question({
    moment,
    definition,
    status: 409,
    title: `${definition.displayName} is already connected`,
    content:
      html`<p>A connection named <code>${connection}</code> already exists. Replace its credential, or go back and choose another name. The old credential stays in use until the new login completes.</p>`,
    button: "Replace credential",
    back: "Go back",
    form: (button) => repeatForm(definition.name, values, button)
  })

export const strangeFormPage = (): HttpServerResponse =>
  messagePage(
    403,
    "Form not accepted",
    "Nothing was changed, because the browser did not name the page that sent the form. Use a current browser.",
    pageLink(overviewPath, "Open the dashboard")
  )

export const noPage = (): HttpServerResponse =>
  messagePage(
    404,
    "Page not found",
    "The dashboard has no page at this URL.",
    pageLink(overviewPath, "Open the dashboard")
  )

const noNamed = (what: "provider" | "connection", link: Html): HttpServerResponse =>
  messagePage(
    404,
    `${what === "provider" ? "Provider" : "Connection"} not found`,
    `The URL contains no valid ${what} name.`,
    link
  )

export const noProviderPage = () => noNamed("provider", pageLink(providersPath, "All providers"))
export const noConnectionPage = (provider: string) =>
  noNamed("connection", pageLink(providerPath(provider), `Open ${provider}`))
