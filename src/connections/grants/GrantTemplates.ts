/** Fills the templates of token requests: texts and documents with `{field}` in place of values. */

/** Values for templates. A template with a missing value is omitted. */
export type Values = Readonly<Record<string, string | undefined>>

/** Fills a template. Returns undefined if a value is missing. */
export const fill = (
  template: string,
  values: Values,
  encoded: (value: string) => string | undefined = (value) => value
): string | undefined => {
  let isAbsent = false
  const text = template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const part = value === undefined ? undefined : encoded(value)
    if (part === undefined) isAbsent = true
    return part ?? ""
  })
  return isAbsent ? undefined : text
}

export const fillAll = (texts: Readonly<Record<string, string>>, values: Values): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, template]) => {
      const text = fill(template, values)
      return text === undefined ? [] : [[name, text] as const]
    })
  )

/** Encodes a value as one path segment. Returns undefined for empty and dot segments, which would change the path. */
export const segment = (value: string): string | undefined =>
  /^\.{0,2}$/.test(value) ? undefined : encodeURIComponent(value.toWellFormed())

const valueOfKind = (text: string, kind: string | undefined): unknown => {
  if (kind === "list") return text.split(",")
  if (kind === "map") return Object.fromEntries(text.split(",").map((pair) => pair.split("=")))
  return text
}

/** Fills the strings of a JSON document. Omits those with a missing value. A string that is only `{field}` gets the field's type. */
export const fillDocument = (value: unknown, values: Values, kinds: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "string") {
    const text = fill(value, values)
    const only = /^\{([^{}]*)\}$/.exec(value)?.[1]
    return text === undefined || only === undefined ? text : valueOfKind(text, kinds.get(only))
  }
  if (Array.isArray(value)) {
    return value.map((item) => fillDocument(item, values, kinds)).filter((item) => item !== undefined)
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const found = fillDocument(item, values, kinds)
      return found === undefined ? [] : [[name, found] as const]
    })
  )
}
