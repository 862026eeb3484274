/** Asks for login parameters that the command line does not specify. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InvalidRequestError } from "../../domain/Errors.ts"
import type { FlowKind, ProviderName } from "../../domain/wire/ProviderName.ts"
import { call } from "../api/OperationCall.ts"
import { choose } from "../output/ChoiceList.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"
import { hasBrowser } from "./UrlOpener.ts"

export const chooseProvider = Effect.fnUntraced(function*(typed = "") {
  const { providers } = yield* call("providers.list")
  const chosen = yield* choose(
    "Provider",
    providers.map(({ display_name, name }) => ({ value: name, label: display_name })),
    typed
  )
  return chosen as ProviderName
})

export const missingProvider = Effect.gen(function*() {
  const output = yield* Output
  if (output.interactive) return yield* chooseProvider()
  return yield* InvalidRequestError.at(
    "",
    "missing argument <provider>. Search for a provider with: credsvc list <text>"
  )
})

/** Asks for the login method if no browser can show the provider's page and the provider supports the device flow. */
export const flowWithoutBrowser = Effect.fnUntraced(function*(provider: ProviderName) {
  if (hasBrowser()) return Option.none<FlowKind>()
  const found = yield* Effect.option(call("providers.get", { provider }))
  if (Option.isNone(found)) return Option.none<FlowKind>()
  const { flow, flows = [] } = found.value
  if ((flow !== "pkce" && flow !== "dcr_pkce") || !flows.includes("device_code")) return Option.none<FlowKind>()
  const chosen = yield* choose("Login method", [
    { value: "device_code", label: "Enter a code on any device" },
    { value: flow, label: "Log in on any device, and paste the address of the last page of the login" }
  ])
  return Option.some(chosen as FlowKind)
})

export const lacksAddress = (error: InvalidRequestError): boolean =>
  error.problems.length > 0 && error.problems.every(({ path }) => path === "/base_url")

export const askAddress = Effect.fnUntraced(function*(error: InvalidRequestError) {
  const output = yield* Output
  yield* output.tell(
    error.problems.map(({ message }) => message.replace(/\. Specify it with --base-url(.*)\.$/, "$1.")).join(" ")
  )
  return yield* Prompt.line("URL")
})
