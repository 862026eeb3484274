/** The form that starts a login, with the connection name, flow, account and scopes. */
import * as Result from "effect/Result"
import type { FlowKind, ProviderDefinition } from "../../domain/definition/Provider.ts"
import { definedBaseUrls } from "../../domain/definition/ProviderFields.ts"
import { resolveBaseUrl } from "../../domain/definition/ProviderHosts.ts"
import type { Problem } from "../../domain/Errors.ts"
import { flowWords } from "../pages/FlowWords.ts"
import { choiceOf, fieldOf } from "../pages/FormFields.ts"
import { hidden, type Html, html, type HtmlValue, postForm, select } from "../pages/Html.ts"
import { fieldError, sentence } from "../pages/Sentences.ts"
import { connectPath } from "./DashboardPaths.ts"

export interface Refused {
  readonly problems: ReadonlyArray<Problem>
  readonly values: ReadonlyMap<string, string>
}

export const nothingRefused: Refused = { problems: [], values: new Map() }

/** The names of the form's fields. The path of each reported problem begins with one of them. */
const fields = ["connection", "flow", "base_url", "scopes"] as const
type Field = (typeof fields)[number]
type Control = Parameters<typeof fieldOf>[0]["element"]

const isAbout = ({ path }: Problem, field: Field): boolean => path === `/${field}` || path.startsWith(`/${field}/`)

const control = (refused: Refused, name: Field, label: string, hint: string | undefined, element: Control): Html => {
  const errors = refused.problems.filter((problem) => isAbout(problem, name))
    .map(({ message }) => fieldError(label, message))
  return fieldOf({ id: name, name, label, hint, errors, focused: errors.length > 0, element })
}

const flowChoice = ({ flow, flows }: ProviderDefinition, refused: Refused): Html | undefined =>
  flows.length < 2 ? undefined : choiceOf(
    "Login method",
    "flow",
    flows.map((kind: FlowKind) => {
      const { hint, name } = flowWords(kind)
      return { value: kind, label: name, hint }
    }),
    { chosen: refused.values.get("flow") ?? flow, focused: false }
  )

const region = (definition: ProviderDefinition, chosen: string): Html => {
  const isOptional = Result.getOrNull(resolveBaseUrl(definition)) === null
  const regions = Object.fromEntries(definition.regions.map(({ name }) => [name, name]))
  return select("base_url", "Region", isOptional ? { "": "All regions", ...regions } : regions, chosen)
}

const tenant = (definition: ProviderDefinition, refused: Refused): Html | undefined => {
  if (definedBaseUrls(definition).length === definition.regions.length && definition.regions.length > 0) {
    return region(definition, refused.values.get("base_url") ?? "")
  }
  const resolved = resolveBaseUrl(definition)
  if (Result.isSuccess(resolved) && resolved.success === null) return undefined
  const forms = definedBaseUrls(definition)
  const value = refused.values.get("base_url") ?? (Result.isSuccess(resolved) ? resolved.success ?? "" : "")
  const hint = forms.length === 0 ? undefined : `For example: ${forms.join(" or ")}`
  return control(
    refused,
    "base_url",
    "Account URL",
    hint,
    (attributes) =>
      html`<input ${attributes} type="url" value="${value}" required maxlength="2048" placeholder="https://">`
  )
}

const scopes = (definition: ProviderDefinition, refused: Refused): Html | undefined => {
  if (definition.authType !== "oauth2") return undefined
  const isOpen = refused.problems.some((problem) => isAbout(problem, "scopes"))
  const value = refused.values.get("scopes") ?? ""
  const hint = "Separate scopes with spaces. Leave empty to request the default scopes."
  const placeholder = definition.oauth.scopes.join(" ")
  const field = control(
    refused,
    "scopes",
    "Scopes",
    hint,
    (attributes) => html`<textarea ${attributes} rows="3" placeholder="${placeholder}">${value}</textarea>`
  )
  return html`<details id="more"${
    (isOpen || value !== "") && html` open`
  }><summary>Advanced options</summary>${field}</details>`
}

export const connectForm = (
  definition: ProviderDefinition,
  options: { readonly another: boolean; readonly refused: Refused }
): Html => {
  const { another, refused } = options
  const general = refused.problems.filter((problem) => !fields.some((field) => isAbout(problem, field)))
  const name = refused.values.get("connection") ?? (another ? "" : "default")
  return postForm(
    connectPath(definition.name),
    html`${
      general.length > 0 &&
      html`<div class="notice bad" role="alert">${
        general.map(({ message }) => html`<p>${sentence(message)}</p>`)
      }</div>`
    }
${
      control(
        refused,
        "connection",
        "Connection name",
        "Use letters, digits, dots, underscores, @ and hyphens.",
        (attributes) => html`<input ${attributes} type="text" value="${name}" required maxlength="64">`
      )
    }
${flowChoice(definition, refused)}
${tenant(definition, refused)}
${scopes(definition, refused)}
<div class="actions"><button>Connect</button></div>`
  )
}

/** A form that submits the same login again under another button label, with the choices in hidden fields. */
export const repeatForm = (provider: string, values: ReadonlyMap<string, string>, button: HtmlValue): Html =>
  postForm(
    connectPath(provider),
    html`${[...values].filter(([name]) => name !== "force").map(([name, value]) => hidden(name, value))}${
      hidden("force", "true")
    }${button}`
  )
