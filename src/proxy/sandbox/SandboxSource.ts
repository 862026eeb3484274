/** The proxy's requests to the daemon on behalf of sandboxes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { readResponse } from "../../client/Responses.ts"
import { registerRun } from "../../client/RunRegistration.ts"
import { baseUrlText } from "../../config/daemon/DaemonUrl.ts"
import { DaemonUnavailableError, type PublishedError } from "../../domain/Errors.ts"
import { type ServedSandbox, ServedSandboxes } from "../../domain/wire/Sandbox.ts"
import { builtins } from "../../platform/builtins.ts"
import { CredentialSource } from "../routing/CredentialSource.ts"

const PATH = "/proxy/sandboxes"
const TIMEOUT_MILLISECONDS = 2000

const decodeSandboxes = Schema.decodeUnknownEffect(ServedSandboxes)

/** Reads the sandboxes; `undefined` if they have not changed since `version`. */
type ReadSandboxes = (version: string | undefined) => Effect.Effect<ServedSandboxes | undefined, PublishedError>

const readWith = (client: DaemonClient["Service"]): ReadSandboxes => (version) =>
  Effect.gen(function*() {
    const headers: Record<string, string> = version === undefined ? {} : { "if-none-match": `"${version}"` }
    const response = yield* client.send({ method: "GET", path: PATH, headers, body: undefined })
    if (response.status === 304) return undefined
    const body = yield* readResponse(response)
    return yield* Effect.mapError(decodeSandboxes(body), () =>
      new DaemonUnavailableError({
        url: baseUrlText(response.from.url),
        detail: "The daemon has another version. Restart it with: credsvc daemon restart"
      }))
  }).pipe(
    Effect.timeoutOrElse({
      duration: TIMEOUT_MILLISECONDS,
      orElse: () => Effect.fail(new DaemonUnavailableError({ url: "", detail: "The daemon did not respond in time." }))
    })
  )

const credentialLayer = (
  { connections, generation, id, profile, providers, rules, strict, unmatched }: ServedSandbox
) =>
  Layer.unwrap(Effect.gen(function*() {
    const runId = builtins.crypto.randomBytes(18).toString("base64url")
    const place = { pid: process.pid, contained: false, sandbox: { id, generation } }
    const limits = { providers, connections, unmatched, rules, strict, ...place }
    const { awaitRenewal, notices } = yield* registerRun(runId, limits, profile)
    return CredentialSource.layerDaemon({ profile, runId, renewed: awaitRenewal, notices })
  }))

export class SandboxSource extends Context.Service<SandboxSource, {
  /** Reads the sandboxes. Starts a daemon if none is running. */
  readonly read: ReadSandboxes

  /** Reads the sandboxes. Fails if no daemon is running. */
  readonly poll: ReadSandboxes

  /** Routes and credentials for one sandbox. The daemon enforces its limits like the limits of a run. */
  readonly credentials: (sandbox: ServedSandbox) => Layer.Layer<CredentialSource, PublishedError>
}>()("credsvc/proxy/sandbox/SandboxSource") {
  /** Reads from a daemon. The client `passive` does not start one. */
  static readonly layer = (passive: DaemonClient["Service"]): Layer.Layer<SandboxSource, never, DaemonClient> =>
    Layer.effect(
      SandboxSource,
      Effect.map(DaemonClient, (client) =>
        SandboxSource.of({
          read: readWith(client),
          poll: readWith(passive),
          credentials: (sandbox) => Layer.provide(credentialLayer(sandbox), Layer.succeed(DaemonClient, client))
        }))
    )
}
