/** Registers runs. A run is registered until its connection closes. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { isRemote, type Peer } from "../callers/Caller.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import { withFewerTokens } from "../domain/rules/RuleSet.ts"
import type { RunNotice, RunRegistration } from "../domain/wire/Run.ts"
import { builtins } from "../platform/builtins.ts"
import type { Lineage } from "../platform/process/Lineage.ts"
import * as ProcFs from "../platform/process/ProcFs.ts"
import { Policies } from "../policies/Policies.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { Sandboxes } from "../sandboxes/Sandboxes.ts"
import type { KnownRuns, OwnRun } from "./KnownRuns.ts"
import { contentFor, limitsFor } from "./NewRunLimits.ts"
import { keyIdOf, nameOf, refusalOf, type RegisteredRun, toRun } from "./RegisteredRun.ts"
import type { Caller, RunCallers } from "./RunCallers.ts"
import { limitsOf, type RunContent, RunRows } from "./RunRows.ts"

/** The maximum number of waiting notices. The oldest are dropped: all have the same effect, and nothing follows `stopped`. */
const maxNotices = 4

const unknownCaller = () =>
  OperationNotAllowedError.of(
    "Another caller has registered a run with this ID. Start the command again with credsvc run."
  )

/** The start of the process, because a run that registers again started earlier. */
const startOf = ({ pid }: Lineage): DateTime.Utc => {
  const seconds = ProcFs.startedAt(pid)
  return seconds === undefined ? DateTime.nowUnsafe() : DateTime.makeUnsafe(seconds * 1000)
}

/** An outer run with its remaining tokens, which a run inside it may use. `tokens`: how many it has used. */
const withTokensLeft = (outer: RegisteredRun, tokens: number): RegisteredRun => {
  const run = { ...outer.content.run, rules: withFewerTokens(outer.content.run.rules, tokens) }
  const content = { ...outer.content, run }
  return { ...outer, content, limits: limitsOf(content) }
}

/** Makes the function that registers runs. `ended` is called with each run whose connection has closed. */
export const makeRegister = Effect.fnUntraced(function*(
  known: KnownRuns,
  callers: RunCallers,
  ended: (run: OwnRun) => void
) {
  const policies = yield* Policies
  const profiles = yield* Profiles
  const rows = yield* RunRows
  const sandboxes = yield* Sandboxes
  const host = builtins.os.hostname()

  /** Writes the row of a run, and keeps the run registered. Fails if the row is that of another caller, or of a stopped or frozen run. */
  const write = Effect.fnUntraced(function*(peer: Peer, id: string, content: RunContent, used: number) {
    const { outer, run, sandbox } = content
    const frozenAt = sandbox === null ? null : yield* sandboxes.frozenAt(run.profile, sandbox)
    const own: OwnRun = {
      content,
      limits: limitsOf(content),
      registration: builtins.crypto.randomBytes(12).toString("base64url"),
      notices: yield* Queue.sliding<RunNotice>(maxNotices),
      stoppedAt: null,
      frozenAt: null,
      frozenBy: null,
      ownTokens: 0,
      tokens: 0
    }
    const other = yield* rows.put(id, own.registration, content, used)
    known.others.changed()
    if (other !== undefined) return yield* refusalOf(other, run.name) ?? unknownCaller()
    const socket = isRemote(peer) ? peer.socket : peer
    if (socket.destroyed) ended(own)
    else {
      known.own.keep(id, own, socket, () => ended(own))
      // An outer run may have ended at another daemon meanwhile.
      if (rows.isShared && outer.length > 0) yield* known.applyChanges(outer)
      if (frozenAt !== null) yield* known.refuse([own], { stoppedAt: null, frozenAt, frozenBy: run.name })
    }
    return { run: toRun(own), notices: own.notices }
  })

  /** The outer runs of a process, with their remaining tokens. Fails if one of them gets no more credentials. */
  const outerRuns = Effect.fnUntraced(function*(caller: Caller) {
    const found = yield* callers.outerRuns(caller)
    const tokens = new Map(Array.from(known.own.values(), (own) => [nameOf(own), own.tokens]))
    for (const run of found) {
      const refusal = refusalOf(run, nameOf(run))
      if (refusal !== undefined) return yield* refusal
    }
    return found.map((run) => withTokensLeft(run, tokens.get(nameOf(run)) ?? 0))
  })

  /**
   * Registers a run until its connection closes. Fails if its registration asks for more than an outer run may do,
   * or if an outer run is not registered. Without a profile, it gets the profile of the outer run, or the active profile.
   */
  return Effect.fnUntraced(function*(
    peer: Peer,
    id: string,
    registration: RunRegistration,
    chosen: string | undefined
  ) {
    const keyId = keyIdOf(peer)
    const process = yield* callers.processOf(peer, registration.pid)
    const outer = yield* outerRuns({ process, mark: registration.inside, keyId })
    if (registration.ask === true && process === undefined) {
      return yield* InvalidRequestError.at(
        "/ask",
        "requires a daemon that can determine which processes are inside the run; otherwise any of these processes could approve requests"
      )
    }
    const inherited = outer[0]?.content.run.profile
    const profile = chosen === undefined ? inherited ?? (yield* profiles.active) : yield* profiles.find(chosen)
    const job = isRemote(peer) ? peer.identity.job : null
    const named = new Set([...registration.policies ?? [], ...job?.policies ?? []])
    const policyRules = yield* policies.ruleSets(profile, [...named])
    const limits = yield* limitsFor({ registration, profile, policyRules, outer, job })
    const startedAt = process === undefined ? yield* DateTime.now : startOf(process)
    const { machine } = callers
    const content = contentFor({ id, registration, limits, outer, process, machine, host, keyId, startedAt })
    return yield* write(peer, id, content, registration.used ?? 0)
  })
})
