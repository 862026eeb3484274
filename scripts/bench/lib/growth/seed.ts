/** Fills a home that no daemon uses: `node seed.ts <home> <connections> <audit entries> <requests>`. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog } from "../../../../src/audit/AuditLog.ts"
import { RequestLog } from "../../../../src/audit/RequestLog.ts"
import { ConnectionRepo } from "../../../../src/connections/ConnectionRepo.ts"
import { contentOfLogin } from "../../../../src/connections/NewConnection.ts"
import type { ConnectionName } from "../../../../src/domain/wire/Connection.ts"
import { readReport, type ReportedRequest } from "../../../../src/domain/wire/RequestReport.ts"
import { RunName } from "../../../../src/domain/wire/Run.ts"
import { Profiles } from "../../../../src/profiles/Profiles.ts"
import { fingerprint } from "../../../../src/providers/Fingerprint.ts"
import { ProviderRegistry } from "../../../../src/providers/ProviderRegistry.ts"
import { StoreManifest } from "../../../../src/vault/manifest/StoreManifest.ts"
import { services } from "../../../../test/support/Services.ts"
import { redacted } from "../../../../test/support/StoredConnections.ts"

const [home = "", connections = "", entries = "", requests = ""] = process.argv.slice(2)
const perBatch = 100
/** How many connections the stores of all sizes have in common, and how many of these belong to the first provider. */
const common = 100
const ofFirst = 5
const day = 86_400_000

const fill = Effect.gen(function*() {
  const audit = yield* AuditLog
  const log = yield* RequestLog
  const manifest = yield* StoreManifest
  const profile = yield* (yield* Profiles).active
  const now = (yield* DateTime.now).epochMilliseconds
  const all = yield* (yield* ProviderRegistry).list
  const providers = all.filter(({ definition }) =>
    definition.authType === "api_key" && definition.flow === "api_key" && definition.apiKey.baseUrl === undefined
  ).toSorted((one, other) => Number(other.name === "openai") - Number(one.name === "openai"))
  // Stores of all sizes have the same providers, and as many connections to the first one, so that responses have equal sizes.
  const [first, ...others] = providers.slice(0, common - ofFirst + 1)
  const places = Array.from({ length: Number(connections) }, (_, at) => {
    const known = at < ofFirst ? first! : others[(at - ofFirst) % others.length]!
    const isDefault = at === 0 || (at >= ofFirst && at < common)
    return { known, provider: known.name, name: (isDefault ? "default" : `account-${at}`) as ConnectionName }
  })
  const moment = yield* DateTime.now
  const repo = yield* ConnectionRepo
  yield* manifest.transact(Effect.forEach(places, ({ known, ...place }) => {
    const { definition, name } = known
    const login = {
      provider: name,
      connection: place.name,
      flow: definition.flow,
      baseUrl: null,
      definitionFp: fingerprint(definition, null),
      values: redacted({ api_key: "sk-bench-0123456789" })
    }
    return Effect.all([
      repo.insert({ profile, ...place }, contentOfLogin(login, known, moment, undefined)),
      place.name === "default" ? repo.setDefault({ profile, ...place }) : Effect.void,
      audit.append({ event: "login", provider: name, connection: place.name, identity: profile, status: "ok" })
    ])
  }, { discard: true }))
  const uses = Number(entries) - places.length
  yield* manifest.transact(Effect.forEach(
    Array.from({ length: uses }),
    (_, at) =>
      audit.append({
        provider: places[at % places.length]!.provider,
        connection: places[at % places.length]!.name,
        event: "resolve",
        identity: profile,
        status: "ok"
      }),
    { discard: true }
  ))
  const batches = Number(requests) / perBatch
  yield* Effect.forEach(
    Array.from({ length: batches }),
    (_, batch) => {
      const place = places[batch % common]!
      const report = Array.from({ length: perBatch }, (_, at): ReportedRequest => [
        Math.round(now - 20 * day * (1 - (batch * perBatch + at) / Number(requests))),
        "POST",
        "api.bench.test",
        `/v1/things/${at}`,
        at % 50 === 0 ? 429 : 200,
        900,
        4200,
        place.provider,
        place.name,
        null,
        null
      ])
      const run = RunName.make((batch % 200 + 0x1000000000).toString(16))
      const sent = { part: 2 * batch + 2, last: batch + 200 >= batches, missing: 0, entries: report }
      return log.record({ run, profile, report: readReport(Buffer.from(JSON.stringify(sent))) })
    },
    { concurrency: 500, discard: true }
  )
}).pipe(Effect.provide(Layer.provideMerge(RequestLog.layerNoDeps, services(home))), Effect.scoped)

await Effect.runPromise(fill)
