/** Validates the sections of the flows that store credentials and request each access token with them. */
import { StoredGrantKind } from "../wire/ProviderName.ts"
import type { HostOptions } from "./HostPattern.ts"
import { baseUrlPlace, checkEndpoint, checkPattern, checkValueName } from "./PartChecks.ts"
import { checkBasic, checkHeaders, checkTemplate, type Tell } from "./PlacementChecks.ts"
import {
  type DeclaredRequest,
  type GrantField,
  grantFields,
  type GrantValue,
  grantValues,
  type StoredGrant,
  storedGrantOf,
  type StoredGrantSections
} from "./StoredGrants.ts"

interface Section {
  readonly flows: ReadonlyArray<string>
  readonly oauth: StoredGrantSections & {
    readonly tokenUrl?: string
    readonly lookup?: { readonly values: Readonly<Record<string, string>> }
    readonly fields: ReadonlyArray<{ readonly name: string }>
  }
}

export const checkStoredGrants = ({ flows, oauth }: Section, options: HostOptions, tell: Tell): void => {
  for (const kind of StoredGrantKind.literals) {
    const grant = storedGrantOf(oauth, kind)
    const here = tell.at("oauth", kind)
    if (grant === undefined) {
      if (flows.includes(kind)) here([], `is required by the flow "${kind}"`)
      continue
    }
    if (!flows.includes(kind)) here([], `has no effect unless flows contains "${kind}"`)
    const others = new Set(oauth.fields.map(({ name }) => name))
    const found = new Set(Object.keys(oauth.lookup?.values ?? {}))
    for (const { name } of grantValues(grant)) {
      if (others.has(name)) here(["fields"], `has the name ${name}, which is also a field of oauth`)
      if (found.has(name)) here(["fields"], `has the name ${name}, which is also a value of the lookup`)
    }
    checkFields(grant, here)
    checkGrant(grant, oauth.tokenUrl, options, here)
    // Otherwise token requests after the login would use the address that the lookup has returned.
    const shared = grant.kind === "token_request" ? undefined : grant.section.tokenUrl ?? oauth.tokenUrl
    if (found.has("base_url") && JSON.stringify([grant.section, shared]).includes(baseUrlPlace)) {
      here([], "cannot use {base_url}, which only the lookup provides")
    }
  }
}

/** The names that templates may use besides the names of fields. */
const reserved = new Set(["access_token", "assertion", "base_url", "scope", "token_url"])

const checkFields = (grant: StoredGrant, tell: Tell): void => {
  const names = new Set<string>()
  const claim = (name: string, here: Tell): void => {
    if (names.has(name)) here([], "is used twice")
    if (reserved.has(name)) here([], "is a reserved name")
    names.add(name)
  }
  for (const [index, field] of grant.section.fields.entries()) {
    const here = tell.at("fields", index)
    claim(field.name, here.at("name"))
    checkField(field, here)
    if (field.kind === "private_key" && grant.kind !== "jwt_bearer") {
      here(["kind"], "is allowed only with the flow jwt_bearer")
    }
    for (const member of Object.keys(field.members ?? {})) claim(member, here.at("members", member))
  }
  if (!grantFields(grant).some(({ secret }) => secret)) tell(["fields"], "has no secret field")
}

const checkField = ({ expected, kind, members, pattern, secret }: GrantField, tell: Tell): void => {
  checkPattern(pattern, tell.at("pattern"))
  if (pattern !== undefined && kind !== "text") tell(["pattern"], "is allowed only for fields of the kind text")
  if (!secret && (kind === "private_key" || kind === "key_file")) tell(["secret"], `must be true for a ${kind}`)
  if (kind === "key_file") {
    if (Object.keys(members ?? {}).length === 0) tell(["members"], "is required for a key_file")
    for (const member of Object.keys(members ?? {})) checkValueName(member, tell.at("members", member))
  } else if (members !== undefined) tell(["members"], "is allowed only for fields of the kind key_file")
  else if (expected !== undefined) tell(["expected"], "is allowed only for fields of the kind key_file")
}

