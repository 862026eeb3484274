/** Handlers of the operations on runs, on their reports, and on requests that wait for the user. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Api } from "../../api/Api.ts"
import { isRemote } from "../../callers/Caller.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../../domain/Errors.ts"
import { readReport } from "../../domain/wire/RequestReport.ts"
import { Run, RunNotice } from "../../domain/wire/Run.ts"
import { RunQuestions } from "../../runs/RunQuestions.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { currentPeer } from "../http/CurrentCaller.ts"
import { Instance } from "../http/Instance.ts"
import { PeerAdmission } from "../http/PeerAdmission.ts"

const encodeRun: (run: Run) => object = Schema.encodeSync(Run)
const encodeNotice: (notice: RunNotice) => object = Schema.encodeSync(RunNotice)

/**
 * Adds an empty line every 20 seconds, which clients ignore: a server in front of the daemon would otherwise take a
 * silent stream for a daemon that hangs.
 */
export const withHeartbeat = <E, R>(lines: Stream.Stream<string, E, R>) =>
  Stream.merge(lines, Stream.map(Stream.drop(Stream.tick("20 seconds"), 1), () => "\n"), { haltStrategy: "left" })

export const RunsHandlers = HttpApiBuilder.group(
  Api,
  "runs",
  Effect.fnUntraced(function*(handlers) {
    const { startedAt } = yield* Instance
    const admission = yield* PeerAdmission
    const registry = yield* RunRegistry
    const questions = yield* RunQuestions
    return handlers.handleAll({
      list: () =>
        Effect.zipWith(
          Effect.flatMap(currentPeer, registry.visibleTo),
          Effect.flatMap(currentPeer, registry.around),
          (runs, around) => ({
            runs,
            callerInside: around === null || around.length > 0,
            callerRuns: around === null ? null : around.map(({ name }) => name)
          })
        ),
      register: Effect.fnUntraced(function*({ headers, payload, request }) {
        const peer = yield* currentPeer
        if (!isRemote(peer) && !admission.hasProved(peer)) {
          return yield* OperationNotAllowedError.of(
            Date.now() < startedAt
              ? "The clock was set back to a time before the start of the daemon. Restart it with: credsvc daemon restart"
              : "Only credsvc run can register a run."
          )
        }
        const profile = isRemote(peer) ? peer.identity.profile : request.headers["credsvc-profile"]
        const { notices, run } = yield* registry.register(peer, headers["credsvc-run"], payload, profile)
        const documents = Stream.concat(
          Stream.make(encodeRun(run)),
          Stream.interruptWhen(Stream.map(Stream.fromQueue(notices), encodeNotice), registry.untilStopped)
        )
        const lines = Stream.map(documents, (document) => `${JSON.stringify(document)}\n`)
        return HttpServerResponse.stream(Stream.encodeText(isRemote(peer) ? withHeartbeat(lines) : lines), {
          contentType: "application/json"
        })
      }),
      questions: () =>
        Effect.map(Effect.flatMap(currentPeer, questions.visibleTo), (visible) => ({ questions: visible })),
      ask: Effect.fnUntraced(function*({ headers, payload }) {
        return { outcome: yield* questions.ask(yield* currentPeer, headers["credsvc-run"], payload) }
      }),
      answer: Effect.fnUntraced(function*({ params, payload: { answer } }) {
        const question = yield* questions.answer(yield* currentPeer, params.id, answer)
        return { status: "answered" as const, question, answer }
      }),
      stop: Effect.fnUntraced(function*({ params }) {
        const runs = yield* registry.stopRun(yield* currentPeer, params.name)
        return { status: "stopped" as const, runs: runs.map(({ name }) => name) }
      })
    }).handleRaw(
      "report",
      Effect.fnUntraced(function*({ headers, request }) {
        const report = readReport(new Uint8Array(yield* Effect.orDie(request.arrayBuffer)))
        if (report === undefined) {
          return yield* InvalidRequestError.of([{ path: "", message: "expected a report of requests" }])
        }
        yield* registry.report(yield* currentPeer, headers["credsvc-run"], report)
        return HttpServerResponse.jsonUnsafe({ status: "recorded" })
      })
    )
  })
)
