/**
 * Compares keys found in an environment with the vault, and imports them.
 *
 * A comparison can confirm a guess, so the number of values is limited, and the comparison is audited like an export
 * before the result is returned. A caller allowed to compare may also export, so the comparison reveals nothing more.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { AuditLog } from "../../audit/AuditLog.ts"
import type { ProviderDefinition, ProviderName } from "../../domain/definition/Provider.ts"
import { exportNames } from "../../domain/definition/ProviderFields.ts"
import { resolveBaseUrl } from "../../domain/definition/ProviderHosts.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { connectionFlag, loginCommand } from "../../domain/text/LoginCommand.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import {
  type FoundValue,
  maxDistinctValues,
  type ScanImport,
  type ScanRequest,
  type ScanRow,
  type ScanSkip
} from "../../domain/wire/Scan.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { baseUrlOfKey, checkCredential } from "../../providers/KeyCheck.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { ConnectionRepo } from "../ConnectionRepo.ts"
import { Connections } from "../Connections.ts"
import { addressOf, type Digest, findKeys, type FoundKey, keyFields, makeDigest } from "./FoundKeys.ts"

interface StoredKey {
  readonly connection: ConnectionName
  readonly digests: Readonly<Record<string, string>>
}

type StoredKeys = ReadonlyMap<string, ReadonlyArray<StoredKey>>

interface Findings {
  readonly definitions: ReadonlyArray<ProviderDefinition>
  readonly isBundled: (definition: ProviderDefinition) => boolean
  readonly keys: ReadonlyArray<FoundKey>
  readonly stored: StoredKeys
}

const vaultSource = "vault"

const refuseGuessing = (values: ReadonlyArray<FoundValue>, digest: Digest) => {
  const guessed = [...Map.groupBy(values, ({ variable }) => variable)]
    .find(([, given]) => new Set(given.map(({ value }) => digest(value))).size > maxDistinctValues)
  const message = `too many different values of ${guessed?.[0]}: expected at most ${maxDistinctValues}`
  return guessed === undefined ? Effect.void : Effect.fail(InvalidRequestError.at("/values", message))
}

const rowsOf = (
  definitions: ReadonlyArray<ProviderDefinition>,
  keys: ReadonlyArray<FoundKey>,
  stored: StoredKeys
): ReadonlyArray<ScanRow> =>
  definitions.flatMap((definition): ReadonlyArray<ScanRow> => {
    const provider = definition.name
    const connections = stored.get(provider)
    const own = keys.filter((key) => key.definition === definition)
    const found = own.map(({ digest, field, source, variable }): ScanRow => {
      const state = connections?.some(({ digests }) => digests[field] === digest) === true ? "match" : "drift"
      return { provider, variable, source, state: connections === undefined ? "env_only" : state }
    })
    const missing = connections === undefined ?
      [] :
      exportNames(definition).filter(({ field, primary, secret }) =>
        primary && secret && !own.some((key) => key.field === field) &&
        connections.some(({ digests }) => Object.hasOwn(digests, field))
      )
    return [
      ...found,
      ...missing.map(({ variable }): ScanRow => ({ provider, variable, source: vaultSource, state: "vault_only" }))
    ]
  })

/** Finds complete keys within each source, because fields from different sources may not belong together. */
const completeKeys = (definition: ProviderDefinition, keys: ReadonlyArray<FoundKey>) =>
  [...Map.groupBy(keys, ({ source }) => source).values()].flatMap((own) => {
    const parts = keyFields(definition).flatMap(({ name, required }) => {
      const part = own.find(({ field }) => field === name)
      return part === undefined && !required ? [] : [part]
    })
    return parts.every((part) => part !== undefined) ? [parts] : []
  })

const missingParts = (definition: ProviderDefinition, keys: ReadonlyArray<FoundKey>): string => {
  const source = keys[0]!.source
  const there = new Set(keys.filter((key) => key.source === source).map(({ field }) => field))
  const absent = exportNames(definition).filter(({ field, primary }) =>
    primary && !there.has(field) && keyFields(definition).some(({ name, required }) => required && name === field)
  ).map(({ variable }) => variable)
  const place = source === "environment" ? "the environment" : source
  return `${absent.join(" and ")} ${absent.length === 1 ? "is" : "are"} not in ${place}`
}

const unnamedReason = (provider: string, keys: ReadonlyArray<FoundKey>, connection: ConnectionName): string => {
  const variables = [...new Set(keys.map(({ variable }) => variable))].join(" and ")
  return `a custom provider gets ${variables} only if you name the provider; ` +
    `import with: credsvc scan --import --provider ${provider}${connectionFlag(connection)}`
}

