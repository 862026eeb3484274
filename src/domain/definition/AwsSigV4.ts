/**
 * The placement of AWS Signature Version 4: requests are signed with a key pair, and the secret is not sent. A signature
 * is valid for one credential scope, which must belong to the host that the request goes to.
 */
import * as Schema from "effect/Schema"
import { named, struct, wire, withDefault } from "../wire/Wire.ts"

const Names = Schema.Union([Schema.String, Schema.NonEmptyArray(Schema.String).check(Schema.isMaxLength(16))]).pipe(
  named("OneOrMoreNames", "A name, or a list of names")
)

export const AwsSigV4 = wire("AwsSigV4", "How requests are signed with AWS Signature Version 4", {
  scopes: [
    withDefault(Schema.Record(Schema.String, Names), {}),
    "Maps an entry of `hosts` to its credential scope, or to several, in the form region/service. {region} and " +
    "{service} stand for the labels with these names in the entry, and * for any region. The default is {region}/{service}"
  ],
  signingNames: [
    withDefault(Schema.Record(Schema.String, Names), {}),
    "Maps the label at {service} to the name of the service, or to several names. The default is the label itself"
  ],
  assumeRole: [
    Schema.optionalKey(Schema.Record(Schema.String, Schema.String.check(Schema.isMaxLength(253)))),
    "For the flow assume_role: the host of the Security Token Service for each AWS partition, such as " +
    "sts.{region}.amazonaws.com for aws"
  ]
})
export type AwsSigV4 = typeof AwsSigV4.Type

/** The fields of a key pair. The session token of temporary credentials is optional. */
export const keyPairFields = {
  accessKeyId: "access_key_id",
  secretAccessKey: "secret_access_key",
  sessionToken: "session_token"
} as const

const scopePart = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, { expected: "the name of a region or a service" })
)

export const CredentialScope = struct("CredentialScope", "The region and the service that a signature is valid for", {
  region: [scopePart, "The region, such as eu-central-1"],
  service: [scopePart, "The service, such as s3"]
})
export type CredentialScope = typeof CredentialScope.Type

const listed = (names: typeof Names.Type | undefined): ReadonlyArray<string> =>
  names === undefined ? [] : typeof names === "string" ? [names] : names

const labelsOf = (host: string): ReadonlyArray<string> => host.replace(/[:/].*$/s, "").split(".")

/** Whether the entry has a label of this name. */
export const hasPlace = (entry: string, name: "region" | "service"): boolean => labelsOf(entry).includes(`{${name}}`)

/** Returns the templates of the scopes for which requests to hosts of an entry may be signed. */
export const scopeTemplates = ({ scopes }: AwsSigV4, entry: string): ReadonlyArray<string> =>
  Object.hasOwn(scopes, entry) ? listed(scopes[entry]) : ["{region}/{service}"]

/** Returns the scopes for which a request to a host of the entry may be signed; `*` is any region. */
export const allowedScopes = (signing: AwsSigV4, entry: string, host: string): ReadonlyArray<CredentialScope> => {
  const labels = labelsOf(host)
  const labelAt = (place: string) => labels[labelsOf(entry).indexOf(place)] ?? ""
  return scopeTemplates(signing, entry).flatMap((template) => {
    const [region = "", service = ""] = template.split("/")
    const endpoint = labelAt("{service}").replace(/-fips$/, "")
    const services = service !== "{service}"
      ? [service]
      : Object.hasOwn(signing.signingNames, endpoint)
      ? listed(signing.signingNames[endpoint])
      : [endpoint]
    return services.map((name) => ({ region: region === "{region}" ? labelAt("{region}") : region, service: name }))
  })
}

/** Whether a request to the host may be signed for the scope. */
export const allowsScope = (signing: AwsSigV4, entry: string, host: string, scope: CredentialScope): boolean =>
  allowedScopes(signing, entry, host).some(({ region, service }) =>
    service === scope.service && (region === "*" || region === scope.region)
  )

/** Returns the scope for requests that name no scope, or undefined if the host does not determine the region. */
export const scopeOf = (signing: AwsSigV4, entry: string, host: string): CredentialScope | undefined =>
  allowedScopes(signing, entry, host).find(({ region }) => region !== "*")
