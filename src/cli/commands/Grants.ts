/** Grants the use of connections to other profiles, withdraws it, and lists the grants. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { GrantsGroup } from "../../api/GrantsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { ConnectionGrant, ConnectionGrantWithdrawn } from "../../domain/wire/ConnectionGrant.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { Output } from "../output/Output.ts"

const document = Schema.encodeSync(ConnectionGrant)
const withdrawnDocument = Schema.encodeSync(ConnectionGrantWithdrawn)

interface GrantInput {
  readonly provider: string
  readonly connection: ConnectionName
  readonly grantee: ProfileHandle
}

export const grant = Effect.fnUntraced(function*(input: GrantInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  const { connection, grantee } = input
  const provider = yield* providerName(input.provider)
  const granted = yield* client.of(GrantsGroup).create({ payload: { provider, connection, grantee } })
  if (output.json) return yield* output.document(document(granted))
  yield* output.note(`The profile ${grantee} may use the connection "${connection}" for ${provider}.`)
  yield* output.note(
    "note: Its callers on other machines get the credential with each use and could read it there. To be sure that nobody has " +
      "it after a withdrawal, replace it at the provider."
  )
}, provideDaemon())

export const withdraw = Effect.fnUntraced(function*(input: GrantInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  const { connection, grantee } = input
  const provider = yield* providerName(input.provider)
  const withdrawn = yield* client.of(GrantsGroup).withdraw({ params: { provider, connection, grantee } })
  if (output.json) return yield* output.document(withdrawnDocument(withdrawn))
  yield* output.note(`The profile ${grantee} may no longer use the connection "${connection}" for ${provider}.`)
}, provideDaemon())

export const grants = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const { grants } = yield* client.of(GrantsGroup).list()
  const now = yield* DateTime.now
  yield* output.either(
    () => ({ grants: grants.map((each) => document(each)) }),
    () =>
      output.table(
        ["PROVIDER", "CONNECTION", "OWNER", "GRANTED TO", "SINCE"],
        grants.map(({ connection, createdAt, grantee, owner, provider }) => [
          { text: provider },
          { text: connection },
          { text: owner },
          { text: grantee },
          { text: output.time(createdAt, now) }
        ])
      )
  )
}, provideDaemon())
