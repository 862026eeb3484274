/** The operations on runs: registration, reports of requests, and questions to the user. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { InvalidRequestError, OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import {
  AskedQuestion,
  GivenAnswer,
  QuestionAnswered,
  QuestionId,
  QuestionList,
  QuestionOutcome
} from "../domain/rules/Question.ts"
import { RunId } from "../domain/wire/Resolve.ts"
import { Run, RunList, RunName, RunRegistration, RunsStopped } from "../domain/wire/Run.ts"
import { struct } from "../domain/wire/Wire.ts"
import { forAdministrator, forJobs, forProfile, titled } from "./OperationParts.ts"

export const RequestReport = struct("RequestReport", "A batch of requests of a run", {
  part: [
    Schema.Int,
    "The number of the report: even, and greater than the previous one. A report that is sent again keeps its number"
  ],
  last: [Schema.Boolean, "Whether this is the last report"],
  missing: [Schema.Int, "The number of requests that were dropped since the previous report"],
  entries: [
    Schema.Array(Schema.Array(Schema.NullOr(Schema.Union([Schema.String, Schema.Int])))),
    "The requests, each as an array"
  ]
})

const RequestsRecorded = struct("RequestsRecorded", "The report was stored", {
  status: [Schema.Literal("recorded"), "The report was stored"]
})

export class RunsGroup extends HttpApiGroup.make("runs")
  .add(
    forProfile("List active runs", "Lists the registered runs, oldest first, and the runs that contain the caller.")
      .get("list", "/runs", { success: RunList }),
    forJobs(
      "Register a run",
      "For `credsvc run`, on a connection that has proved that the client knows the access key. The response is " +
        "one line and stays open: the run " +
        "is registered until it ends. Each further line is a notice: `changed` asks the run to resolve the credentials of " +
        "its open streams again; `stopped` and `frozen` say that the run gets no more credentials. Empty lines have no meaning. A run inside another run " +
        "can do at most what that run may do, and uses its profile unless " +
        "`Credsvc-Profile` names another one. Requests with the same `Credsvc-Run` resolve credentials within the limits.",
      { isHeld: true }
    ).post("register", "/runs", {
      headers: Schema.Struct({ "credsvc-run": RunId }),
      payload: RunRegistration,
      success: Run,
      error: [InvalidRequestError, OperationNotAllowedError, VaultUnavailableError]
    }),
    forJobs(
      "Report the requests of a run",
      "For the proxy of a registered run: a batch of requests for the request log, each as an array of time, method, host, path, " +
        "status, bytes of the request, bytes of the response, provider, connection, rule and error. The response is sent " +
        "when the batch is stored. Sending a batch again changes nothing.",
      { readsBody: true }
    ).post("report", "/runs/requests", {
      headers: Schema.Struct({ "credsvc-run": RunId }),
      payload: RequestReport,
      success: RequestsRecorded,
      error: [InvalidRequestError, OperationNotAllowedError, VaultUnavailableError]
    }),
    forAdministrator(
      "List the requests that wait for the user",
      "Lists the requests outside the rules of runs with `--ask`, oldest first, until they are answered or expire. A command " +
        "in a run sees only the requests of that run."
    ).get("questions", "/runs/questions", { success: QuestionList }),
    forAdministrator(
      "Ask the user about a request",
      "For the proxy of a run that was registered with `ask`. Waits up to 20 seconds for the answer; the proxy asks again with " +
        "the same ID. A question expires after two minutes without an answer, and is withdrawn when the proxy stops asking."
    ).post("ask", "/runs/questions", {
      headers: Schema.Struct({ "credsvc-run": RunId }),
      payload: AskedQuestion,
      success: QuestionOutcome,
      error: [InvalidRequestError, OperationNotAllowedError]
    }),
    forAdministrator(
      "Answer a question for the user",
      "Allows or refuses a waiting request. Commands inside runs cannot answer, nor can callers whose process the daemon cannot " +
        "determine."
    ).post("answer", "/runs/questions/:id/answer", {
      params: { id: QuestionId },
      payload: GivenAnswer,
      success: QuestionAnswered,
      error: [InvalidRequestError, OperationNotAllowedError, VaultUnavailableError]
    }),
    forProfile(
      "Stop a run",
      "Ends the permission of the run, and of the runs inside it, to get credentials. Their open streams with a " +
        "credential are closed, and their commands receive SIGTERM. A caller inside a run can stop only runs inside that run."
    ).post("stop", "/runs/:name/stop", {
      params: { name: RunName },
      success: RunsStopped,
      error: [OperationNotAllowedError, VaultUnavailableError]
    })
  )
  .annotateMerge(titled("Runs", "The running `credsvc run` commands."))
{}
