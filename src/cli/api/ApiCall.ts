/** Sends one request to the daemon and prints its response unchanged. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isObject } from "effect/Predicate"
import type { Operation, Place } from "../../api/Operations.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { DaemonRequest } from "../../client/DaemonConnection.ts"
import { readResponse } from "../../client/Responses.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import { readText } from "../parse/InputText.ts"
import { requestOf, type Values } from "./OperationCall.ts"

/** The values of the set flags whose parameters are at these places of a request. A toggle that is not set is left out. */
const valuesAt = ({ parameters }: Operation, input: Values, ...places: ReadonlyArray<Place>): Values =>
  Object.fromEntries(
    parameters.filter(({ place }) => places.includes(place)).flatMap(({ flag, kind, name }) => {
      const read = input[flag]
      const value = Option.isOption(read) ? Option.getOrUndefined(read) : read
      const isAbsent = value === undefined || (Array.isArray(value) && value.length === 0) ||
        (kind === "toggle" && value === false)
      return isAbsent ? [] : [[name, value]]
    })
  )

const parse = (text: string) =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    // The parser's message quotes the text, which may contain a secret.
    catch: () => InvalidRequestError.at("--input", "not valid JSON")
  })

const bodyOf = Effect.fnUntraced(function*(input: Values, fields: Values) {
  const file = Option.getOrUndefined(input["input"] as Option.Option<string>)
  if (file === undefined) return fields
  const text = yield* readText({ file: file === "-" ? undefined : file, flag: "--input", maxKib: 4096 })
  const body = yield* parse(text)
  if (Object.keys(fields).length === 0) return body
  return isObject(body)
    ? { ...body, ...fields }
    : yield* InvalidRequestError.at("--input", "must be a JSON object if flags set its fields")
})

const headersOf = Effect.fnUntraced(function*(operation: Operation, input: Values) {
  const headers = Object.entries(valuesAt(operation, input, "header")).map(([name, value]) => [name, String(value)])
  const invalid = headers.find(([, value]) => !/^[\x20-\x7e]*$/.test(value!))?.[0]
  const flag = operation.parameters.find(({ name, place }) => place === "header" && name === invalid)?.flag
  return flag === undefined
    ? Object.fromEntries(headers) as Readonly<Record<string, string>>
    : yield* InvalidRequestError.at(`--${flag}`, "must be printable ASCII")
})

/** Prints the first line of a response that stays open, and keeps it open until the daemon or the user ends it. */
const hold = Effect.fnUntraced(function*(request: DaemonRequest) {
  const client = yield* DaemonClient
  const output = yield* Output
  const response = yield* client.hold(request)
  yield* output.document(yield* readResponse(response))
  yield* response.ended
}, Effect.scoped)

/** The handler of `credsvc api` for one operation. */
export const apiHandlerOf = (operation: Operation) =>
  Effect.fnUntraced(function*(input: Values) {
    const client = yield* DaemonClient
    const output = yield* Output
    const confirmed = input["show-secret"] === true
    if (operation.reveals === "always" && !confirmed) {
      return yield* InvalidRequestError.at(
        "--show-secret",
        "is required: the response of this operation contains a secret"
      )
    }
    const headers = yield* headersOf(operation, input)
    const body = operation.hasBody ? yield* bodyOf(input, valuesAt(operation, input, "body")) : undefined
    const reveal = operation.reveals === "on_request" && confirmed ? true : undefined
    const request = requestOf(operation, { ...valuesAt(operation, input, "path", "query"), reveal }, body, headers)
    if (operation.isHeld) return yield* hold(request)
    const response = yield* client.send(request)
    yield* output.document(yield* readResponse(response))
    if (response.status >= 400) return yield* Effect.fail(new Exited(1))
  }, provideDaemon())
