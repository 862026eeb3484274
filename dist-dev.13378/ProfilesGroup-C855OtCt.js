import { a as annotations, ft as status, h as get, i as RequestProblems, p as make, v as post } from "./SchemaProblems-DbdaqDHa.js";
import { T as Struct, et as optionalKey, i as ArraySchema } from "./Runtime-CYnC2HYz.js";
import { b as VaultUnavailableError, d as OperationNotAllowedError } from "./Errors-CqOgzwWL.js";
import { c as ProfileHandle, s as Profile } from "./main.js";

// src/api/ProfilesGroup.ts
/** Profiles: credential namespaces. */
var ProfilesGroup = class extends make("profiles").add(get("list", "/profiles", {
	success: Struct({
		active: ProfileHandle,
		profiles: ArraySchema(Profile)
	}),
	error: [VaultUnavailableError]
}).annotateMerge(annotations({
	identifier: "profiles.list",
	summary: "List profiles"
})), post("create", "/profiles", {
	payload: Struct({ handle: optionalKey(ProfileHandle) }),
	success: Profile.pipe(status(201)),
	error: [OperationNotAllowedError, VaultUnavailableError]
}).annotateMerge(annotations({
	identifier: "profiles.create",
	summary: "Create a profile",
	description: "Makes an Ed25519 identity; a handle is drawn when none is given. The active profile stays as it is."
})), post("use", "/profiles/:handle/use", {
	params: { handle: ProfileHandle },
	success: Profile,
	error: [OperationNotAllowedError, VaultUnavailableError]
}).annotateMerge(annotations({
	identifier: "profiles.use",
	summary: "Make a profile the active one"
}))).middleware(RequestProblems).annotateMerge(annotations({
	title: "Profiles",
	description: "Credential namespaces."
})) {};

export { ProfilesGroup as t };