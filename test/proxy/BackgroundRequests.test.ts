/** A program that sends background requests, like agents that clone plugins and check for updates at startup. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { builtins } from "../../src/platform/builtins.ts"
import type { ProxyEvent } from "../../src/proxy/HttpEngine.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { programTimeout } from "../support/ProgramTimeout.ts"
import { bearer, fakeDaemon, MARKER, route, startProxy, temporaryFile } from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const MODEL = "api.model.example.com"
const FORGE = "forge.example.org"
const pktLine = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
const SHA = "1".repeat(40)

/** The request of the user, after background requests. */
const program = `git ls-remote https://${FORGE}/vendor/plugins.git && ` +
  `curl -sS -H "Authorization: Bearer $MODEL_API_KEY" https://${MODEL}/v1/answer`

const started = (providers: ReadonlyArray<string> | undefined) =>
  Effect.gen(function*() {
    const authority = makeAuthority()
    const upstream = yield* FakeUpstream.make({
      certificate: authority.issue([MODEL, FORGE]),
      handler: (incoming, response) => {
        incoming.resume()
        if (incoming.headers.host === MODEL) return void response.end("forty-two\n")
        response.setHeader("content-type", "application/x-git-upload-pack-advertisement")
        const refs = `${pktLine(`${SHA} HEAD\0agent=git/test\n`)}${pktLine(`${SHA} refs/heads/main\n`)}`
        response.end(`${pktLine("# service=git-upload-pack\n")}0000${refs}0000`)
      }
    })
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const events: Array<ProxyEvent> = []
    const daemon = fakeDaemon([route(MODEL, "model"), route(FORGE, "forge")], {
      resolve: (asked) => Effect.succeed(bearer(asked, `key-of-${asked.provider}`)),
      placeholders: [
        { provider: "model" as never, variable: "MODEL_API_KEY", value: MARKER },
        { provider: "forge" as never, variable: "FORGE_TOKEN", value: MARKER }
      ]
    })
    const at = `127.0.0.1:${upstream.port}`
    const proxy = yield* startProxy({
      daemon,
      providers,
      peer: "own",
      onEvent: (event) => events.push(event),
      upstream: { extraCaCerts: [ca], resolve: { [`${MODEL}:443`]: at, [`${FORGE}:443`]: at } }
    })
    const { variables } = yield* proxy.environment({
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      GIT_TERMINAL_PROMPT: "0",
      FORGE_TOKEN: "the-childs-own"
    })
    const bundle = yield* temporaryFile("all.pem", proxy.caPem + authority.caPem)
    const output = yield* Effect.promise(() =>
      new Promise<string>((resolve) => {
        const env = { ...variables, GIT_SSL_CAINFO: bundle }
        builtins.childProcess.execFile(
          "sh",
          ["-c", program],
          { env, timeout: programTimeout },
          (_error, stdout, stderr) => resolve(stdout + stderr)
        )
      })
    )
    const seen = (host: string) =>
      upstream.seen.filter(({ headers }) => headers.host === host).map(({ headers }) => headers.authorization)
    return { daemon, events, output, seen, variables }
  })

describe("background requests of a program", () => {
  it.live(
    "carry the user's credential although git asked for none, and are reported with the provider",
    () =>
      Effect.gen(function*() {
        const { events, output, seen } = yield* started(undefined)
        assert.include(output, "refs/heads/main")
        assert.include(output, "forty-two")
        assert.deepStrictEqual(new Set(seen(FORGE)), new Set(["Bearer key-of-forge"]))
        assert.deepStrictEqual(seen(MODEL), ["Bearer key-of-model"])
        assert.isTrue(events.some(({ host, provider }) => host === FORGE && provider === "forge"))
      }).pipe(Effect.scoped)
  )

  it.live(
    "stay anonymous, without a call to the daemon, in a run limited to another provider",
    () =>
      Effect.gen(function*() {
        const { daemon, events, output, seen, variables } = yield* started(["model"])
        assert.include(output, "refs/heads/main")
        assert.include(output, "forty-two")
        assert.deepStrictEqual(new Set(seen(FORGE)), new Set([undefined]))
        assert.deepStrictEqual(seen(MODEL), ["Bearer key-of-model"])
        assert.deepStrictEqual(daemon.resolved.map(({ provider }) => provider), ["model"])
        assert.isFalse(events.some(({ host }) => host === FORGE))
        assert.strictEqual(variables["MODEL_API_KEY"], MARKER)
        assert.strictEqual(variables["FORGE_TOKEN"], "the-childs-own")
      }).pipe(Effect.scoped)
  )
})
