/**
 * The commands that show what happens or decide about runs: `whoami`, `runs`, `stop`, `approve`, `deny`, `explain`, `doctor`,
 * `log` and `ui`.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { requestText } from "../../domain/rules/Question.ts"
import { plural } from "../../domain/text/Plural.ts"
import { explainParams, logParams, requestsParams } from "./CommandInputs.ts"
import { chosen, command, lazy } from "./CommandParts.ts"
import { operationCommand, questionArgument } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

export const whoami = operationCommand("system.whoami", {
  summary: "Show the home of credsvc, the profile and the source of the master key",
  examples: `
  credsvc whoami
  credsvc whoami --json`,
  text: (response, output) =>
    output.data(output.fields([
      ["home", response.home],
      ["profile", response.profile],
      ["identity", response.identity],
      ["master key mode", response.home === "" ? "" : response.master_key_mode],
      ["master key source", response.home === "" ? "" : response.master_key_source ?? "none"],
      ["description", response.master_key_description],
      ["daemon", response.daemon_url],
      ["version", response.version]
    ]))
})

export const runs = operationCommand("runs.list", {
  name: "runs",
  summary: "List the commands under `credsvc run`, and their limits",
  examples: `
  credsvc runs
  credsvc runs --json`,
  text: ({ runs }, output) =>
    runs.length === 0
      ? output.note("Nothing is running under credsvc run.")
      : output.data(output.table(runs, {
        RUN: ({ name }) => name,
        PROGRAM: ({ program }) => program ?? "-",
        PROCESS: ({ pid }) => String(pid),
        PROFILE: ({ profile }) => profile,
        // The providers, each with the connection that the run is limited to.
        PROVIDERS: ({ connections, providers }) =>
          chosen(providers ?? ["all", ...Object.keys(connections)], connections),
        CONTAINED: ({ contained }) => contained ? "yes" : "no",
        STARTED: ({ started_at }) => output.time(started_at),
        USED: ({ uses }) =>
          uses.map(({ connection, provider }) => connection === "default" ? provider : `${provider}=${connection}`)
            .join(", ") || "-",
        STATE: ({ frozen_at, rules, stopped_at, tokens }) =>
          stopped_at !== null
            ? { text: "stopped", style: "red" }
            : frozen_at !== null
            ? { text: "frozen", style: "red" }
            : tokens === undefined
            ? "running"
            : `running, ${tokens} of ${Math.min(...rules.map((set) => set.max_tokens ?? Infinity))} tokens`
      }))
})

export const stop = operationCommand("runs.stop", {
  examples: "credsvc stop 3f2a9c81d0",
  text: ({ runs }, output, { name }) => {
    const inner = runs.filter((each) => each !== name).length
    if (runs.length === 0) return output.note(`The run ${name} was already stopped.`)
    return output.note(
      inner === 0 ? `Stopped the run ${name}.` : `Stopped the run ${name} and ${plural(inner, "run")} inside it.`
    )
  }
})

export const approve = command("approve", {
  params: {
    id: Argument.optional(questionArgument),
    answer: Param.optional(
      Flag.Literals("for", ["once", "run", "always"]),
      "What to allow for the request with the ID. once: this request only (default); run: such requests for the rest of the run; always: also in later runs, by a " +
        "rule that is added to the policies of the run"
    ),
    watch: Param.toggle("watch", "Keep asking in this terminal, as requests come in")
  },
  handler: lazy(() => import("../commands/Approve.ts").then((m) => m.approve)),
  calls: ["runs.questions", "runs.answer"],
  document: "the waiting requests, or with an ID the request that was allowed",
  description:
    "Allow a request outside the rules of a run that was started with `credsvc run --ask`. Without an ID, asks about all " +
    "waiting requests, or lists them if there is no terminal. Does not work inside a run",
  summary: "Allow requests that wait for your approval",
  examples: `
  credsvc approve
  credsvc approve --watch
  credsvc approve 0b8c2f6e --for run`
})

export const deny = operationCommand("runs.answer", {
  name: "deny",
  defaults: { answer: "no" },
  description: "Refuse a request that waits for you, and such requests for the rest of the run",
  summary: "Refuse a waiting request",
  examples: "credsvc deny 0b8c2f6e",
  text: ({ question }, output) => {
    const request = requestText({ ...question, webSocket: question.web_socket === true })
    return output.note(`Denied for the run ${question.run}: ${request}`)
  }
})

export const explain = command("explain", {
  params: explainParams,
  handler: lazy(() => import("../commands/Explain.ts").then((m) => m.explain)),
  calls: ["runs.list", "proxy.routes", "policies.get", "connections.list", "connections.get", "audit.requests"],
  document: "the outcome of the request, with the connection, rule and placeholder that apply",
  description:
    "Explain what `credsvc run` with the same options would do with a request: which connection, rule and placeholder " +
    "apply. Sends nothing",
  summary: "Explain which connection and rule apply to a request",
  examples: `
  credsvc explain GET https://api.openai.com/v1/models
  credsvc explain DELETE https://api.github.com/repos/acme/app --allow 'GET api.github.com/repos/acme/**'
  credsvc explain POST https://api.github.com/graphql --read-only --header 'Content-Type: application/json' --data @query.json`
})

export const doctor = command("doctor", {
  params: {
    probe: Param.toggle(
      "probe",
      "Also send one request for each connection to its provider, to see whether the key works"
    ),
    trust: Param.toggle(
      "trust",
      "Instead, test which programs on this machine work under `credsvc run`; sends nothing to the network"
    ),
    contain: Param.toggle(
      "contain",
      "Instead, test whether runs can be contained on this machine, and list what they would hide"
    )
  },
  handler: lazy(() => import("../commands/doctor/Doctor.ts").then((m) => m.doctor)),
  calls: ["system.health", "system.ready", "audit.verify", "connections.list"],
  document: "the results of the checks; --trust and --contain have their own schemas",
  description: "Run health checks; exits 0 if all pass",
  examples: `
  credsvc doctor
  credsvc doctor --probe  # Do the providers accept the stored keys?
  credsvc doctor --trust  # Test curl, git, Node, Python and other programs
  credsvc doctor --contain  # What would \`run --contain\` hide from a command started here?`
})

const logRequests = command("requests", {
  params: requestsParams,
  handler: lazy(() => import("../commands/LogRequests.ts").then((m) => m.requests)),
  calls: ["audit.requests"],
  document: "the requests",
  description: "Show requests of runs: those with a credential and those that were refused, newest last",
  examples: `
  credsvc log requests --failed --since 1h
  credsvc log requests --run 3f2a9c81d0 --follow
  credsvc log requests --format jsonl --since 7d`
})

const logVerify = operationCommand("audit.verify", {
  summary: "Verify the integrity of the whole audit log",
  examples: "credsvc log verify",
  fails: ({ ok }) => !ok,
  text: ({ copy, entries, first, problem, request_batches }, output) =>
    output.data(
      problem ??
        `The chain of ${plural(entries, "entry", "entries")} is intact` +
          (first === 1 ? "." : `, from entry ${first} on: older entries were deleted because of their age.`) +
          (request_batches === 0
            ? ""
            : ` The chain of ${plural(request_batches, "batch", "batches")} of requests is intact.`) +
          (copy === "rewritten" ? " The copy of the audit log was missing and has been rewritten." : "")
    )
})

export const log = command("log", {
  params: logParams,
  handler: lazy(() => import("../commands/Log.ts").then((m) => m.log)),
  calls: ["audit.list"],
  document: "the entries",
  description:
    "Show the audit log, newest entries last. The requests of runs have a log of their own: credsvc log requests",
  summary: "Show the audit log, the requests of runs, or whether the logs are intact",
  examples: `
  credsvc log -n 20
  credsvc log --provider openai --event export --since 7d
  credsvc log --raw`
}).pipe(Command.withSubcommands([logRequests, logVerify]))

export const ui = command("ui", {
  params: { noBrowser: Param.toggle("no-browser", "Only print the URL") },
  handler: lazy(() => import("../commands/Ui.ts").then((m) => m.ui)),
  calls: ["system.health"],
  fails: ["OperationNotAllowedError"],
  document: "the URL of the dashboard, and whether a browser was opened",
  description: "Open the dashboard in the browser",
  examples: `
  credsvc ui
  credsvc ui --no-browser`
})
