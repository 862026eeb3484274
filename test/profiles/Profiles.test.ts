import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Documents } from "../../src/config/Documents.ts"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { failsWith } from "../support/Failures.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

const layerOf = (home: string, profile?: string) =>
  Profiles.layerNoDeps.pipe(
    Layer.provide(Documents.layerFiles),
    Layer.provideMerge(ConfigFile.layerNoDeps),
    Layer.provideMerge(Paths.layerNoDeps),
    Layer.provideMerge(Settings.layerOf({ home, profile: Option.fromUndefinedOr(profile) }))
  )

/** Runs `body` in a new instance of the service, as a new process would. */
const started = <A, E>(home: string, body: (profiles: Profiles["Service"]) => Effect.Effect<A, E>, profile?: string) =>
  Effect.flatMap(Profiles, body).pipe(Effect.provide(layerOf(home, profile)))

const inHome = testsWith(temporaryDirectory)
/** The tests get an instance of the service. */
const inProfiles = testsWith(
  Effect.flatMap(temporaryDirectory, (home) => started(home, (profiles) => Effect.succeed({ home, profiles })))
)

const active = (home: string, profile?: string) => started(home, (profiles) => profiles.active, profile)

const identityFiles = (home: string) => fs.readdirSync(path.join(home, "identities"))

const activeInConfig = (home: string): string =>
  JSON.parse(fs.readFileSync(path.join(home, "config.json"), "utf8")).active_profile

