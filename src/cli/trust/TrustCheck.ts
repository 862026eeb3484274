/**
 * Sends one request from each client on this machine through the proxy of a run, to a host that exists only for the
 * check.
 *
 * Uses no daemon, provider or credential: this module responds to the proxy's requests for routes and credentials
 * itself.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import { ConfigFile } from "../../config/file/ConfigFile.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import { builtins } from "../../platform/builtins.ts"
import { findProgram } from "../../platform/files/FindProgram.ts"
import { PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { ForwardProxy } from "../../proxy/ForwardProxy.ts"
import { CredentialRefusedError, CredentialSource } from "../../proxy/routing/CredentialSource.ts"
import * as RunDirectory from "../../run/RunDirectory.ts"
import { RunEnvironment } from "../../run/RunEnvironment.ts"
import { ABSENT, type Probe, type ProbeContext } from "./Probe.ts"
import { probes } from "./Probes.ts"
import * as ProbeUpstream from "./ProbeUpstream.ts"

const PROBE_SECONDS = 20
const OUTPUT_CHARACTERS = 4096
/** The number of clients that run at a time. More clients would only wait for each other. */
const CONCURRENCY = 4

/** The result for a client. `works` may name an option of `credsvc run` that the client needs. */
export type ProbeResult =
  | { readonly client: string; readonly status: "works"; readonly option?: string | undefined }
  | { readonly client: string; readonly status: "fails"; readonly detail: string; readonly fix: string }
  | { readonly client: string; readonly status: "absent" }

type Outcome = { readonly arrived: boolean; readonly absent: boolean; readonly output: string }

const endGroup = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // The group has ended.
  }
}

/** Kills the client's whole process group afterwards, because some clients leave helpers behind. */
const execute = (
  file: string,
  args: ReadonlyArray<string>,
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd: string }
): Effect.Effect<{ readonly code: number | null; readonly output: string }> =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      builtins.childProcess.spawn(file, [...args], { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    ),
    (child) =>
      Effect.callback((resume) => {
        let output = ""
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding("utf8").on("data", (text: string) => {
            output = (output + text).slice(-OUTPUT_CHARACTERS)
          })
        }
        child.once("error", ({ message }) => resume(Effect.succeed({ code: null, output: message })))
        child.once("close", (code) => resume(Effect.succeed({ code, output })))
        // Processes that the client started may keep the pipes open, so this does not wait long for their end.
        child.once("exit", (code) => setTimeout(() => resume(Effect.succeed({ code, output })), 500).unref())
      }),
    ({ pid }) => Effect.sync(() => endGroup(pid))
  )

const source = (upstream: ProbeUpstream.ProbeUpstream) => {
  const provider = "trust-check" as ProviderName
  const connection = "default" as ConnectionName
  return Layer.succeed(
    CredentialSource,
    CredentialSource.of({
      onChange: () => () => {},
      report: () => Effect.succeed(true),
      login: () => Effect.succeed({}),
      routes: (version) =>
        Effect.succeed(
          version === undefined
            ? {
              version: "1",
              routes: [{ host: ProbeUpstream.HOST, pathPrefix: null, provider, connection, connected: true }],
              placeholders: [],
              baseUrls: [],
              cloudIdentities: []
            }
            : undefined
        ),
      resolve: ({ host }) =>
        host === ProbeUpstream.HOST
          ? Effect.succeed({
            provider,
            connection,
            headers: { Authorization: upstream.authorization },
            query: {},
            defaults: {},
            secrets: [upstream.authorization],
            strip: { headers: [], query: [] },
            expiresAt: null,
            issuedAt: DateTime.makeUnsafe(0),
            refreshable: false
          })
          : Effect.fail(
            new CredentialRefusedError({ error: "OperationNotAllowedError", detail: "Not this host.", status: 403 })
          )
    })
  )
}

const config = (upstream: ProbeUpstream.ProbeUpstream, caFile: string) =>
  Layer.effect(
    ConfigFile,
    Effect.map(ConfigFile, (config) =>
      ConfigFile.of({
        ...config,
        read: Effect.map(config.read, (settings) => ({
          ...settings,
          upstream: {
            ...settings.upstream,
            extraCaCerts: [...settings.upstream.extraCaCerts, caFile],
            resolve: { ...settings.upstream.resolve, [`${ProbeUpstream.HOST}:443`]: `127.0.0.1:${upstream.port}` }
          }
        }))
      }))
  ).pipe(Layer.provide(ConfigFile.layerNoDeps))

