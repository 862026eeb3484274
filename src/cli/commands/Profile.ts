import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ProfilesGroup } from "../../api/ProfilesGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { Profile, type ProfileHandle } from "../../domain/wire/Profile.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"

const document = Schema.encodeSync(Profile)

export const create = Effect.fnUntraced(function*(input: { readonly handle: Option.Option<ProfileHandle> }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const profile = yield* client.of(ProfilesGroup).create({
    payload: Option.match(input.handle, { onNone: () => ({}), onSome: (handle) => ({ handle }) })
  })
  if (output.json) return yield* output.document(document(profile))
  yield* output.data(profile.handle)
  yield* output.note(`Created the profile. To make it active: credsvc profile use ${profile.handle}`)
}, provideDaemon())

export const use = Effect.fnUntraced(function*(input: { readonly handle: ProfileHandle }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const profile = yield* client.of(ProfilesGroup).use({ params: { handle: input.handle } })
  if (output.json) return yield* output.document(document(profile))
  yield* output.note(`The active profile is now ${profile.handle}.`)
}, provideDaemon())

export const list = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const { active, profiles } = yield* client.of(ProfilesGroup).list()
  const now = yield* DateTime.now
  yield* output.either(
    () => ({ active, profiles: profiles.map((profile) => document(profile)) }),
    () =>
      output.table(
        ["PROFILE", "CREATED", "ACTIVE"],
        profiles.map((profile) => [
          { text: profile.handle },
          { text: output.time(profile.createdAt, now) },
          { text: profile.active ? "yes" : "", style: "green" as const }
        ])
      )
  )
}, provideDaemon())
