import { Es as match, V as encodeSync, _r as fnUntraced } from "./Runtime-CYnC2HYz.js";
import { t as ProfilesGroup } from "./ProfilesGroup-C855OtCt.js";
import { r as DaemonClient, t as provideDaemon } from "./DaemonAccess-BaVV5d5J.js";
import { r as Output, s as Profile } from "./main.js";

// src/cli/commands/Profile.ts
const document = encodeSync(Profile);
const create = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const profile = yield* client.of(ProfilesGroup).create({ payload: match(input.handle, {
		onNone: () => ({}),
		onSome: (handle) => ({ handle })
	}) });
	if (output.json) return yield* output.document(document(profile));
	yield* output.data(profile.handle);
	yield* output.note(`Created the profile. Make it the active one with: credsvc profile use ${profile.handle}`);
}, provideDaemon());
const use = fnUntraced(function* (input) {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const profile = yield* client.of(ProfilesGroup).use({ params: { handle: input.handle } });
	if (output.json) return yield* output.document(document(profile));
	yield* output.note(`The active profile is now ${profile.handle}.`);
}, provideDaemon());
const list = fnUntraced(function* () {
	const client = yield* DaemonClient;
	const output = yield* Output;
	const { active, profiles } = yield* client.of(ProfilesGroup).list();
	yield* output.either(() => ({
		active,
		profiles: profiles.map((profile) => document(profile))
	}), () => output.table([
		"PROFILE",
		"CREATED",
		"ACTIVE"
	], profiles.map((profile) => [
		{ text: profile.handle },
		{ text: document(profile).created_at },
		{
			text: profile.active ? "yes" : "",
			style: "green"
		}
	])));
}, provideDaemon());

export { create, list, use };