/**
 * The text that replaces a secret in the environment of a child process. Every placeholder contains it, except the exact
 * placeholders of providers whose tools check the alphabet or the length of a key.
 */
export const PLACEHOLDER = "credsvc-proxy-managed"

/** Whether the text contains a placeholder. `exact` lists the exact placeholders of the provider. */
export const holdsPlaceholder = (text: string, exact: ReadonlyArray<string>): boolean =>
  text.includes(PLACEHOLDER) || exact.some((value) => text.includes(value))

/** Whether a key or its placeholder begins with a part that `placeholder_by_prefix` names, or ends with it (`:fx`, `-us6`). */
export const hasPart = (text: string, part: string): boolean =>
  /^[:-]/.test(part) ? text.endsWith(part) : text.startsWith(part)

/**
 * The placeholder of one connection, which selects that connection for a request, or undefined for a placeholder of an
 * exact form, to which no name can be appended.
 */
export const connectionPlaceholder = (placeholder: string, connection: string): string | undefined =>
  placeholder.endsWith(PLACEHOLDER) ? `${placeholder}--${connection}` : undefined

const NAMED = new RegExp(`${PLACEHOLDER}--([A-Za-z0-9_@][A-Za-z0-9._@-]{0,63})`, "g")

/** The names of the connections whose placeholders a string contains. */
export const connectionsIn = (text: string): ReadonlyArray<string> =>
  text.includes(`${PLACEHOLDER}--`) ? [...text.matchAll(NAMED)].map(([, name]) => name!) : []

/**
 * The variable with the placeholder of one connection, such as `WORK_OPENAI_API_KEY`. It ends with the name of the provider's variable,
 * which has the form of a credential's name.
 */
export const variableFor = (variable: string, connection: string): string => {
  const name = connection.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^_+|_+$/g, "")
  return `${/^[0-9]/.test(name) ? "_" : ""}${name}_${variable}`
}
