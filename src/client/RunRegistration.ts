/** Registers a run with the daemon, and again whenever the daemon was restarted. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Schedule from "effect/Schedule"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import type { RunNotice, RunRegistration } from "../domain/wire/Run.ts"
import { DaemonClient } from "./DaemonClient.ts"
import { readResponse, unknownResponse } from "./Responses.ts"
import { readNotice, readRun, registrationText } from "./RunDocuments.ts"

type Notice = RunNotice["notice"]

/** The daemon's notices to one run. A listener that is added later still receives `stopped` or `frozen`. */
export class RunNotices {
  readonly #listeners = new Set<(notice: Notice) => void>()
  #last: Exclude<Notice, "changed"> | undefined

  /** Why the run gets no more credentials; undefined if it still gets them. */
  get ended(): Exclude<Notice, "changed"> | undefined {
    return this.#last
  }

  /** Adds a listener. Returns a function that removes the listener. */
  listen(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener)
    if (this.#last !== undefined) listener(this.#last)
    return () => void this.#listeners.delete(listener)
  }

  notify(notice: Notice): void {
    if (this.#last === "stopped" || (this.#last === "frozen" && notice !== "stopped")) return
    if (notice !== "changed") this.#last = notice
    for (const listener of this.#listeners) listener(notice)
  }
}

const longestRenewal = "3 seconds"
const retries = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

/** Sends a registration, and passes the notices of the daemon on until the response ends. */
const openRegistration = Effect.fnUntraced(function*(
  { id, profile, registration, start }: {
    readonly id: string
    readonly registration: RunRegistration
    readonly profile: string | undefined
    readonly start: boolean
  },
  notices: RunNotices
) {
  const client = yield* DaemonClient
  const response = yield* client.hold({
    method: "POST",
    path: "/runs",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      "credsvc-run": id,
      ...(profile === undefined ? {} : { "credsvc-profile": profile })
    },
    body: registrationText(registration)
  }, { start })
  // After an update, a daemon of an earlier version, which has no such operation or field, may still be running.
  const isOlder = response.status === 404 || (response.status === 400 && response.body.includes("unknown field"))
  if (isOlder) return yield* unknownResponse(response)
  const run = readRun(yield* readResponse(response)) ?? (yield* unknownResponse(response))
  response.lines((line) => {
    const notice = readNotice(line)
    if (notice !== undefined) notices.notify(notice)
  })
  return { run, ended: response.ended }
})

/**
 * Registers the run with this ID until the scope closes, by default in the profile of the client.
 *
 * The first attempt starts the daemon if necessary. Later attempts do not, so that a daemon that the user stopped stays
 * stopped until the run needs it.
 */
export const registerRun = Effect.fnUntraced(function*(
  id: string,
  registration: RunRegistration,
  inProfile?: ProfileHandle
) {
  const registered = Latch.makeUnsafe(true)
  const notices = new RunNotices()

  const first = yield* openRegistration({ id, registration, profile: inProfile, start: true }, notices)
  const { connections, expiresAt, maxUses, profile, providers, rules, strict, unmatched } = first.run
  const limits = { providers, connections, unmatched, rules, maxUses, expiresAt, strict }
  let used = 0
  // Registers the rules of the policies instead of their names, because the policies may have changed after the run
  // began.
  const again = Effect.suspend(() =>
    openRegistration(
      { id, registration: { ...registration, ...limits, policies: [], used }, profile, start: false },
      notices
    )
  )

  const keep = Effect.gen(function*() {
    let { ended } = first
    for (;;) {
      yield* ended
      if (notices.ended !== undefined) return
      registered.closeUnsafe()
      const renewed = yield* Effect.retry(again, retries)
      ended = renewed.ended
      registered.openUnsafe()
      // Notices may have been missed while the run was not registered.
      notices.notify("changed")
    }
  })
  yield* Effect.forkScoped(Effect.ignore(keep))

  return {
    run: first.run,
    notices,
    /** Notes that a request of the run has got a credential. A restarted daemon continues to count from there. */
    countUse: () => void used++,
    /** Waits briefly for the renewal of a lost registration. Returns false if the renewal failed or was not necessary. */
    awaitRenewal: Effect.suspend(() =>
      Latch.isOpen(registered)
        ? Effect.succeed(false)
        : Effect.map(Effect.timeoutOption(registered.await, longestRenewal), (opened) => opened._tag === "Some")
    )
  }
})
