/** Validates the placements of a definition: names, values and templates must not have side effects on the request. */
import { overridesMethod, overridingField } from "../rules/Overrides.ts"
import { isJsonPointer } from "./DefinitionParts.ts"
import type { Placement } from "./Provider.ts"

/** Reports a problem at a place within the checked part of a definition. `at` returns the same function for a smaller part. */
export interface Tell {
  (place: ReadonlyArray<PropertyKey>, message: string): void
  readonly at: (...place: ReadonlyArray<PropertyKey>) => Tell
}

export const tellBy = (report: (place: ReadonlyArray<PropertyKey>, message: string) => void): Tell =>
  Object.assign(report, {
    at: (...outer: ReadonlyArray<PropertyKey>) => tellBy((place, message) => report([...outer, ...place], message))
  })

export const checkPlacement = (placement: Placement, fields: ReadonlySet<string>, tell: Tell): void => {
  const instead = [placement.queryParam, placement.basic, placement.awsSigv4, placement.hmac]
    .filter((item) => item !== undefined)
  if (instead.length + (placement.headerName === undefined ? 0 : 1) > 1) {
    tell([], "may have only one of header_name, query_param, basic, aws_sigv4 and hmac")
  }
  if (placement.awsSigv4 !== undefined || placement.hmac !== undefined) {
    if (Object.keys(placement.body).length > 0) tell(["body"], "must not change a body that is signed")
  }
  if (placement.headerPrefix !== undefined && instead.length > 0) {
    tell(["header_prefix"], "has no effect with query_param, basic, aws_sigv4 or hmac")
  }
  checkHeaderName(placement.headerName, tell.at("header_name"))
  checkHeaderValue(placement.headerPrefix ?? "", new Set(), tell.at("header_prefix"))
  checkParameterName(placement.queryParam, tell.at("query_param"))
  checkFurtherPlaces(placement, fields, tell)
  if (placement.basic !== undefined) checkBasic(placement.basic, fields, tell.at("basic"))
}

export const checkBasic = (
  { password, username }: NonNullable<Placement["basic"]>,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  if (username.includes(":")) tell(["username"], "must not contain a colon")
  checkTemplate(username, fields, tell.at("username"))
  checkTemplate(password, fields, tell.at("password"))
}

export const checkParameterName = (name: string | undefined, tell: Tell): void => {
  if (name !== undefined && !/^[A-Za-z0-9_.~-]+$/.test(name)) {
    tell([], "must be letters, digits, dot, underscore, tilde or hyphen")
  } else if (name !== undefined && overridesMethod(name, "")) {
    tell([], "is a parameter that a definition may not set")
  }
}

export const checkFurtherPlaces = (
  { body, headers, messages, pathTemplates, query, queryParam }: Placement,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  checkHeaders(headers, fields, tell.at("headers"))
  const parameters = new Set(queryParam === undefined ? [] : [queryParam.toLowerCase()])
  const checkFilled = (value: string, here: Tell): void => {
    checkTemplate(value, fields, here)
    if (!value.includes("{")) here([], "must contain a {field} placeholder")
  }
  for (const [name, value] of Object.entries(body)) {
    checkFilled(value, tell.at("body", name))
    if (!isJsonPointer(name)) checkParameterName(name, tell.at("body", name))
  }
  if (messages !== undefined && Object.keys(messages.fields).length === 0) tell(["messages", "fields"], "has no field")
  for (const [pointer, value] of Object.entries(messages?.fields ?? {})) {
    const here = tell.at("messages", "fields", pointer)
    checkFilled(value, here)
    if (!isJsonPointer(pointer)) here([], "is not a JSON pointer such as /auth/token")
  }
  for (const [name, value] of Object.entries(query)) {
    const here = tell.at("query", name)
    checkParameterName(name, here)
    checkFilled(value, here)
    if (parameters.has(name.toLowerCase())) here([], "is a parameter that already has a value")
    parameters.add(name.toLowerCase())
  }
  for (const [index, template] of pathTemplates.entries()) {
    const here = tell.at("path_templates", index)
    checkPathTemplate(template, fields, here)
    if (pathTemplates.indexOf(template) !== index) here([], "is listed twice")
  }
}

/** Checks a path template. Literal segments are compared byte by byte, so they must use the normal spelling of clients. */
const checkPathTemplate = (template: string, fields: ReadonlySet<string>, tell: Tell): void => {
  checkTemplate(template, fields, tell)
  const segments = template.split("/").slice(1)
  if (!template.startsWith("/") || segments.some((segment) => /^\.{0,2}$/.test(segment))) {
    tell([], "must be a path of whole segments, such as /bot{api_key}")
  } else if (!/^[A-Za-z0-9._~!$&'()*+,;=:@{}/-]*$/.test(template)) {
    tell([], "must not contain percent-encoding, a query or spaces")
  } else if (!template.includes("{")) tell([], "must contain a {field} placeholder")
  else if (segments.some((segment) => segment.split("{").length > 2)) {
    tell([], "must not contain two placeholders in one segment")
  }
}

/** Headers that belong to the connection or to framing. A definition must not set them, nor any that make a request another one. */
const forbiddenHeaders =
  /^(?:host|content-length|content-encoding|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|cookie|forwarded|via|proxy-.*|sec-.*|x-forwarded-.*|:.*)$/i

export const checkHeaderName = (name: string | undefined, tell: Tell): void => {
  if (name === undefined) return
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)) tell([], "is not a header name")
  else if (forbiddenHeaders.test(name) || overridingField([name, "*"], "") !== undefined) {
    tell([], "is a header that a definition may not set")
  }
}

export const checkHeaderValue = (value: string, fields: ReadonlySet<string>, tell: Tell): void => {
  if (!/^[\u0020-\u007e]*$/.test(value)) tell([], "must be printable ASCII")
  else if (value !== value.trim()) tell([], "must not begin or end with a space")
  checkTemplate(value, fields, tell)
}

export const checkHeaders = (
  headers: Readonly<Record<string, string>>,
  fields: ReadonlySet<string>,
  tell: Tell
): void => {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    checkHeaderName(name, tell.at(name))
    checkHeaderValue(value, fields, tell.at(name))
    if (seen.has(name.toLowerCase())) tell([name], "is listed twice, in different letter case")
    seen.add(name.toLowerCase())
  }
}

export const checkTemplate = (template: string, fields: ReadonlySet<string>, tell: Tell): void => {
  for (const [, name] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (!fields.has(name!)) {
      const known = fields.size === 0 ? "no field may be used here" : `the fields are ${[...fields].join(", ")}`
      tell([], `uses a field that is not declared; ${known}`)
    }
  }
  if (/[{}]/.test(template.replaceAll(/\{[^{}]*\}/g, ""))) tell([], "has an unmatched brace")
}
