/** A run that is registered with this daemon or another one of the store, and what follows from its content and state. */
import { isRemote, type Peer } from "../callers/Caller.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { leastTokens } from "../domain/rules/RuleSet.ts"
import { frozenRun, stoppedRun } from "../domain/text/EndedRun.ts"
import type { Run, RunLimits, RunName, RunUse } from "../domain/wire/Run.ts"
import type { RunContent, RunState } from "./RunRows.ts"

export interface RegisteredRun extends RunState {
  readonly content: RunContent
  readonly limits: RunLimits
}

/** Why a run gets no credentials, or undefined if it may get some. */
export const refusalOf = (
  { frozenAt, frozenBy, stoppedAt }: RunState,
  name: RunName
): OperationNotAllowedError | undefined =>
  stoppedAt === null && frozenAt === null
    ? undefined
    : OperationNotAllowedError.of(stoppedAt === null ? frozenRun(frozenBy ?? name) : stoppedRun)

export const nameOf = ({ content }: RegisteredRun): RunName => content.run.name

/** Whether a run has this name, or is inside the run of this name. */
export const isPartOf = ({ content }: RegisteredRun, name: RunName): boolean =>
  content.run.name === name || content.outer.includes(name)

/**
 * Whether two proxies have registered the runs for the same sandbox with the same token. A proxy can name any sandbox, but a
 * sandbox belongs to one profile.
 */
export const servesSame = ({ content: { run, sandbox } }: RegisteredRun, { content: other }: RegisteredRun): boolean =>
  sandbox !== null && run.profile === other.run.profile && sandbox.id === other.sandbox?.id &&
  sandbox.generation === other.sandbox.generation

/** Describes the run for clients. `tokens` is known only for runs whose connection this daemon has. */
export const toRun = (
  { content: { run }, frozenAt, stoppedAt, tokens = 0 }: RegisteredRun & { readonly tokens?: number },
  uses: ReadonlyArray<RunUse> = []
): Run => ({
  ...run,
  uses,
  stoppedAt,
  frozenAt,
  ...(leastTokens(run.rules) === Infinity ? {} : { tokens })
})

export const keyIdOf = (peer: Peer): string | null => isRemote(peer) ? peer.identity.keyId : null

/** Whether a peer may see a run. A remote caller may see only the runs of its profile. */
export const maySee = (peer: Peer) => ({ profile }: Run): boolean =>
  !isRemote(peer) || peer.identity.profile === profile
