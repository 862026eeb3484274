/** Validates the sections of the flows that store credentials and request each access token with them. */
import { StoredGrantKind } from "../wire/ProviderName.ts"
import type { HostOptions } from "./HostPattern.ts"
import { baseUrlPlace, checkEndpoint, checkPattern } from "./PartChecks.ts"
import { checkHeaders, checkTemplate, type Tell } from "./PlacementChecks.ts"
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

type Path = ReadonlyArray<PropertyKey>

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
    const path = ["oauth", kind]
    if (grant === undefined) {
      if (flows.includes(kind)) tell(path, `is required by the flow "${kind}"`)
      continue
    }
    if (!flows.includes(kind)) tell(path, `has no effect unless flows contains "${kind}"`)
    const others = new Set(oauth.fields.map(({ name }) => name))
    const found = new Set(Object.keys(oauth.lookup?.values ?? {}))
    for (const { name } of grantValues(grant)) {
      if (others.has(name)) tell([...path, "fields"], `has the name ${name}, which is also a field of oauth`)
      if (found.has(name)) tell([...path, "fields"], `has the name ${name}, which is also a value of the lookup`)
    }
    checkFields(path, grant, tell)
    checkGrant(path, grant, oauth.tokenUrl, options, tell)
    // After the login, requests would go to the address from the response, or contain it.
    const shared = grant.kind === "token_request" ? undefined : grant.section.tokenUrl ?? oauth.tokenUrl
    if (found.has("base_url") && JSON.stringify([grant.section, shared]).includes(baseUrlPlace)) {
      tell(path, "cannot use {base_url}, which only the lookup provides")
    }
  }
}

/** Names that templates may use besides those of the fields. */
const reserved = new Set(["access_token", "assertion", "base_url", "scope", "token_url"])

const checkFields = (path: Path, grant: StoredGrant, tell: Tell): void => {
  const names = new Set<string>()
  const claim = (place: Path, name: string): void => {
    if (names.has(name)) tell(place, "is used twice")
    if (reserved.has(name)) tell(place, "is a reserved name")
    names.add(name)
  }
  for (const [index, field] of grant.section.fields.entries()) {
    const place = [...path, "fields", index]
    claim([...place, "name"], field.name)
    checkField(place, field, tell)
    if (field.kind === "private_key" && grant.kind !== "jwt_bearer") {
      tell([...place, "kind"], "is allowed only with the flow jwt_bearer")
    }
    for (const member of Object.keys(field.members ?? {})) claim([...place, "members", member], member)
  }
  if (!grantFields(grant).some(({ secret }) => secret)) tell([...path, "fields"], "has no secret field")
}

const checkField = (path: Path, { expected, kind, members, pattern, secret }: GrantField, tell: Tell): void => {
  checkPattern([...path, "pattern"], pattern, tell)
  if (pattern !== undefined && kind !== "text") {
    tell([...path, "pattern"], "is allowed only for fields of the kind text")
  }
  if (!secret && (kind === "private_key" || kind === "key_file")) {
    tell([...path, "secret"], `must be true for a ${kind}`)
  }
  if (kind === "key_file") {
    if (Object.keys(members ?? {}).length === 0) tell([...path, "members"], "is required for a key_file")
    for (const member of Object.keys(members ?? {})) {
      if (!/^[a-z][a-z0-9_]{0,63}$/.test(member)) tell([...path, "members", member], "must be a name in lower case")
    }
  } else if (members !== undefined) tell([...path, "members"], "is allowed only for fields of the kind key_file")
  else if (expected !== undefined) tell([...path, "expected"], "is allowed only for fields of the kind key_file")
}