const checkGrant = (grant: StoredGrant, tokenUrl: string | undefined, options: HostOptions, tell: Tell): void => {
  const values = grantValues(grant)
  // A private key only signs: no request carries it.
  const names = values.filter(({ kind }) => kind !== "private_key").map(({ name }) => name)
  const fields = new Set([...names, "scope", "base_url", "token_url"])
  if (grant.kind === "token_request") return checkRequest(grant.section, values, fields, options, tell)
  const { section } = grant
  checkUrl(section.tokenUrl, values, options, tell.at("token_url"))
  checkParameters(section.params, fields, parametersOf[grant.kind], tell.at("params"))
  const declared = grant.kind === "jwt_bearer" ? grant.section.request : undefined
  if ((section.tokenUrl ?? tokenUrl) === undefined && declared === undefined) {
    tell(["token_url"], "is required unless oauth has a token_url")
  }
  if (grant.kind !== "jwt_bearer") return
  const { claims, header, privateKey } = grant.section
  if (!values.some(({ kind, name }) => name === privateKey && kind === "private_key")) {
    tell(["private_key"], "must name a field of the kind private_key, or a member of a key_file")
  }
  checkParameters(header, fields, /^(?:alg|crit|typ)$/, tell.at("header"))
  checkParameters(claims, fields, /^(?:exp|iat|jti)$/, tell.at("claims"))
  if (declared !== undefined) {
    checkRequest(declared, values, new Set([...fields, "assertion"]), options, tell.at("request"))
  }
}

const parametersOf = {
  client_credentials: /^(?:client_id|client_secret|grant_type|scope)$/,
  jwt_bearer: /^(?:assertion|grant_type|scope)$/
}

const checkParameters = (
  parameters: Readonly<Record<string, string>>,
  fields: ReadonlySet<string>,
  own: RegExp,
  tell: Tell
): void => {
  for (const [name, value] of Object.entries(parameters)) {
    if (own.test(name)) tell([name], "is set by the flow itself")
    checkTemplate(value, fields, tell.at(name))
  }
}

/**
 * Checks a URL with fields, which may be whole segments of the path. They never choose the host, and a URL must not carry a
 * secret.
 */
const checkUrl = (
  value: string | undefined,
  values: ReadonlyArray<GrantValue>,
  options: HostOptions,
  tell: Tell
): void => {
  if (value === undefined) return
  const allowed = new Set(
    values.filter(({ kind, required, secret }) => kind === "text" && required && !secret).map(({ name }) => name)
  )
  checkTemplate(value.startsWith(baseUrlPlace) ? value.slice(baseUrlPlace.length) : value, allowed, tell)
  checkEndpoint(value.replaceAll(/(?<=[^/]\/)\{[a-z][a-z0-9_]*\}(?=[/?]|$)/g, "x"), options, tell)
}

const checkRequest = (
  request: DeclaredRequest,
  values: ReadonlyArray<GrantValue>,
  fields: ReadonlySet<string>,
  options: HostOptions,
  tell: Tell
): void => {
  const { basic, body, format, headers, method, url } = request
  checkUrl(url, values, options, tell.at("url"))
  checkHeaders(headers, fields, tell.at("headers"))
  if (basic !== undefined) {
    checkBasic(basic, fields, tell.at("basic"))
    if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
      tell(["basic"], "cannot be combined with a header Authorization")
    }
  }
  if (body === undefined) return
  if (method === "GET") tell(["body"], "is allowed only with POST")
  if (format === "form") {
    for (const [name, value] of Object.entries(body)) {
      if (typeof value !== "string") tell(["body", name], "must be a string, because the body is a form")
    }
  }
  checkBody(body, fields, tell.at("body"))
}

const checkBody = (value: unknown, fields: ReadonlySet<string>, tell: Tell): void => {
  if (typeof value === "string") checkTemplate(value, fields, tell)
  else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) checkBody(item, fields, tell.at(name))
  }
}
