/** Why a run gets no more credentials, and what to do. */
export const stoppedRun =
  "This run was stopped with credsvc stop and gets no more credentials. Start the command again with credsvc run."

const frozen = (log: string, otherwise = ""): string =>
  "This run gets no more credentials, because a request had a misplaced placeholder (--strict). " +
  `Find the request with ${log}, then start the command again with credsvc run${otherwise}.`

/** The message for a refused request of the frozen run `name`. */
export const frozenRun = (name: string): string => frozen(`credsvc log requests --run ${name}`)

export const frozenRunOrSandbox = frozen(
  "credsvc log requests",
  ", or replace the token of the sandbox with credsvc sandbox rotate"
)
