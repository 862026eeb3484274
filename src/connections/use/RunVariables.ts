/**
 * The environment variables of a run for the connections of a profile: placeholders of their fields, base URLs and cloud identities.
 * `run/ProxyEnvironment` sets them.
 */
import * as Effect from "effect/Effect"
import { exportNames, mainField, optionalFields } from "../../domain/definition/ProviderFields.ts"
import { apiUrlOf, baseUrlsOf, regionAt } from "../../domain/definition/ProviderHosts.ts"
import { declaresLogin } from "../../domain/injection/Capture.ts"
import { connectionPlaceholder, opaquePhantom, variableFor } from "../../domain/injection/Placeholder.ts"
import { exactPlaceholders, placeholderFor } from "../../domain/injection/Placement.ts"
import type { Connection, ConnectionName } from "../../domain/wire/Connection.ts"
import type { ProxyPlaceholder, ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import { type ConnectionRepo, loginOf, type StoredConnection } from "../ConnectionRepo.ts"

/** A connection that a profile may use, with the definition in force. */
export interface RoutedRow {
  readonly stored: StoredConnection
  readonly provider: Provider | undefined
  readonly isDefault: boolean
  readonly isUsable: boolean
  /** The public form, cached by `Connections.list`. Unset if the status changes with time. */
  described?: Connection
}

/** The properties of a connection that determine its placeholders, besides its definition. */
interface Stored {
  /** The value that replaces the placeholder of the main field. */
  readonly main?: string
  /** The optional fields that have no value. */
  readonly absent?: ReadonlySet<string>
}

const placeholdersOf = (
  { definition }: Provider,
  stored: StoredConnection,
  { absent, main }: Stored
): ReadonlyArray<ProxyPlaceholder> => {
  const { metadata, row: { name, provider } } = stored
  const plain: Readonly<Record<string, string | null>> = {
    ...metadata.plainFields,
    base_url: metadata.baseUrl,
    api_url: apiUrlOf(definition, metadata.baseUrl),
    region: regionAt(definition, metadata.baseUrl)?.name ?? null
  }
  // A client must call the chosen region. Without a chosen region, it calls its default region.
  const regional = metadata.baseUrl === null ? [] : baseUrlsOf(definition, metadata.baseUrl)
    .filter(([variable]) => definition.export.baseUrls[variable]!.startsWith("{"))
    .map(([variable, value]) => ({ provider: definition.name, variable, value }))
  // The placeholder of a program's login names its connection, because other connections may come first.
  const phantom = (placeholder: string): string =>
    declaresLogin(definition)
      ? opaquePhantom(placeholder, { role: "access_token", provider, connection: name, login: loginOf(stored) })
      : placeholder
  return exportNames(definition).flatMap(({ field, placeholder, secret, variable }) => {
    if (absent?.has(field) === true) return []
    const value = secret
      ? (field === mainField(definition) ? main : undefined) ?? (placeholder && phantom(placeholder))
      : placeholder ?? (Object.hasOwn(plain, field) ? plain[field] : undefined)
    if (value === undefined || value === null) return []
    const isExact = exactPlaceholders(definition).includes(value)
    return [{ provider: definition.name, variable, value, ...(isExact ? { exact: true as const } : {}) }]
  }).concat(regional)
}

/** The placeholder variable with which a request chooses a connection other than the default. */
const variableOfConnection = (
  { provider, value, variable }: ProxyPlaceholder,
  connection: ConnectionName
): ReadonlyArray<ProxyPlaceholder> => {
  const placeholder = connectionPlaceholder(value, connection)
  return placeholder === undefined
    ? []
    : [{ provider, connection, own: true, variable: variableFor(variable, connection), value: placeholder }]
}

/** The cloud identities of a connection. `isLater`: the connection is not the first of its provider. */
const identitiesOf = (
  { definition: { export: { cloudIdentity = {} }, name: provider } }: Provider,
  { metadata: { account }, row: { name } }: StoredConnection,
  isLater: boolean
): ReadonlyArray<ProxyPlaceholder> => {
  const email = [account.label, account.id].find((text) => text?.includes("@")) ?? ""
  return [
    ...(cloudIdentity.google === true
      ? [{ provider, ...(isLater ? { connection: name } : {}), variable: "GCE_METADATA_HOST", value: email }]
      : []),
    ...(isLater ? [] : cloudIdentity.azure ?? []).map((value) => ({ provider, variable: "IDENTITY_ENDPOINT", value }))
  ]
}

/** The maximum number of connections of a provider that get variables of their own: the size of an environment is limited. */
const maxChosen = 10

/** The variables of each provider's default connection, and separate variables of its other connections. */
const combined = (
  rows: ReadonlyArray<RoutedRow & { readonly values: Stored }>
): Omit<ProxyRoutes, "routes" | "version"> => {
  const placeholders = new Map<string, ProxyPlaceholder>()
  const otherValues: Array<ProxyPlaceholder> = []
  const ofConnections = new Map<string, ProxyPlaceholder>()
  const counts = new Map<Provider, number>()
  const baseUrls = new Map<string, ProxyPlaceholder>()
  const cloudIdentities: Array<ProxyPlaceholder> = []
  const rank = ({ isDefault, provider }: RoutedRow) =>
    Number(isDefault) - 2 * Number(provider !== undefined && declaresLogin(provider.definition))
  for (const { isDefault, isUsable, provider, stored, values } of rows.toSorted((a, b) => rank(b) - rank(a))) {
    if (!isUsable || provider === undefined) continue
    const count = counts.get(provider) ?? 0
    const isFirst = count === 0
    counts.set(provider, count + 1)
    for (const placeholder of placeholdersOf(provider, stored, values)) {
      const [chosen] = isDefault || count > maxChosen ? [] : variableOfConnection(placeholder, stored.row.name)
      if (chosen !== undefined && !ofConnections.has(chosen.variable)) ofConnections.set(chosen.variable, chosen)
      const usual = placeholders.get(placeholder.variable)
      if (usual === undefined && isFirst) placeholders.set(placeholder.variable, placeholder)
      else if (
        (usual?.provider ?? placeholder.provider) === placeholder.provider && usual?.value !== placeholder.value
      ) {
        otherValues.push({ ...placeholder, connection: stored.row.name })
      }
    }
    cloudIdentities.push(...identitiesOf(provider, stored, !isFirst))
    const { definition } = provider
    for (const [variable, value] of baseUrlsOf(definition, stored.metadata.baseUrl)) {
      if (!baseUrls.has(variable)) baseUrls.set(variable, { provider: definition.name, variable, value })
    }
  }
  const free = [...ofConnections.values()].filter(({ variable }) => !placeholders.has(variable))
  return {
    placeholders: [...placeholders.values(), ...otherValues, ...free],
    baseUrls: [...baseUrls.values()],
    cloudIdentities
  }
}

type OpenSecrets = ConnectionRepo["Service"]["openSecrets"]

/** Opens the secrets of a connection only if its placeholders depend on them. */
const storedOf = ({ isUsable, provider, stored }: RoutedRow, openSecrets: OpenSecrets) => {
  if (!isUsable || provider === undefined) return Effect.succeed({})
  const { definition } = provider
  const optional = optionalFields(definition)
  const isByPrefix = Object.keys(definition.placeholderByPrefix).length > 0
  return !isByPrefix && optional.length === 0
    ? Effect.succeed({})
    : Effect.map(openSecrets(stored), ({ values }): Stored => ({
      ...(isByPrefix ? { main: placeholderFor(definition, values) } : {}),
      absent: new Set(optional.filter((name) => !Object.hasOwn(values, name)))
    }))
}

/** Returns the variables of a run that may use these connections. */
export const runVariables = (rows: ReadonlyArray<RoutedRow>, openSecrets: OpenSecrets) =>
  Effect.map(
    Effect.forEach(rows, (row) => Effect.map(storedOf(row, openSecrets), (values) => ({ ...row, values }))),
    combined
  )
