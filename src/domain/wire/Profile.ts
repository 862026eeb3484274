/** Profiles: credential namespaces, each with an Ed25519 identity that has the profile's handle. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { named, Timestamp, wire } from "./Wire.ts"

/** 1 to 64 characters of `a-z 0-9 _ -`. The handle is part of a file name, so no other characters are allowed. */
export const ProfileHandle = Schema.String.pipe(named("ProfileHandle", "The handle of a profile")).check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/u, {
    expected: "a profile handle: 1 to 64 lower-case letters, digits, '_' or '-', beginning with a letter or digit"
  }),
  Schema.makeFilter((name: string) => !["con", "nul", "prn", "aux", "constructor"].includes(name), {
    expected: "a profile handle that is not reserved"
  })
).pipe(Schema.brand("ProfileHandle"))
export type ProfileHandle = typeof ProfileHandle.Type

export const Profile = wire("Profile", "Connections, policies and sandboxes with an identity of their own", {
  handle: [ProfileHandle, "The handle of the profile and of the profile's identity"],
  createdAt: [Timestamp, "When the profile was created"],
  active: [Schema.Boolean, "Whether requests without the header `Credsvc-Profile` use this profile"]
})
export type Profile = typeof Profile.Type

/** The profile of the current request, as `server/http/ProfileSelection` determines it. */
export class CurrentProfile extends Context.Service<CurrentProfile, ProfileHandle>()("credsvc/domain/CurrentProfile") {}