const checkGrant = (
  path: Path,
  grant: StoredGrant,
  tokenUrl: string | undefined,
  options: HostOptions,
  tell: Tell
): void => {
  const values = grantValues(grant)
  // A private key only signs: no request carries it.
  const names = values.filter(({ kind }) => kind !== "private_key").map(({ name }) => name)
  const fields = new Set([...names, "scope", "base_url", "token_url"])
  if (grant.kind === "token_request") return checkRequest(path, grant.section, values, fields, options, tell)
  const { section } = grant
  checkUrl([...path, "token_url"], section.tokenUrl, values, options, tell)
  checkParameters([...path, "params"], section.params, fields, parametersOf[grant.kind], tell)
  const declared = grant.kind === "jwt_bearer" ? grant.section.request : undefined
  if ((section.tokenUrl ?? tokenUrl) === undefined && declared === undefined) {
    tell([...path, "token_url"], "is required without a token_url in oauth")
  }
  if (grant.kind !== "jwt_bearer") return
  const { claims, header, privateKey } = grant.section
  if (!values.some(({ kind, name }) => name === privateKey && kind === "private_key")) {
    tell([...path, "private_key"], "must name a field of the kind private_key, or a member of a key_file")
  }
  checkParameters([...path, "header"], header, fields, /^(?:alg|crit|typ)$/, tell)
  checkParameters([...path, "claims"], claims, fields, /^(?:exp|iat|jti)$/, tell)
  if (declared !== undefined) {
    checkRequest([...path, "request"], declared, values, new Set([...fields, "assertion"]), options, tell)
  }
}

const parametersOf = {
  client_credentials: /^(?:client_id|client_secret|grant_type|scope)$/,
  jwt_bearer: /^(?:assertion|grant_type|scope)$/
}

const checkParameters = (
  path: Path,
  parameters: Readonly<Record<string, string>>,
  fields: ReadonlySet<string>,
  own: RegExp,
  tell: Tell
): void => {
  for (const [name, value] of Object.entries(parameters)) {
    if (own.test(name)) tell([...path, name], "is set by the flow itself")
    checkTemplate([...path, name], value, fields, tell)
  }
}

/** Fields may be whole segments of the path. They never choose the host, and a URL must not carry a secret. */
const checkUrl = (
  path: Path,
  value: string | undefined,
  values: ReadonlyArray<GrantValue>,
  options: HostOptions,
  tell: Tell
): void => {
  if (value === undefined) return
  const allowed = new Set(
    values.filter(({ kind, required, secret }) => kind === "text" && required && !secret).map(({ name }) => name)
  )
  checkTemplate(path, value.startsWith(baseUrlPlace) ? value.slice(baseUrlPlace.length) : value, allowed, tell)
  checkEndpoint(path, value.replaceAll(/(?<=[^/]\/)\{[a-z][a-z0-9_]*\}(?=[/?]|$)/g, "x"), options, tell)
}

const checkRequest = (
  path: Path,
  request: DeclaredRequest,
  values: ReadonlyArray<GrantValue>,
  fields: ReadonlySet<string>,
  options: HostOptions,
  tell: Tell
): void => {
  const { basic, body, format, headers, method, url } = request
  checkUrl([...path, "url"], url, values, options, tell)
  checkHeaders([...path, "headers"], headers, fields, tell)
  if (basic !== undefined) {
    if (basic.username.includes(":")) tell([...path, "basic", "username"], "must not contain a colon")
    checkTemplate([...path, "basic", "username"], basic.username, fields, tell)
    checkTemplate([...path, "basic", "password"], basic.password, fields, tell)
    if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
      tell([...path, "basic"], "cannot be combined with a header Authorization")
    }
  }
  if (body === undefined) return
  if (method === "GET") tell([...path, "body"], "is allowed only with POST")
  if (format === "form") {
    for (const [name, value] of Object.entries(body)) {
      if (typeof value !== "string") tell([...path, "body", name], "must be a string, because the body is a form")
    }
  }
  checkBody([...path, "body"], body, fields, tell)
}

const checkBody = (path: Path, value: unknown, fields: ReadonlySet<string>, tell: Tell): void => {
  if (typeof value === "string") checkTemplate(path, value, fields, tell)
  else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) checkBody([...path, name], item, fields, tell)
  }
}
