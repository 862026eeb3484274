/** What the operations of all groups use: query parameters, facts from which documents are generated, and middleware. */
import * as Context from "effect/Context"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  InvalidRequestError,
  OperationNotAllowedError,
  UnexpectedError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import type { CurrentProfile } from "../domain/wire/Profile.ts"
import { named } from "../domain/wire/Wire.ts"

export const BooleanText = Schema.Literals(["true", "false"]).pipe(named("BooleanText", "A boolean value in a query"))

/** An optional query parameter. */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema).annotateKey({ description })

/** Text that matches a pattern; error messages state what is `expected`. */
export const matching = (pattern: RegExp, expected: string) =>
  Schema.String.check(Schema.isPattern(pattern, { expected }))

/** Facts about an operation that its schemas cannot express. */
export interface OperationFacts {
  /**
   * Who may call the operation. `administrator`: the local user. `profile`: also a remote caller, in the profile of its identity.
   * `job`: also a job that a trust has enrolled. `anyone`: also a remote caller without a signature.
   */
  readonly callers: "administrator" | "profile" | "job" | "anyone"
  /** When the response contains a secret: always, or only if the query parameter `reveal` is set. */
  readonly reveals?: "always" | "on_request"
  /** Whether a field of the body is a secret, which must not be an argument of a command. */
  readonly hasSecretBody?: true
  /** Whether the response stays open after its first line. The client must first prove the access key, or sign the request. */
  readonly isHeld?: true
  /** Whether the response has an entity tag, so that a client can keep it until it changes. */
  readonly hasEntityTag?: true
  /**
   * Whether the operation validates its body itself. It can accept repeated keys, because only programs read the body. The
   * strict parser would block the daemon for 15 ms several times a second.
   */
  readonly readsBody?: true
}

const Facts = Context.Reference<OperationFacts>("credsvc/api/OperationFacts", {
  defaultValue: () => ({ callers: "administrator" })
})

export const factsOf = ({ annotations }: { readonly annotations: Context.Context<never> }): OperationFacts =>
  Context.get(annotations, Facts)

/** Constructors of endpoints that add these annotations. */
const annotating = (annotations: Context.Context<never>) => {
  const by = <Make extends (...declared: any) => any>(make: Make) =>
    ((...declared: Parameters<Make>) => make(...declared).annotateMerge(annotations)) as Make
  return { get: by(HttpApiEndpoint.get), post: by(HttpApiEndpoint.post), delete: by(HttpApiEndpoint.delete) }
}

/** Describes an operation. Its ID consists of the names of the group and the operation, such as `audit.list`. */
const documentedFor =
  (callers: OperationFacts["callers"]) =>
  (summary: string, description: string, facts: Omit<OperationFacts, "callers"> = {}) =>
    annotating(Context.add(OpenApi.annotations({ summary, description }), Facts, { ...facts, callers }))

export const forAdministrator = documentedFor("administrator")
export const forProfile = documentedFor("profile")
export const forJobs = documentedFor("job")
export const forAnyone = documentedFor("anyone")

/** The texts of a group of operations. */
export const titled = (title: string, description: string) => OpenApi.annotations({ title, description })

/** Converts a decoding failure to `InvalidRequestError`, and a defect to `UnexpectedError` without its cause. */
export class RequestProblems extends HttpApiMiddleware.Service<RequestProblems>()("credsvc/api/RequestProblems", {
  error: [InvalidRequestError, UnexpectedError]
}) {}

/** Selects the profile of a request: the profile in the `Credsvc-Profile` header, or the active profile. */
export class ProfileSelection extends HttpApiMiddleware.Service<ProfileSelection, {
  provides: CurrentProfile
}>()("credsvc/api/ProfileSelection", {
  error: [OperationNotAllowedError, InvalidRequestError, VaultUnavailableError]
}) {}
