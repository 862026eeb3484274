/** Enrolls the identity of this home at a daemon on another machine. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { ensurePublicKey } from "../../client/IdentitySigner.ts"
import { Settings } from "../../config/Settings.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../../domain/Errors.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"
import { given } from "../parse/Given.ts"
import { readText } from "../parse/InputText.ts"
import type { EnrollInput } from "../tree/CommandInputs.ts"

const local = () =>
  OperationNotAllowedError.of(
    "The daemon of this machine needs no enrollment. To enroll at another daemon, set CREDSVC_DAEMON_URL to its https URL."
  )

const readCode = Effect.gen(function*() {
  const output = yield* Output
  if (output.interactive) return yield* Prompt.secret("Enrollment code")
  const text = (yield* readText({ flag: "stdin", maxKib: 1 })).trim()
  return text === ""
    ? yield* InvalidRequestError.at("stdin", "expected an enrollment code")
    : Redacted.make(text)
})

export const enroll = Effect.fnUntraced(function*({ audience, job, trust }: EnrollInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  const { profile } = yield* Settings
  const { loopback, url } = yield* client.address
  if (loopback) return yield* local()
  for (const [flag, value] of [["--audience", audience], ["--trust", trust]] as const) {
    if (!job && Option.isSome(value)) yield* InvalidRequestError.at(flag, "requires --job")
  }
  const { findToken } = yield* Effect.promise(() => import("./JobToken.ts"))
  const token = job ? yield* findToken(Option.getOrUndefined(audience), url.href.replace(/\/$/, "")) : undefined
  const key = { public_key: yield* ensurePublicKey(Option.getOrUndefined(profile)) }
  const identity = token === undefined
    ? yield* call("identities.enroll", { code: yield* readCode, ...key })
    : yield* call("trusts.enroll", { token, ...key, ...given({ trust }) })
  if (output.json) return yield* output.document(identity)
  const expiry = identity.job === null ? "" : ` The enrollment expires ${output.time(identity.job.expires_at)}.`
  yield* output.note(
    `Enrolled at ${url.host} as "${identity.name}". You use the connections of the profile ${identity.profile}.${expiry}`
  )
}, provideDaemon({ start: false }))
