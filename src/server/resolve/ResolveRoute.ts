/**
 * `resolve` as the proxy calls it, once for every request that it relays.
 *
 * It is the operation of the interface, with the same schemas, service and answers, but for the layers between them,
 * which cost several times what resolving does.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Resolved, ResolveRequest } from "../../api/CredentialsGroup.ts"
import { Connections, type Stamp } from "../../connections/Connections.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { resolvePath } from "../../domain/ResolveChannel.ts"
import { problemsOf } from "../../domain/SchemaProblems.ts"
import { parseStrictJson } from "../../domain/StrictJson.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import type { DaemonLog } from "../DaemonLog.ts"
import { bodyLimits, bodyProblem } from "../http/RequestProblems.ts"
import * as Answering from "./Answering.ts"

const decodeRequest = Schema.decodeUnknownResult(ResolveRequest, { onExcessProperty: "error", errors: "all" })
const encodeAnswer = Schema.encodeSync(Resolved)

/** The same text that JSON.stringify gives is strict JSON: it repeats no key. Any other text is looked at closely. */
const parse = (text: string): Result.Result<unknown, InvalidRequestError> => {
  try {
    const value: unknown = JSON.parse(text)
    if (JSON.stringify(value) === text) return Result.succeed(value)
  } catch {
    // The strict parser says what is wrong.
  }
  return Result.mapError(parseStrictJson(text, bodyLimits), (problem) => InvalidRequestError.of([bodyProblem(problem)]))
}

const readRequest = (text: string): Result.Result<ResolveRequest, InvalidRequestError> =>
  Result.flatMap(
    parse(text),
    (value) =>
      Result.mapError(decodeRequest(value), (error) => InvalidRequestError.of(problemsOf(error).map(bodyProblem)))
  )

interface Given {
  readonly stamp: Stamp
  readonly body: string
}

const maxGiven = 64
const givenMillis = 1000

/** Who asks: the run, when the question is one of a run, and the profile, when it is not the active one. */
export interface Asker {
  readonly run: string | undefined
  readonly profile: string | undefined
}

/** Whether what was made of all that `stamp` stands for would be the same now. */
export const isCurrent = (stamp: Stamp, connections: Connections["Service"]): boolean => {
  const now = connections.knownStamp()
  return now?.foreign !== undefined && now.foreign === stamp.foreign && now.connections === stamp.connections &&
    now.definitions === stamp.definitions
}

/** Answers at once where that is possible. The result abandons the question. */
export type Resolve = (asker: Asker, text: string, reply: Answering.Reply) => () => void

const nothing = (): void => {}

export const make: Effect.Effect<Resolve, never, Connections | Profiles | DaemonLog> = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const answer = yield* Answering.make("POST", resolvePath)

  const resolve = (asker: Asker, text: string) => {
    const asked = readRequest(text)
    if (Result.isFailure(asked)) return Effect.fail(asked.failure)
    return Effect.flatMap(
      asker.profile === undefined ? profiles.active : profiles.find(asker.profile),
      (profile) => connections.resolve(profile, asked.success, { run: Option.fromUndefinedOr(asker.run) })
    )
  }

  // Answers given within the last second to runs whose use of the connection is on record. Each is checked against all
  // that it was made from before it is given again, so a logout holds at once.
  const given = new Map<string, Given>()

  const keep = (key: string, answer: Given, until: number): void => {
    const millis = Math.min(givenMillis, until - Date.now())
    if (given.size >= maxGiven || millis <= 0) return
    given.set(key, answer)
    setTimeout(() => given.delete(key), millis).unref()
  }

  /** Undefined when the answer depends on more than the stamp and the time: on which profile is active, or on the audit log. */
  const keyOf = ({ profile, run }: Asker, text: string): string | undefined =>
    run === undefined || profile === undefined ? undefined : `${run} ${profile} ${text}`

  return (asker, text, reply) => {
    const key = keyOf(asker, text)
    const known = key === undefined ? undefined : given.get(key)
    if (known !== undefined) {
      if (isCurrent(known.stamp, connections)) {
        reply(200, known.body)
        return nothing
      }
      if (key !== undefined) given.delete(key)
    }
    const stamp = key === undefined ? undefined : connections.knownStamp()
    return answer(
      Effect.map(resolve(asker, text), (resolved) => {
        const body = JSON.stringify(encodeAnswer(resolved))
        if (key !== undefined && stamp !== undefined) keep(key, { stamp, body }, resolved.refreshDueAt)
        return { status: 200, body }
      }),
      reply
    )
  }
})
