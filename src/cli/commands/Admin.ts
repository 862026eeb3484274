/** Enrolls callers on other machines, and lists, disables and enables their identities. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { IdentitiesGroup } from "../../api/IdentitiesGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { EnrollmentCode, Identity, type IdentityName } from "../../domain/wire/Identity.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"

const document = Schema.encodeSync(Identity)
const codeDocument = Schema.encodeSync(EnrollmentCode)

export const enrollCode = Effect.fnUntraced(function*(input: {
  readonly profile: ProfileHandle
  readonly name: Option.Option<IdentityName>
  /** In milliseconds. */
  readonly expires: number
}) {
  const client = yield* DaemonClient
  const output = yield* Output
  const created = yield* client.of(IdentitiesGroup).createCode({
    payload: {
      profile: input.profile,
      expiresIn: Math.ceil(input.expires / 1000),
      ...Option.match(input.name, { onNone: () => ({}), onSome: (name) => ({ name }) })
    }
  })
  if (output.json) return yield* output.document(codeDocument(created))
  yield* output.data(Redacted.value(created.code))
  const until = output.time(created.expiresAt, yield* DateTime.now)
  yield* output.note(
    `The code enrolls "${created.name}" for the profile ${created.profile}, once. It expires ${until}.`
  )
  yield* output.note("Enter it on the other machine with: CREDSVC_DAEMON_URL=https://… credsvc enroll")
}, provideDaemon())

export const identities = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const { identities } = yield* client.of(IdentitiesGroup).list()
  const now = yield* DateTime.now
  yield* output.either(
    () => ({ identities: identities.map((identity) => document(identity)) }),
    () =>
      output.table(
        ["IDENTITY", "PROFILE", "STATUS", "ENROLLED", "KEY"],
        identities.map(({ createdAt, disabledAt, keyId, name, profile }) => [
          { text: name },
          { text: profile },
          disabledAt === null
            ? { text: "enabled", style: "green" as const }
            : { text: "disabled", style: "yellow" as const },
          { text: output.time(createdAt, now) },
          { text: keyId }
        ])
      )
  )
}, provideDaemon())

const setEnabled = (enabled: boolean) =>
  Effect.fnUntraced(function*(params: { readonly name: IdentityName }) {
    const client = yield* DaemonClient
    const output = yield* Output
    const operations = client.of(IdentitiesGroup)
    const identity = yield* enabled ? operations.enable({ params }) : operations.disable({ params })
    if (output.json) return yield* output.document(document(identity))
    yield* output.note(
      enabled
        ? `Enabled the identity ${identity.name}.`
        : `Disabled the identity ${identity.name}. Its next request is refused.`
    )
  }, provideDaemon())

export const enable = setEnabled(true)
export const disable = setEnabled(false)
