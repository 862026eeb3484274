/** Validates the placements of a definition: names, values and templates must not have side effects on the request. */
import type { Placement } from "./Provider.ts"

export type Tell = (path: ReadonlyArray<PropertyKey>, message: string) => void

export const checkPlacement = (
  path: ReadonlyArray<string>,
  placement: Placement,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  const instead = [placement.queryParam, placement.basic, placement.awsSigv4, placement.hmac]
    .filter((item) => item !== undefined)
  if (instead.length + (placement.headerName === undefined ? 0 : 1) > 1) {
    tell(path, "may have only one of header_name, query_param, basic, aws_sigv4 and hmac")
  }
  if (placement.headerPrefix !== undefined && instead.length > 0) {
    tell([...path, "header_prefix"], "has no effect with query_param, basic, aws_sigv4 or hmac")
  }
  checkHeaderName([...path, "header_name"], placement.headerName, tell)
  checkHeaderValue([...path, "header_prefix"], placement.headerPrefix ?? "", new Set(), tell)
  checkParameterName([...path, "query_param"], placement.queryParam, tell)
  checkFurtherPlaces(path, placement, fields, tell)
  if (placement.basic !== undefined) {
    if (placement.basic.username.includes(":")) tell([...path, "basic", "username"], "must not contain a colon")
    checkTemplate([...path, "basic", "username"], placement.basic.username, fields, tell)
    checkTemplate([...path, "basic", "password"], placement.basic.password, fields, tell)
  }
}

export const checkParameterName = (path: ReadonlyArray<PropertyKey>, name: string | undefined, tell: Tell): void => {
  if (name !== undefined && !/^[A-Za-z0-9_.~-]+$/.test(name)) {
    tell(path, "must be letters, digits, dot, underscore, tilde or hyphen")
  }
}

export const checkFurtherPlaces = (
  path: ReadonlyArray<string>,
  { headers, pathTemplates, query, queryParam }: Placement,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  checkHeaders([...path, "headers"], headers, fields, tell)
  const parameters = new Set(queryParam === undefined ? [] : [queryParam.toLowerCase()])
  for (const [name, value] of Object.entries(query)) {
    const place = [...path, "query", name]
    checkParameterName(place, name, tell)
    checkTemplate(place, value, fields, tell)
    if (!value.includes("{")) tell(place, "must contain a {field} placeholder")
    if (parameters.has(name.toLowerCase())) tell(place, "is a parameter that has its value already")
    parameters.add(name.toLowerCase())
  }
  for (const [index, template] of pathTemplates.entries()) {
    const place = [...path, "path_templates", index]
    checkPathTemplate(place, template, fields, tell)
    if (pathTemplates.indexOf(template) !== index) tell(place, "is listed twice")
  }
}

/** Literal segments are compared byte by byte, so they must use the normal spelling of clients. */
const checkPathTemplate = (
  path: ReadonlyArray<PropertyKey>,
  template: string,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  checkTemplate(path, template, fields, tell)
  const segments = template.split("/").slice(1)
  if (!template.startsWith("/") || segments.some((segment) => /^\.{0,2}$/.test(segment))) {
    tell(path, "must be a path of whole segments, such as /bot{api_key}")
  } else if (!/^[A-Za-z0-9._~!$&'()*+,;=:@{}/-]*$/.test(template)) {
    tell(path, "must not contain percent-encoding, a query or spaces")
  } else if (!template.includes("{")) tell(path, "must contain a {field} placeholder")
  else if (segments.some((segment) => segment.split("{").length > 2)) {
    tell(path, "must not contain two placeholders in one segment")
  }
}

/** Headers that belong to the connection or to framing; a definition must not set them. */
const forbiddenHeaders =
  /^(?:host|content-length|content-encoding|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|cookie|forwarded|via|proxy-.*|sec-.*|x-forwarded-.*|:.*)$/i

export const checkHeaderName = (path: ReadonlyArray<PropertyKey>, name: string | undefined, tell: Tell): void => {
  if (name === undefined) return
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)) tell(path, "is not a header name")
  else if (forbiddenHeaders.test(name)) tell(path, "is a header that a definition may not set")
}

export const checkHeaderValue = (
  path: ReadonlyArray<PropertyKey>,
  value: string,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  if (!/^[\u0020-\u007e]*$/.test(value)) tell(path, "must be printable ASCII")
  else if (value !== value.trim()) tell(path, "must not begin or end with a space")
  checkTemplate(path, value, fields, tell)
}

export const checkHeaders = (
  path: ReadonlyArray<PropertyKey>,
  headers: Readonly<Record<string, string>>,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    checkHeaderName([...path, name], name, tell)
    checkHeaderValue([...path, name], value, fields, tell)
    if (seen.has(name.toLowerCase())) tell([...path, name], "is listed twice in different case")
    seen.add(name.toLowerCase())
  }
}

export const checkTemplate = (
  path: ReadonlyArray<PropertyKey>,
  template: string,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  for (const [, name] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (!fields.has(name!)) {
      const known = fields.size === 0 ? "no field may be used here" : `the fields are ${[...fields].join(", ")}`
      tell(path, `uses a field that is not declared; ${known}`)
    }
  }
  if (/[{}]/.test(template.replaceAll(/\{[^{}]*\}/g, ""))) tell(path, "has an unmatched brace")
}