/** Decides what to import for a provider, or why nothing is imported. */
const planImport = (
  definition: ProviderDefinition,
  keys: ReadonlyArray<FoundKey>,
  stored: ReadonlyArray<StoredKey> | undefined,
  { connection = defaultConnectionName, values }: ScanRequest
) =>
  Result.gen(function*() {
    const isStored = stored?.some((each) => each.connection === connection) === true
    const login = loginCommand(definition.name, connection, isStored)
    if (definition.authType === "oauth2") {
      return yield* Result.fail(`a bare token cannot be refreshed; log in with: ${login}`)
    }
    const rivals = [...new Set(keys.flatMap(({ rivals }) => rivals))]
    if (rivals.length > 0) {
      return yield* Result.fail(`${keys[0]!.variable} may also belong to ${rivals.join(" or ")}; log in with: ${login}`)
    }
    const complete = completeKeys(definition, keys)
    const [parts] = complete
    if (parts === undefined) return yield* Result.fail(missingParts(definition, keys))
    const differing = complete.find((other) => other.some(({ digest }, index) => digest !== parts[index]!.digest))
    if (differing !== undefined) {
      const sources = `${parts[0]!.source} and ${differing[0]!.source}`
      return yield* Result.fail(
        `${parts[0]!.variable} differs between ${sources}; log in with the correct value: ${login}`
      )
    }
    const same = stored?.find(({ digests }) => parts.every(({ digest, field }) => digests[field] === digest))
    if (same !== undefined) return yield* Result.fail(`already stored as "${same.connection}"`)
    if (isStored) return yield* Result.fail(`"${connection}" has a different key; replace it with: ${login}`)
    const checked = yield* Result.mapError(
      checkCredential(definition, Object.fromEntries(parts.map(({ field, value }) => [field, value]))),
      (problems) => problems.map(({ message }) => message).join("; ")
    )
    const baseUrl = yield* resolveBaseUrl(definition, addressOf(definition, parts[0]!.source, values))
    return { parts, values: checked, baseUrl: baseUrl ?? baseUrlOfKey(definition, checked) }
  })

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const repo = yield* ConnectionRepo
  const connections = yield* Connections
  const registry = yield* ProviderRegistry
  const manifest = yield* StoreManifest

  const storedKeys = Effect.fnUntraced(
    function*(profile: ProfileHandle, wanted: ConnectionName | undefined, digest: Digest) {
      const rows = (yield* repo.list(profile)).filter(({ row }) => wanted === undefined || row.name === wanted)
      const keys = yield* Effect.forEach(rows, (stored) =>
        Effect.map(repo.openSecrets(stored), ({ values }) => ({
          provider: stored.row.provider,
          connection: stored.row.name,
          digests: Object.fromEntries(Object.entries(values).map(([field, value]) => [field, digest(value)]))
        })))
      return Map.groupBy(keys, ({ provider }) => provider)
    }
  )

  const importKeys = Effect.fnUntraced(
    function*(
      profile: ProfileHandle,
      request: ScanRequest,
      { definitions, isBundled, keys, stored }: Findings
    ) {
      const { connection = defaultConnectionName, providers: named = [] } = request
      const imported: Array<ScanImport> = []
      const skipped: Array<ScanSkip> = []
      for (const definition of definitions) {
        const provider = definition.name
        const own = keys.filter((key) => key.definition === definition)
        if (own.length === 0) continue
        const plan = planImport(definition, own, stored.get(provider), request)
        if (Result.isFailure(plan)) {
          skipped.push({ provider, reason: plan.failure })
          continue
        }
        // The author of a custom definition chooses its variables, so it could claim another service's secret.
        if (!isBundled(definition) && !named.includes(provider)) {
          skipped.push({ provider, reason: unnamedReason(provider, own, connection) })
          continue
        }
        const { baseUrl, parts } = plan.success
        const saved = yield* Effect.result(connections.save(profile, {
          provider,
          connection,
          flow: "api_key",
          baseUrl,
          definitionFp: fingerprint(definition, baseUrl),
          values: plan.success.values
        }, { force: false }))
        if (Result.isSuccess(saved)) {
          imported.push(...parts.map(({ variable }) => ({ provider, connection, variable })))
        } else if (saved.failure._tag === "VaultUnavailableError") return yield* saved.failure
        else skipped.push({ provider, reason: saved.failure.message })
      }
      return { imported, skipped }
    }
  )

  /**
   * Compares the values with the vault. With `import`, stores each key that is complete in one source and unambiguous.
   * Never replaces a connection; custom providers must be named explicitly.
   */
  const report = Effect.fn("EnvironmentScan.report")(function*(profile: ProfileHandle, request: ScanRequest) {
    yield* manifest.verified("rows")
    const digest = makeDigest()
    yield* refuseGuessing(request.values, digest)
    const providers = (yield* registry.list).toSorted((a, b) => a.name < b.name ? -1 : 1)
    const shipped = new Set(providers.flatMap(({ definition, source }) => source === "bundled" ? [definition] : []))
    const isBundled = (definition: ProviderDefinition) => shipped.has(definition)
    const all = providers.map(({ definition }) => definition)
    const named = request.providers
    for (const name of named ?? []) yield* registry.get(name)
    const isWanted = (name: ProviderName) => named === undefined || named.includes(name)
    const definitions = all.filter(({ name }) => isWanted(name))
    const stored = yield* storedKeys(profile, request.connection, digest)
    // The attribution of a value must not depend on which providers were requested.
    const isStored = (provider: ProviderName, field: string, digest: string) =>
      stored.get(provider)?.some(({ digests }) => digests[field] === digest) === true
    const found = findKeys(request.values, all, { digest, isBundled, isStored })
    const keys = found.keys.filter(({ definition }) => isWanted(definition.name))
    const misfits = found.misfits.filter(({ provider }) => isWanted(provider))
    for (const { name } of definitions) {
      if (!stored.has(name) || !keys.some(({ definition }) => definition.name === name)) continue
      yield* audit.append({
        event: "scan",
        provider: name,
        connection: request.connection ?? null,
        identity: profile,
        status: "ok"
      })
    }
    const rows = rowsOf(definitions, keys, stored)
    if (request.import !== true) return { rows, imported: [], skipped: misfits }
    const { imported, skipped } = yield* importKeys(profile, request, { definitions, isBundled, keys, stored })
    return { rows, imported, skipped: [...misfits, ...skipped] }
  })

  return { report }
})

export class EnvironmentScan
  extends Context.Service<EnvironmentScan, Effect.Success<typeof make>>()("credsvc/connections/EnvironmentScan")
{
  static readonly layerNoDeps = Layer.effect(EnvironmentScan, make)
}
