/** Form fields. Attributes link labels, hints and errors to the input for screen readers. */
import { type Html, html, type HtmlValue } from "./Html.ts"

interface Field {
  readonly id: string
  readonly name: string
  readonly label: HtmlValue
  readonly hint: string | undefined
  readonly errors: ReadonlyArray<string>
  readonly focused: boolean
  /** Renders the input with the attributes that link it to its label, hint and errors. */
  readonly element: (attributes: Html) => Html
}

export const fieldOf = ({ element, errors, focused, hint, id, label, name }: Field): Html => {
  const described = [
    ...(errors.length > 0 ? [`${id}-error`] : []),
    ...(hint === undefined ? [] : [`${id}-hint`])
  ].join(" ")
  const attributes =
    html`id="${id}" name="${name}" autocomplete="off" autocapitalize="none" spellcheck="false" data-1p-ignore data-lpignore="true"${
      described !== "" && html` aria-describedby="${described}"`
    }${errors.length > 0 && html` aria-invalid="true"`}${focused && html` autofocus`}`
  return html`<div class="field"><label for="${id}">${label}</label>
${element(attributes)}
${errors.length > 0 && html`<p class="error" id="${id}-error">${errors.join(" ")}</p>`}
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
</div>
`
}

interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string | undefined
}

/** A group of options of which the user chooses one. */
export const choiceOf = (
  legend: string,
  name: string,
  options: ReadonlyArray<Choice>,
  { chosen, focused }: { readonly chosen: string | undefined; readonly focused: boolean }
): Html =>
  html`<fieldset class="field"><legend>${legend}</legend>
${
    options.map(({ hint, label, value }, index) =>
      html`<label class="choice"><input type="radio" name="${name}" value="${value}" required${
        value === chosen && html` checked`
      }${focused && index === 0 && html` autofocus`}><span>${label}${
        hint !== undefined && html`<br><small>${hint}</small>`
      }</span></label>`
    )
  }
</fieldset>
`
