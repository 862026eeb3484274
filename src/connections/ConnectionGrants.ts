/**
 * Grants the use of connections to other profiles, and withdraws such grants. A grant refers to the stored connection
 * and not to its name, so it ends with the connection. Each use of a connection looks up the grant.
 */
import * as Effect from "effect/Effect"
import type { ProviderName } from "../domain/definition/Provider.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { NewConnectionGrant } from "../domain/wire/ConnectionGrant.ts"
import { defaultConnectionName } from "../domain/wire/Names.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import type { Access } from "./ConnectionAccess.ts"
import { ConnectionRepo } from "./ConnectionRepo.ts"

export const makeConnectionGrants = Effect.fnUntraced(function*({ record, requireOwned, whenReady }: Access) {
  const manifest = yield* StoreManifest
  const profiles = yield* Profiles
  const repo = yield* ConnectionRepo

  /** Grants the use of a connection of `owner` to another profile. */
  const grant = Effect.fn("Connections.grant")(function*(owner: ProfileHandle, request: NewConnectionGrant) {
    const { connection = defaultConnectionName, provider } = request
    const grantee = yield* profiles.find(request.grantee)
    if (grantee === owner) {
      return yield* OperationNotAllowedError.of(`The connection already belongs to the profile ${owner}.`)
    }
    return yield* whenReady(manifest.transact(Effect.gen(function*() {
      const stored = yield* requireOwned(owner, provider, connection)
      const known = yield* repo.findUsable({ profile: grantee, provider, name: connection })
      if (known !== undefined) {
        return yield* OperationNotAllowedError.of(
          known.row.profile === grantee
            ? `The profile ${grantee} has its own connection "${connection}" for ${provider}, which it would use instead. ` +
              "Log in under another name, and grant that connection."
            : `The connection "${connection}" for ${provider} of the profile ${known.row.profile} is already granted to the profile ${grantee}.`
        )
      }
      const createdAt = yield* repo.grant(stored, grantee)
      yield* record("grant", owner, provider, connection)
      yield* record("grant-receive", grantee, provider, connection)
      return { provider, connection, owner, grantee, createdAt }
    })))
  })

  /** Withdraws a grant. Ends open requests of the grantee that use the connection. */
  const withdraw = Effect.fn("Connections.withdraw")(
    function*(owner: ProfileHandle, provider: ProviderName, connection: ConnectionName, grantee: ProfileHandle) {
      const stored = yield* requireOwned(owner, provider, connection)
      if (!(yield* repo.withdraw(stored, grantee))) {
        return yield* OperationNotAllowedError.of(
          `The connection "${connection}" for ${provider} is not granted to the profile ${grantee}. ` +
            "List the grants with: credsvc admin grants"
        )
      }
      yield* record("grant-withdraw", owner, provider, connection)
      yield* record("grant-lose", grantee, provider, connection)
      return { status: "withdrawn" as const, provider, connection, owner, grantee }
    },
    (effect) => whenReady(manifest.transact(effect))
  )

  /** Lists the grants that the profile has given and received. */
  const grants = (profile: ProfileHandle) => whenReady(repo.grants(profile))

  return { grant, grants, withdraw }
})