const tellingLine = (output: string): string => {
  const lines = output.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  return (lines.findLast((line) => /\b(?:error|fatal|failed|refused|denied|certificate|proxy)\b/i.test(line)) ??
    lines.at(-1) ?? "")
    .slice(0, 300)
}

const nameOf = (client: string): string => client.toLowerCase().replace(/[^a-z]+/g, "-")

/** Runs a client once, and waits for its request at `upstream`. */
const attempt = Effect.fnUntraced(function*(
  upstream: ProbeUpstream.ProbeUpstream,
  directory: string,
  probe: Probe,
  file: string,
  variables: Readonly<Record<string, string>>
) {
  const name = path.basename(directory)
  fs.mkdirSync(directory, { mode: 0o700 })
  const context: ProbeContext = {
    url: `https://${ProbeUpstream.HOST}/${name}`,
    directory,
    file: (name, content) => {
      const file = path.join(directory, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, content)
      return file
    }
  }
  const seconds = probe.seconds ?? PROBE_SECONDS
  const env = { ...variables, ...probe.env?.(context) }
  const arrived = Effect.as(upstream.arrival(name), { arrived: true, absent: false, output: "" })
  const ended = Effect.map(
    execute(file, probe.args(context), { env, cwd: directory }),
    ({ code, output }): Outcome => ({
      arrived: false,
      absent: code === ABSENT || probe.absent?.test(output) === true,
      output
    })
  )
  return yield* Effect.raceFirst(arrived, ended).pipe(
    Effect.timeoutOrElse({
      duration: Duration.seconds(seconds),
      orElse: () =>
        Effect.succeed({ arrived: false, absent: false, output: `nothing after ${plural(seconds, "second")}` })
    })
  )
})

const checkAll = Effect.fnUntraced(function*(upstream: ProbeUpstream.ProbeUpstream, scratch: string) {
  const environment = yield* RunEnvironment
  const plain = yield* Effect.orDie(environment.from(process.env))

  const check = Effect.fnUntraced(function*(probe: Probe, file: string) {
    const { client, fix, hook } = probe
    let last: Outcome | undefined
    for (const hooks of [...(probe.hookOnly === true ? [] : [[]]), ...(hook === undefined ? [] : [[hook]])]) {
      const made = yield* hooks.length === 0
        ? Effect.succeed(Result.succeed(plain))
        : Effect.result(environment.from(process.env, { hooks }))
      if (Result.isFailure(made)) return { client, status: "fails", detail: made.failure.message, fix } as const
      const directory = path.join(scratch, [nameOf(client), ...hooks.map(() => "hook")].join("-"))
      const outcome = yield* attempt(upstream, directory, probe, file, made.success.variables)
      const option = hooks.length === 0 ? undefined : `--hook ${hook}`
      if (outcome.arrived) return { client, status: "works", option } as const
      if (outcome.absent) return { client, status: "absent" } as const
      last ??= outcome
    }
    return { client, status: "fails", detail: tellingLine(last?.output ?? ""), fix } as const
  })

  const results: ReadonlyArray<ProbeResult> = yield* Effect.forEach(probes, (probe): Effect.Effect<ProbeResult> => {
    const file = findProgram(probe.command)
    return file === undefined ? Effect.succeed({ client: probe.client, status: "absent" }) : check(probe, file)
  }, { concurrency: CONCURRENCY })
  return { results, notices: plain.notices }
})

export const trustCheck = Effect.gen(function*() {
  const upstream = yield* ProbeUpstream.make
  // Clients execute code from this directory, so it must be where no other user can replace it.
  const scratch = yield* RunDirectory.make
  const caFile = path.join(scratch, "upstream.pem")
  fs.writeFileSync(caFile, upstream.caPem)
  const proxy = RunEnvironment.layerNoDeps.pipe(
    Layer.provide(ForwardProxy.layerNoDeps({})),
    Layer.provide([source(upstream), config(upstream, caFile), PeerOwner.layer])
  )
  return yield* Effect.provide(checkAll(upstream, scratch), proxy)
}).pipe(Effect.scoped)
