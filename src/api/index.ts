/** The public types of the API, for clients of the daemon. */
export * from "../domain/definition/Provider.ts"
export * from "../domain/definition/ProviderFields.ts"
export * from "../domain/Errors.ts"
export * from "../domain/rules/Policy.ts"
export {
  Answer,
  AskedQuestion,
  GivenAnswer,
  Outcome,
  Question,
  QuestionAnswered,
  QuestionId,
  QuestionList,
  QuestionOutcome
} from "../domain/rules/Question.ts"
export { PolicyName } from "../domain/rules/RuleSchemas.ts"
export * from "../domain/wire/AuditEntry.ts"
export * from "../domain/wire/AuthSession.ts"
export * from "../domain/wire/Connection.ts"
export * from "../domain/wire/ConnectionResults.ts"
export * from "../domain/wire/Health.ts"
export * from "../domain/wire/Identity.ts"
export * from "../domain/wire/Profile.ts"
export * from "../domain/wire/ProxyRoutes.ts"
export * from "../domain/wire/Resolve.ts"
export {
  Run,
  RunList,
  RunName,
  RunRegistration,
  RunsStopped,
  RunUse,
  SandboxKey,
  Unmatched
} from "../domain/wire/Run.ts"
export * from "../domain/wire/Sandbox.ts"
export * from "../domain/wire/Trust.ts"
export * from "../domain/wire/VaultKeys.ts"
export { Api } from "./Api.ts"
export * from "./AuditGroup.ts"
export * from "./AuthGroup.ts"
export * from "./ConnectionsGroup.ts"
export * from "./CredentialsGroup.ts"
export * from "./GrantsGroup.ts"
export * from "./IdentitiesGroup.ts"
export * from "./PoliciesGroup.ts"
export * from "./ProfilesGroup.ts"
export * from "./ProvidersGroup.ts"
export * from "./ProxyGroup.ts"
export * from "./RunsGroup.ts"
export * from "./SandboxesGroup.ts"
export * from "./SystemGroup.ts"
export * from "./TrustsGroup.ts"
export * from "./VaultGroup.ts"
