/**
 * A child process behind the proxy, over services in this process. It gets a placeholder instead of the key.
 *
 * Prints: sk-credsvc-proxy-managed behind a proxy: true, knows the key: false
 */
import { FlowRunner, KeyResolver, Profiles, Services } from "credsvc"
import * as Proxy from "credsvc/proxy"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawnSync } from "node:child_process"
import { home } from "./home.ts"
import { openai } from "./provider.ts"

const key = "sk-example-0123456789abcdef"
const child = `const text = JSON.stringify(process.env)
  console.log(process.env.OPENAI_API_KEY, "behind a proxy:", /127.0.0.1/.test(process.env.HTTPS_PROXY) + ",",
    "knows the key:", text.includes("example-0123456789"))`

const services = Services.layer({
  home,
  keyResolver: KeyResolver.layerKey(() => new Uint8Array(32).fill(7), "a key of our program")
})

const program = Effect.gen(function*() {
  const runner = yield* FlowRunner
  const { sessionId } = yield* runner.start(yield* (yield* Profiles).active, { provider: openai })
  yield* runner.resume(sessionId, { api_key: Redacted.make(key) })
  yield* Effect.gen(function*() {
    const { variables } = yield* (yield* Proxy.RunEnvironment).from(process.env)
    spawnSync(process.execPath, ["-e", child], { env: { ...variables }, stdio: "inherit" })
  }).pipe(Effect.provide(Proxy.layerServices({ providers: [openai] })))
}).pipe(Effect.provide(services))

await Effect.runPromise(program)
