/** Middleware that selects the profile of a request: the one in `Credsvc-Profile`, or the active one. */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { ProfileSelection } from "../../api/Middleware.ts"
import { CurrentProfile } from "../../domain/Profile.ts"
import { Profiles } from "../../profiles/Profiles.ts"

export const layer: Layer.Layer<ProfileSelection, never, Profiles> = Layer.effect(
  ProfileSelection,
  Effect.gen(function*() {
    const profiles = yield* Profiles
    return ProfileSelection.of((operation) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const named = request.headers["credsvc-profile"]
        return Effect.flatMap(
          named === undefined ? profiles.active : profiles.find(named),
          (profile) => Effect.provideService(operation, CurrentProfile, profile)
        )
      })
    )
  })
)
