/** Computes what a stored credential is bound to, besides its position in the store. */
import { type Placement, type ProviderDefinition, StoredGrantKind } from "../definition/Provider.ts"
import { sectionOf } from "../definition/ProviderFields.ts"
import { storedGrantOf, type StoredGrantSections } from "../definition/StoredGrants.ts"

const sorted = (record: Readonly<Record<string, string>>) =>
  Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]).toSorted()

/** The placements in URLs. Empty without any, so that fingerprints from before definitions had them stay valid. */
const urlPlaces = ({ pathTemplates = [], query = {} }: Partial<Placement>) =>
  pathTemplates.length === 0 && Object.keys(query).length === 0
    ? []
    : [Object.entries(query).toSorted(), pathTemplates.toSorted()]

/** The parts that decide where the stored credentials of a flow are sent and how they are used. Empty without such flows. */
const storedGrants = (sections: StoredGrantSections) =>
  StoredGrantKind.literals.flatMap((kind) => {
    const grant = storedGrantOf(sections, kind)
    if (grant === undefined) return []
    const { fields: _fields, scopes: _scopes, tokenLifetime: _tokenLifetime, ...request } = grant.section
    return [[kind, canonical(request)]]
  })

const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === "object" && value !== null
    ? Object.entries(value).toSorted(([left], [right]) => left < right ? -1 : 1).map(([name, item]) => [
      name,
      canonical(item)
    ])
    : value

const special = ({ awsSigv4, body = {}, hmac, issuedTokensOnly, messages }: Partial<Placement>) => [
  ...(awsSigv4 === undefined
    ? []
    : [{
      aws_sigv4: [
        Object.entries(awsSigv4.scopes).toSorted(),
        Object.entries(awsSigv4.signingNames).toSorted(),
        ...(awsSigv4.assumeRole === undefined ? [] : [Object.entries(awsSigv4.assumeRole).toSorted()])
      ]
    }]),
  ...(hmac === undefined ? [] : [{ hmac: canonical(hmac) }]),
  ...(Object.keys(body).length === 0 ? [] : [{ body: canonical(body) }]),
  ...(messages === undefined ? [] : [{ messages: canonical(messages) }]),
  ...(issuedTokensOnly === true ? [{ issued_tokens_only: true }] : [])
]

/**
 * The binding of a stored credential as canonical text: where the login happened, where tokens are refreshed, which
 * hosts receive the credential, where requests carry it, which requests credsvc itself sends, and what is shown of it. Hash it before
 * storing it.
 */
export const binding = (definition: ProviderDefinition, baseUrl?: string | null): string => {
  const oauth = definition.authType === "oauth2" ? definition.oauth : undefined
  const section = sectionOf(definition)
  const placement = (part: Partial<Placement>) => [
    part.headerName?.toLowerCase() ?? null,
    part.headerPrefix ?? null,
    part.queryParam ?? null,
    part.basic === undefined ? null : [part.basic.username, part.basic.password],
    sorted(part.headers ?? {}),
    ...urlPlaces(part),
    ...special(part)
  ]
  return JSON.stringify([
    "credsvc/binding/v1",
    definition.authType,
    [
      oauth?.issuer,
      oauth?.resource,
      oauth?.authorizationUrl,
      oauth?.tokenUrl,
      oauth?.revocationUrl,
      oauth?.deviceAuthorizationUrl,
      oauth?.deviceTokenUrl,
      oauth?.registrationUrl,
      ...(oauth?.refreshUrl === undefined ? [] : [oauth.refreshUrl])
    ].map((endpoint) => endpoint ?? null),
    definition.apiUrl ?? null,
    definition.hosts.toSorted(),
    section.baseUrl ?? null,
    baseUrl ?? null,
    placement(section),
    Object.entries(section.perHost).toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([host, part]) => [host, placement(part)]),
    // A header without a credential can select the account or the version of the API that a request is for.
    sorted(definition.extraHeaders),
    // Absent without a lookup, for the same reason as `urlPlaces`. The values decide which account and which host gets a request.
    ...(oauth?.lookup === undefined ? [] : [[oauth.lookup.url, Object.entries(oauth.lookup.values).toSorted()]]),
    ...storedGrants(oauth ?? {}),
    ...(definition.regions.length === 0
      ? []
      : [{
        regions: definition.regions.map(({ authorizationUrl = null, baseUrl, hosts, revocationUrl = null }) => [
          baseUrl,
          hosts.toSorted(),
          ...(authorizationUrl ?? revocationUrl) === null ? [] : [authorizationUrl, revocationUrl]
        ])
      }]),
    ...(definition.issuesTokens.length === 0 ? [] : [{ issues_tokens: canonical(definition.issuesTokens) }]),
    // Lists and messages show the values from these places, except for the tokens.
    ...(Object.keys(oauth?.tokenResponse ?? {}).length === 0
      ? []
      : [{ token_response: canonical(oauth?.tokenResponse) }]),
    // The requests that credsvc itself sends. Another definition must not change what they ask for or do.
    ...(definition.testRequest === undefined ? [] : [{ test_request: canonical(definition.testRequest) }]),
    ...(Object.keys(oauth?.tokenParams ?? {}).length === 0 ? [] : [{ token_params: canonical(oauth?.tokenParams) }]),
    ...(Object.keys(oauth?.tokenParamNames ?? {}).length === 0
      ? []
      : [{ token_param_names: canonical(oauth?.tokenParamNames) }]),
    ...(oauth?.refreshParams === undefined ? [] : [{ refresh_params: canonical(oauth.refreshParams) }]),
    // A program learns which of these a key begins or ends with. Another definition must not reveal more.
    ...(Object.keys(definition.placeholderByPrefix).length === 0
      ? []
      : [{ prefixes: Object.keys(definition.placeholderByPrefix).toSorted() }])
  ])
}
