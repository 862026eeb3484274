/** A program that sends background requests, like agents that clone plugins and check for updates at startup. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { live } from "../support/Fixture.ts"
import { runProgram } from "../support/Programs.ts"
import { proxyTo } from "../support/ProxiedHost.ts"
import { bearer, fakeDaemon, MARKER, route, temporaryFile } from "../support/ProxyHarness.ts"
import { authority } from "../support/TestCertificates.ts"

const MODEL = "api.model.example.com"
const FORGE = "forge.example.org"
const pktLine = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
const SHA = "1".repeat(40)

/** The request of the user, after background requests. */
const program = `git ls-remote https://${FORGE}/vendor/plugins.git && ` +
  `curl -sS -H "Authorization: Bearer $MODEL_API_KEY" https://${MODEL}/v1/answer`

const started = (providers: ReadonlyArray<string> | undefined) =>
  Effect.gen(function*() {
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
    const daemon = fakeDaemon([route(MODEL, "model"), route(FORGE, "forge")], {
      resolve: (request) => Effect.succeed(bearer(request, `key-of-${request.provider}`)),
      placeholders: [
        { provider: "model" as never, variable: "MODEL_API_KEY", value: MARKER },
        { provider: "forge" as never, variable: "FORGE_TOKEN", value: MARKER }
      ]
    })
    const { events, proxy } = yield* proxyTo({ [MODEL]: upstream.port, [FORGE]: upstream.port }, {
      daemon,
      providers,
      peer: "own"
    })
    const { variables } = yield* proxy.environment({
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      GIT_TERMINAL_PROMPT: "0",
      FORGE_TOKEN: "the-programs-own"
    })
    const bundle = yield* temporaryFile("all.pem", proxy.caPem + authority.caPem)
    const { output } = yield* runProgram("sh", ["-c", program], { ...variables, GIT_SSL_CAINFO: bundle })
    const seen = (host: string) =>
      upstream.seen.filter(({ headers }) => headers.host === host).map(({ headers }) => headers.authorization)
    return { daemon, events, output, seen, variables }
  })

describe("background requests of a program", () => {
  live("carry the user's credential although git asked for none, and are reported with the provider", function*() {
    const { events, output, seen } = yield* started(undefined)
    assert.include(output, "refs/heads/main")
    assert.include(output, "forty-two")
    assert.deepStrictEqual(new Set(seen(FORGE)), new Set(["Bearer key-of-forge"]))
    assert.deepStrictEqual(seen(MODEL), ["Bearer key-of-model"])
    assert.isTrue(events.some(({ host, provider }) => host === FORGE && provider === "forge"))
  })

  live("stay anonymous, without a call to the daemon, in a run limited to another provider", function*() {
    const { daemon, events, output, seen, variables } = yield* started(["model"])
    assert.include(output, "refs/heads/main")
    assert.include(output, "forty-two")
    assert.deepStrictEqual(new Set(seen(FORGE)), new Set([undefined]))
    assert.deepStrictEqual(seen(MODEL), ["Bearer key-of-model"])
    assert.deepStrictEqual(daemon.resolved.map(({ provider }) => provider), ["model"])
    assert.isFalse(events.some(({ host }) => host === FORGE))
    assert.strictEqual(variables["MODEL_API_KEY"], MARKER)
    assert.strictEqual(variables["FORGE_TOKEN"], "the-programs-own")
  })
})
