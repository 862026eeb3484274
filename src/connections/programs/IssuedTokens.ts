/**
 * Tokens that an API issues to a program in a run. The program gets phantoms that contain the token, sealed for the run, the login and the
 * definition, so the daemon keeps nothing, and phantoms are worthless elsewhere.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { tokenSectionAt } from "../../domain/injection/IssuedTokens.ts"
import { opaquePhantom } from "../../domain/injection/Phantom.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import type { ProgramLoginRequest, ProgramMessage } from "../../domain/wire/ProgramLogin.ts"
import type { Placements } from "../../domain/wire/Resolve.ts"
import { MIN_SECRET_LENGTH } from "../../http/scrub/SecretSpellings.ts"
import { pointed, setPointed } from "../../platform/JsonPointer.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { Vault } from "../../vault/Vault.ts"
import { loginOf, type StoredConnection } from "../ConnectionRepo.ts"

/** A header field of a request must have room for its phantom. */
const MAX_TOKEN = 8192

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
  const vault = yield* Vault

  /**
   * The document of a response with phantoms in place of its tokens, and the tokens. The proxy replaces them in other
   * places, and everywhere the values of the connection itself, which a program that looks up its token may get.
   */
  const replaced = Effect.fnUntraced(
    function*(holder: Holder, own: FieldValues, given: ProgramLoginRequest, response: ProgramMessage) {
      const { definition, stored } = holder
      const { name: connection, provider } = stored.row
      const unreadable = (what: string) =>
        refused(`${given.host} may have issued a token ${what}, so the response is not passed on.`)
      const at = tokenSectionAt(definition, given, stored.metadata.baseUrl)
      if (at === -1) {
        return yield* refused(`The definition of ${provider} declares no token at that path of ${given.host}.`)
      }
      const { placeholder, tokens: pointers } = definition.issuesTokens[at]!
      const content = parseStrictJson(Redacted.value(response.content).replace(/^\ufeff/, ""))
      if (Result.isFailure(content)) return yield* unreadable("in content that is not JSON")
      const document = content.success
      const known = new Set<unknown>(["", ...Object.values(own).map(Redacted.value)])
      const found: Array<readonly [pointer: string, token: string]> = []
      for (const pointer of pointers) {
        const token = pointed(document, pointer) ?? ""
        if (known.has(token)) continue
        // A later request carries it in a header field.
        if (
          typeof token !== "string" || token.length < MIN_SECRET_LENGTH || token.length > MAX_TOKEN ||
          !/^[\x21-\x7e]+$/.test(token)
        ) {
          return yield* unreadable(
            `that is not a text of ${MIN_SECRET_LENGTH} to ${MAX_TOKEN} visible ASCII characters`
          )
        }
        found.push([pointer, token])
      }
      if (found.length === 0) return { document, secrets: [] }
      const boxes = yield* manifest.transact(
        Effect.forEach(found, ([, token]) => vault.seal(identityOf(holder), Redacted.make(`${at} ${token}`)))
      )
      const name = { role: "issued_token" as const, provider, connection, login: loginOf(stored) }
      for (const [index, [pointer]] of found.entries()) {
        const sealed = Buffer.from(boxes[index]!).toString("base64url")
        setPointed(document as Record<string, unknown>, pointer, opaquePhantom(placeholder, { ...name, sealed }))
      }
      return { document, secrets: found.map(([, token]) => token) }
    }
  )

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
