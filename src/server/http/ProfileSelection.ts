/**
 * Middleware that selects the profile of a request. A remote caller uses the profile of its identity; a local caller
 * chooses a profile with `Credsvc-Profile`, or gets the active profile.
 */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { ProfileSelection } from "../../api/OperationParts.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { CurrentProfile, type ProfileHandle } from "../../domain/wire/Profile.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import { currentCaller } from "./CurrentCaller.ts"

const otherProfile = () => OperationNotAllowedError.of("Your identity cannot use this profile.")

export const layer: Layer.Layer<ProfileSelection, never, Profiles> = Layer.effect(
  ProfileSelection,
  Effect.gen(function*() {
    const profiles = yield* Profiles
    return ProfileSelection.of(Effect.fnUntraced(function*(operation) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const caller = yield* currentCaller
      const named = request.headers["credsvc-profile"]
      const isRemote = caller._tag === "Remote"
      if (isRemote && named !== undefined && named !== caller.identity.profile) return yield* otherProfile()
      // Anonymous requests do not learn which profiles exist.
      const chosen = isRemote ? caller.identity.profile : caller._tag === "Local" ? named : undefined
      const profile = yield* chosen === undefined ? profiles.active : profiles.find(chosen)
      return yield* Effect.provideService(operation, CurrentProfile, profile)
    }))
  })
)

/** Calls a service for the profile of the request. */
export const forProfile = <A, E, R>(use: (profile: ProfileHandle) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(CurrentProfile, use)
