/** The operations on sandboxes, and the operation that returns what a proxy needs to serve them. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { connectionErrors, OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import {
  NewSandbox,
  Sandbox,
  SandboxAccess,
  SandboxDeleted,
  SandboxName,
  ServedSandboxes
} from "../domain/wire/Sandbox.ts"
import { struct } from "../domain/wire/Wire.ts"
import { forProfile, ProfileSelection, titled } from "./OperationParts.ts"

const SandboxList = struct("SandboxList", "The sandboxes of a profile", {
  sandboxes: [Schema.Array(Sandbox), "The sandboxes, sorted by name"]
})

export class SandboxesGroup extends HttpApiGroup.make("sandboxes")
  .add(
    forProfile("List sandboxes", "Lists the sandboxes of the profile by name, including expired ones.")
      .get("list", "/sandboxes", { success: SandboxList, error: [VaultUnavailableError] }),
    forProfile(
      "Create a sandbox",
      "Creates a token and a certificate authority for the hosts of the providers. Both expire with the sandbox. " +
        "Names are unique in the home of credsvc; an expired sandbox is replaced.",
      { reveals: "always" }
    ).post("create", "/sandboxes", {
      payload: NewSandbox,
      success: SandboxAccess.pipe(HttpApiSchema.status(201)),
      error: connectionErrors
    }),
    forProfile("Read the token of a sandbox", "The audit log records the access before the response is sent.", {
      reveals: "always"
    }).post("access", "/sandboxes/:name/access", {
      params: { name: SandboxName },
      success: SandboxAccess,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }),
    forProfile(
      "Replace the token of a sandbox",
      "The previous token no longer works, and its connections are closed.",
      { reveals: "always" }
    ).post("rotate", "/sandboxes/:name/rotate", {
      params: { name: SandboxName },
      success: SandboxAccess,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }),
    forProfile("Delete a sandbox", "The token of the sandbox no longer works, and its connections are closed.")
      .delete("remove", "/sandboxes/:name", {
        params: { name: SandboxName },
        success: SandboxDeleted,
        error: [OperationNotAllowedError, VaultUnavailableError]
      }),
    forProfile(
      "Get what a proxy needs to serve sandboxes",
      "Returns the active sandboxes of all profiles, with the keys of their certificate authorities and digests of their " +
        "tokens. Responds with 304 to an `If-None-Match` with the current version.",
      { reveals: "always", hasEntityTag: true }
    ).get("served", "/proxy/sandboxes", {
      success: ServedSandboxes,
      error: [OperationNotAllowedError, VaultUnavailableError]
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(
    titled("Sandboxes", "Limited access for programs in containers and on other machines, through `credsvc proxy`.")
  )
{}
