/** The form that starts a login, with the connection name, flow, account and scopes. */
import * as Result from "effect/Result"
import type { FlowKind, ProviderDefinition } from "../../domain/definition/Provider.ts"
import { definedBaseUrls } from "../../domain/definition/ProviderFields.ts"
import { resolveBaseUrl } from "../../domain/definition/ProviderHosts.ts"
import type { Problem } from "../../domain/Errors.ts"
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { fieldError, flowWords, sentence } from "../pages/Texts.ts"
import { hidden, postForm } from "./Elements.ts"
import { connectPath } from "./Places.ts"

export interface Refused {
  readonly problems: ReadonlyArray<Problem>
  readonly values: ReadonlyMap<string, string>
}

export const nothingRefused: Refused = { problems: [], values: new Map() }

/** The names of the form's fields. The path of a problem begins with one of them. */
const fields = ["connection", "flow", "base_url", "scopes"] as const
type Field = (typeof fields)[number]

const errorsOf = (refused: Refused, field: Field): ReadonlyArray<string> =>
  refused.problems.filter(({ path }) => path === `/${field}` || path.startsWith(`/${field}/`)).map(({ message }) =>
    message
  )

const generalErrors = ({ problems }: Refused): ReadonlyArray<string> =>
  problems.filter(({ path }) => !fields.some((field) => path === `/${field}` || path.startsWith(`/${field}/`)))
    .map(({ message }) => message)

interface Control {
  readonly field: Field
  readonly label: string
  readonly hint: string | undefined
  readonly errors: ReadonlyArray<string>
  /** Renders the input with the attributes that link it to its label, hint and errors. */
  readonly element: (attributes: Html) => Html
}

const control = ({ element, errors, field, hint, label }: Control): Html => {
  const described = [
    ...(errors.length > 0 ? [`${field}-error`] : []),
    ...(hint === undefined ? [] : [`${field}-hint`])
  ].join(" ")
  const attributes = html`id="${field}" name="${field}" autocomplete="off" autocapitalize="none" spellcheck="false"${
    described !== "" && html` aria-describedby="${described}"`
  }${errors.length > 0 && html` aria-invalid="true" autofocus`}`
  return html`<div class="field"><label for="${field}">${label}</label>
${element(attributes)}
${
    errors.length > 0 &&
    html`<p class="error" id="${field}-error">${errors.map((error) => fieldError(label, error)).join(" ")}</p>`
  }
${hint !== undefined && html`<p class="hint" id="${field}-hint">${hint}</p>`}
</div>`
}

const flowChoice = ({ flow, flows }: ProviderDefinition, refused: Refused): Html | undefined => {
  if (flows.length < 2) return undefined
  const chosen = refused.values.get("flow") ?? flow
  return html`<fieldset class="field"><legend>Login method</legend>
${
    flows.map((kind: FlowKind) => {
      const { hint, name } = flowWords(kind)
      return html`<label class="choice"><input type="radio" name="flow" value="${kind}"${
        kind === chosen && html` checked`
      }><span>${name}<br><small>${hint}</small></span></label>`
    })
  }
</fieldset>`
}

const region = (definition: ProviderDefinition, chosen: string): Html => {
  const regions = definition.regions.map(({ name }) => [name, name] as const)
  const isOptional = Result.getOrNull(resolveBaseUrl(definition)) === null
  const choices = isOptional ? [["", "All regions"] as const, ...regions] : regions
  return control({
    field: "base_url",
    label: "Region",
    hint: undefined,
    errors: [],
    element: (attributes) =>
      html`<select ${attributes}>${
        choices.map(([value, label]) =>
          html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`
        )
      }</select>`
  })
}

const tenant = (definition: ProviderDefinition, refused: Refused): Html | undefined => {
  if (definedBaseUrls(definition).length === definition.regions.length && definition.regions.length > 0) {
    return region(definition, refused.values.get("base_url") ?? "")
  }
  const resolved = resolveBaseUrl(definition)
  if (Result.isSuccess(resolved) && resolved.success === null) return undefined
  const forms = definedBaseUrls(definition)
  const value = refused.values.get("base_url") ?? (Result.isSuccess(resolved) ? resolved.success ?? "" : "")
  return control({
    field: "base_url",
    label: "Account URL",
    hint: forms.length === 0 ? undefined : `For example: ${forms.join(" or ")}`,
    errors: errorsOf(refused, "base_url"),
    element: (attributes) =>
      html`<input ${attributes} type="url" value="${value}" required maxlength="2048" placeholder="https://">`
  })
}

const scopes = (definition: ProviderDefinition, refused: Refused): Html | undefined => {
  if (definition.authType !== "oauth2") return undefined
  const errors = errorsOf(refused, "scopes")
  const value = refused.values.get("scopes") ?? ""
  const field = control({
    field: "scopes",
    label: "Scopes",
    hint: "Separate scopes with spaces. Leave empty to request the default scopes.",
    errors,
    element: (attributes) =>
      html`<textarea ${attributes} rows="3" placeholder="${definition.oauth.scopes.join(" ")}">${value}</textarea>`
  })
  return html`<details id="more"${
    (errors.length > 0 || value !== "") && html` open`
  }><summary>Advanced options</summary>${field}</details>`
}

export const connectForm = (
  definition: ProviderDefinition,
  options: { readonly another: boolean; readonly refused: Refused }
): Html => {
  const { another, refused } = options
  const general = generalErrors(refused)
  return postForm(
    connectPath(definition.name),
    html`${
      general.length > 0 &&
      html`<div class="notice bad" role="alert">${general.map((message) => html`<p>${sentence(message)}</p>`)}</div>`
    }
${
      control({
        field: "connection",
        label: "Connection name",
        hint: "Use letters, digits, dots, underscores, @ and hyphens.",
        errors: errorsOf(refused, "connection"),
        element: (attributes) =>
          html`<input ${attributes} type="text" value="${
            refused.values.get("connection") ?? (another ? "" : "default")
          }" required maxlength="64">`
      })
    }
${flowChoice(definition, refused)}
${tenant(definition, refused)}
${scopes(definition, refused)}
<div class="actions"><button>Connect</button></div>`
  )
}

/** A form that submits the same login again under another button label, with the choices in hidden fields. */
export const repeatForm = (
  provider: string,
  values: ReadonlyMap<string, string>,
  button: HtmlValue
): Html =>
  postForm(
    connectPath(provider),
    html`${[...values].filter(([name]) => name !== "force").map(([name, value]) => hidden(name, value))}${
      hidden("force", "true")
    }${button}`
  )
