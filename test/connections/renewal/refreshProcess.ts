/**
 * The process under test of the crash tests: uses a home with the services of a daemon but without its lock. The home is that of `rotatingHome`.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as fs from "node:fs"
import * as path from "node:path"
import { Connections } from "../../../src/connections/Connections.ts"
import type { ProviderName } from "../../../src/domain/definition/Provider.ts"
import { OAuthUnavailable } from "../../../src/oauth/OAuthErrors.ts"
import { OAuthHttp } from "../../../src/oauth/OAuthHttp.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../../src/providers/BundledProviders.ts"
import { ProviderRegistry } from "../../../src/providers/ProviderRegistry.ts"
import { aheadOf } from "../../support/MovableClock.ts"
import type { Seed } from "../../support/RotatingServer.ts"
import { type Services, services } from "../../support/Services.ts"
import { storeOf } from "../../support/StoredConnections.ts"

export const provider = "rotating" as ProviderName

/** Skips the machine's certificates, whose loading would dominate the run time. */
export const httpOf = (home: string) =>
  Layer.sync(OAuthHttp, () => {
    const { upstream } = JSON.parse(fs.readFileSync(path.join(home, "config.json"), "utf8"))
    const ca = fs.readFileSync(upstream.extra_ca_certs[0])
    return OAuthHttp.of({
      request: (_reach, { authorization, body, headers, method, url }) =>
        Effect.callback((resume) => {
          const { host, hostname, pathname } = new URL(url)
          const port = Number(upstream.resolve[`${hostname}:443`].split(":")[1])
          const broken = () =>
            resume(
              Effect.fail(new OAuthUnavailable({ reason: "unreachable", detail: "the connection broke", sent: true }))
            )
          const request = builtins.https.request({
            host: "127.0.0.1",
            port,
            servername: hostname,
            path: pathname,
            method,
            ca,
            agent: false,
            headers: {
              ...headers,
              host,
              ...(authorization === undefined ? {} : { authorization: Redacted.value(authorization) })
            }
          }, (response) => {
            let text = ""
            response.on("data", (chunk: Buffer) => text += chunk.toString())
            response.on("error", broken)
            response.on("end", () =>
              resume(Effect.succeed({
                status: response.statusCode ?? 0,
                headers: response.headers as Record<string, string>,
                body: Redacted.make(text),
                publicPeer: false
              })))
          })
          request.on("error", broken)
          request.end(body === undefined ? undefined : Redacted.value(body))
        })
    })
  })

/** Stores the connection that the other processes refresh. */
export const store = Effect.fnUntraced(
  function*(seed: Seed) {
    const save = yield* storeOf(yield* (yield* Profiles).active)
    const expiresAt = DateTime.addDuration(yield* DateTime.now, "1 hour")
    const { definition } = yield* (yield* ProviderRegistry).get(provider)
    if (definition.authType !== "oauth2") return yield* Effect.die(new Error("not an OAuth provider"))
    const { issuer = "", tokenUrl = "" } = definition.oauth
    yield* save({ access_token: seed.accessToken }, {
      provider,
      force: true,
      refreshToken: Redacted.make(seed.refreshToken),
      expiresAt,
      oauth: {
        issuer,
        tokenEndpoint: tokenUrl,
        revocationEndpoint: null,
        resource: null,
        clientId: "public-app",
        clientAuthentication: "none",
        discovered: false,
        publicOnly: false
      }
    })
  }
)

/** The access token that an upstream request would carry now. */
export const resolved = Effect.gen(function*() {
  const profile = yield* (yield* Profiles).active
  const { headers } = yield* (yield* Connections).resolve(
    profile,
    { host: "api.rotating.test" },
    { run: Option.none() }
  )
  return Redacted.value(headers["Authorization"] ?? Redacted.make("")).replace("Bearer ", "")
})

/**
 * Runs with the services of the home and a clock that is some hours ahead; each hour expires the tokens of the previous
 * one.
 */
export const runInHome = <A, E>(
  home: string,
  hours: number,
  program: Effect.Effect<A, E, Services>
): Promise<A> =>
  runAhead(
    hours,
    Effect.provide(program, services(home, BundledProviders.layer, httpOf(home)))
  )

export const runAhead = <A, E>(hours: number, program: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    Effect.clockWith((clock) =>
      Effect.provideService(
        // Stdout is reserved for results.
        Effect.provideService(program, References.MinimumLogLevel, "None"),
        Clock.Clock,
        aheadOf(clock, () => hours * 3_600_000)
      )
    )
  )