describe("Profiles", () => {
  inHome.effect("creates an identity at the first start and keeps it", function*(home) {
    const first = yield* active(home)
    assert.match(first, /^[a-z]+-[a-z]+-\d{4}$/)
    assert.strictEqual(yield* active(home), first)
    assert.deepStrictEqual(identityFiles(home), [`${first}.json`])
    assert.strictEqual(activeInConfig(home), first)
  })

  inHome.effect("writes the identity as a JWK that only the owner can read", function*(home) {
    const handle = yield* active(home)
    const file = path.join(home, "identities", `${handle}.json`)
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    assert.strictEqual(fs.statSync(path.dirname(file)).mode & 0o777, 0o700)
    const document = JSON.parse(fs.readFileSync(file, "utf8"))
    assert.strictEqual(document.jwk.crv, "Ed25519")
    assert.match(document.created_at, /Z$/)
  })

  inHome.live("agrees on one identity between many processes that start at the same time", function*(home) {
    const script = path.join(import.meta.dirname, "first-start.ts")
    const run = Effect.callback<string>((resume) => {
      childProcess.execFile(
        process.execPath,
        [script, home],
        (error, stdout, stderr) => resume(error === null ? Effect.succeed(stdout) : Effect.die(new Error(stderr)))
      )
    })
    const handles = yield* Effect.all(Array.from({ length: 6 }, () => run), { concurrency: "unbounded" })
    assert.strictEqual(new Set(handles).size, 1)
    assert.deepStrictEqual(identityFiles(home), [`${handles[0]}.json`])
    assert.strictEqual(activeInConfig(home), handles[0])
  })

  inHome.effect("completes a first start that was interrupted after the choice of a handle", function*(home) {
    fs.mkdirSync(path.join(home, "identities"), { mode: 0o700 })
    fs.writeFileSync(path.join(home, "identities", ".first"), "calm-otter-0042", { mode: 0o600 })
    assert.strictEqual(yield* active(home), "calm-otter-0042")
    assert.deepStrictEqual(identityFiles(home), ["calm-otter-0042.json"])
  })

  inHome.effect("uses the oldest identity if config.json names none, without creating a second one", function*(home) {
    const first = yield* active(home)
    yield* TestClock.adjust("1 second")
    yield* started(home, (profiles) => profiles.create(Option.some(ProfileHandle.make("a-later-one"))))
    fs.rmSync(path.join(home, "config.json"))
    assert.strictEqual(yield* active(home), first)
    assert.lengthOf(identityFiles(home), 2)
  })

  inProfiles.effect("lists profiles with the active one marked, and switches between them", function*({ profiles }) {
    const first = yield* profiles.active
    const work = yield* profiles.create(Option.some(ProfileHandle.make("work")))
    assert.isFalse(work.active)
    const drawn = yield* profiles.create(Option.none())
    assert.notStrictEqual(drawn.handle, first)
    yield* profiles.use(work.handle)
    assert.strictEqual(yield* profiles.active, "work")
    const all = yield* profiles.list
    assert.sameMembers(all.map(({ handle }) => handle), [first, "work", drawn.handle])
    assert.deepStrictEqual(all.filter((profile) => profile.active).map(({ handle }) => handle), ["work"])
  })

  inProfiles.effect("uses the profile that another process has activated", function*({ home, profiles }) {
    yield* profiles.active
    const work = ProfileHandle.make("work")
    yield* started(home, (other) => Effect.andThen(other.create(Option.some(work)), other.use(work)))
    assert.strictEqual(yield* profiles.active, "work")
  })

  inProfiles.effect("refuses to create an existing profile and to use an unknown one", function*({ profiles }) {
    const first = yield* profiles.active
    yield* failsWith(profiles.create(Option.some(first)), "OperationNotAllowedError")
    const nobody = yield* Effect.flip(profiles.use(ProfileHandle.make("nobody")))
    assert.include(nobody.detail, "\"nobody\"")
    assert.strictEqual(yield* profiles.active, first)
  })

  inHome.effect("names the unknown handle from a request or from CREDSVC_PROFILE", function*(home) {
    const requested = yield* failsWith(
      started(home, (profiles) => profiles.find("no-such-profile")),
      "OperationNotAllowedError"
    )
    assert.include(requested.detail, "\"no-such-profile\"")
    const environment = yield* failsWith(active(home, "not-made-yet"), "OperationNotAllowedError")
    assert.include(environment.detail, "CREDSVC_PROFILE")
    assert.include(environment.detail, "\"not-made-yet\"")
  })

  inHome.effect("rejects handles that would leave the identities directory, without quoting them", function*(home) {
    for (const handle of ["../config", "..%2fconfig", "a/b", "A", "", "x\u0000", "con", "a\u001b[2J"]) {
      const error = yield* failsWith(started(home, (profiles) => profiles.find(handle)), "InvalidRequestError")
      if (handle !== "" && handle !== "A") assert.notInclude(error.detail, handle)
    }
    assert.deepStrictEqual(fs.readdirSync(home), [])
  })

  inHome.effect("uses CREDSVC_PROFILE in this process only", function*(home) {
    const first = yield* active(home)
    yield* started(home, (profiles) => profiles.create(Option.some(ProfileHandle.make("work"))))
    assert.strictEqual(yield* active(home, "work"), "work")
    assert.strictEqual(yield* active(home), first)
  })

  inHome.effect("reports a damaged identity file without changing it", function*(home) {
    const handle = yield* active(home)
    const file = path.join(home, "identities", `${handle}.json`)
    const intact = JSON.parse(fs.readFileSync(file, "utf8"))
    for (const text of ["{", JSON.stringify({ ...intact, handle: "other" })]) {
      fs.writeFileSync(file, text)
      for (const use of ["active", "check"] as const) {
        const error = yield* failsWith(started(home, (profiles) => profiles[use]), "VaultUnavailableError")
        assert.include(error.detail, file)
        assert.notInclude(error.detail, intact.jwk.d)
      }
      assert.strictEqual(fs.readFileSync(file, "utf8"), text)
    }
  })

  inProfiles.effect("fails its check if the identity file was deleted", function*({ home, profiles }) {
    const handle = yield* profiles.active
    assert.strictEqual(yield* profiles.check, handle)
    fs.rmSync(path.join(home, "identities", `${handle}.json`))
    yield* failsWith(profiles.check, "VaultUnavailableError")
  })
})
