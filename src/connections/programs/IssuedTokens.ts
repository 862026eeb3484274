/**
 * Tokens that an API issues to a program in a run. The program gets phantoms that contain the token, sealed for the run, the login and the
 * definition, so the daemon keeps nothing, and phantoms are worthless elsewhere.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { sectionAt } from "../../domain/injection/IssuedTokens.ts"
import { opaquePhantom } from "../../domain/injection/Phantom.ts"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { ProgramLoginRequest, ProgramMessage } from "../../domain/wire/ProgramLogin.ts"
import type { Placements } from "../../domain/wire/Resolve.ts"
import { MIN_SECRET_LENGTH } from "../../http/scrub/SecretSpellings.ts"
import { pointed, setPointed } from "../../platform/JsonPointer.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { Vault } from "../../vault/Vault.ts"
import { ConnectionRepo, loginOf, type StoredConnection } from "../ConnectionRepo.ts"
import { jsonReply } from "./LoginMessages.ts"

/** Visible ASCII characters, for which a header field of a request has room. */
const TOKEN = new RegExp(`^[\\x21-\\x7e]{${MIN_SECRET_LENGTH},8192}$`)

const refused = (message: string) => OperationNotAllowedError.of(message)

/** The run, connection and definition that a token is sealed for. */
export interface Holder {
  readonly definition: ProviderDefinition
  readonly run: string | undefined
  readonly stored: StoredConnection
}

const identityOf = ({ definition, run = "", stored }: Holder) => ({
  profile: stored.row.profile,
  provider: stored.row.provider,
  connection: stored.row.name,
  field: `issued ${run} ${loginOf(stored) ?? ""}`,
  recordId: stored.row.record_id,
  generation: 0,
  definitionFp: fingerprint(definition, stored.metadata.baseUrl)
})

export const makeIssuedTokens = Effect.gen(function*() {
  const manifest = yield* StoreManifest
  const registry = yield* ProviderRegistry
  const repo = yield* ConnectionRepo
  const vault = yield* Vault

  /**
   * The response to a request with the credential of a connection, with phantoms in place of the tokens that the API issues, and these
   * tokens. The proxy replaces them in other places, and everywhere the values of the connection itself, which a program that looks up
   * its token may get.
   */
  const replaced = Effect.fnUntraced(function*(
    profile: ProfileHandle,
    { connection, run }: { readonly connection: ConnectionName; readonly run: string | undefined },
    given: ProgramLoginRequest,
    response: ProgramMessage
  ) {
    const { host, provider } = given
    const unreadable = (what: string) =>
      refused(`${host} may have issued a token ${what}, so the response is not passed on.`)
    const { definition } = yield* registry.get(provider)
    const stored = yield* repo.findUsable({ profile, provider, name: connection })
    if (stored === undefined) return yield* refused(`The connection "${connection}" of ${provider} was removed.`)
    const at = sectionAt(definition, given, stored.metadata.baseUrl)
    const section = definition.issuesTokens[at]
    if (section === undefined || section.login !== undefined) {
      return yield* refused(`The definition of ${provider} declares no token at that path of ${host}.`)
    }
    const content = parseStrictJson(Redacted.value(response.content))
    if (Result.isFailure(content)) return yield* unreadable("in content that is not JSON")
    const document = content.success as Record<string, unknown>
    const { values } = yield* repo.openSecrets(stored)
    const known = new Set<unknown>(["", ...Object.values(values).map(Redacted.value)])
    const found: Array<readonly [pointer: string, token: string]> = []
    for (const pointer of section.tokens) {
      const token = pointed(document, pointer) ?? ""
      if (known.has(token)) continue
      if (typeof token !== "string" || !TOKEN.test(token)) {
        return yield* unreadable(`that is not a text of ${MIN_SECRET_LENGTH} to 8192 visible ASCII characters`)
      }
      found.push([pointer, token])
    }
    const identity = identityOf({ definition, run, stored })
    const name = { role: "issued_token" as const, provider, connection, login: loginOf(stored) }
    const replacing = Effect.forEach(
      found,
      ([pointer, token]) =>
        Effect.map(vault.seal(identity, Redacted.make(`${at} ${token}`)), (box) => {
          const sealed = Buffer.from(box).toString("base64url")
          setPointed(document, pointer, opaquePhantom(section.placeholder, { ...name, sealed }))
        })
    )
    if (found.length > 0) yield* manifest.transact(replacing)
    return { ...jsonReply(document), secrets: found.map(([, token]) => token) }
  })

  /** How a request carries an issued token in place of the credential. */
  const placed = Effect.fnUntraced(
    function*(holder: Holder, sealed: string, entry: string | undefined, host: string, placements: Placements) {
      const { definition } = holder
      const opened = yield* Effect.mapError(
        vault.open(identityOf(holder), Buffer.from(sealed, "base64url")),
        () =>
          refused(
            `This run has no token of ${definition.name} for the placeholder in the request: a token that an API issues can be ` +
              "used only in the run that requested it, and with the login that requested it. Request another one."
          )
      )
      const [, at = "", token = ""] = /^(\d+) (.*)$/.exec(Redacted.value(opened)) ?? []
      const { useHeaders, useHosts } = definition.issuesTokens[Number(at)]!
      if (useHosts.length > 0 && !useHosts.includes(entry ?? "")) {
        return yield* refused(`A token that ${definition.name} has issued must not be sent to this path of ${host}.`)
      }
      const names = new Set(Object.keys(useHeaders).map((name) => name.toLowerCase()))
      const own = Object.entries(placements.headers).filter(([name]) => !names.has(name.toLowerCase()))
      const set = Object.entries(useHeaders).map(([name, template]) =>
        [name, Redacted.make(template.replaceAll("{token}", () => token))] as const
      )
      return {
        ...placements,
        headers: Object.fromEntries([...own, ...set]),
        secrets: [...placements.secrets, Redacted.make(token)]
      }
    }
  )

  return { placed, replaced }
})
export type IssuedTokens = Effect.Success<typeof makeIssuedTokens>
