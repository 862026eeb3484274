/** Sends one request to the daemon and prints its response unchanged. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Operation, Parameter, Place } from "../../api/Operations.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { DaemonRequest } from "../../client/DaemonConnection.ts"
import { readResponse } from "../../client/Responses.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { readText } from "../InputText.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"

type Input = Readonly<Record<string, unknown>>

interface Given {
  readonly parameter: Parameter
  readonly value: unknown
}

const wrong = (path: string, message: string) => Effect.fail(InvalidRequestError.of([{ path, message }]))

/** The parameters whose flags are set. A toggle that is not set is left out of the request. */
const givenOf = ({ parameters }: Operation, input: Input): ReadonlyArray<Given> =>
  parameters.flatMap((parameter) => {
    const read = input[parameter.flag]
    const value = Option.isOption(read) ? Option.getOrUndefined(read) : read
    const isAbsent = value === undefined || (Array.isArray(value) && value.length === 0) ||
      (parameter.kind === "toggle" && value === false)
    return isAbsent ? [] : [{ parameter, value }]
  })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string) =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    // The parser's message quotes the text, which may contain a secret.
    catch: () => InvalidRequestError.of([{ path: "--input", message: "not valid JSON" }])
  })

const bodyOf = Effect.fnUntraced(function*(input: Input, fields: Readonly<Record<string, unknown>>) {
  const file = Option.getOrUndefined(input["input"] as Option.Option<string>)
  if (file === undefined) return fields
  const text = yield* readText({ file: file === "-" ? undefined : file, flag: "--input", maxKib: 4096 })
  const body = yield* parse(text)
  if (Object.keys(fields).length === 0) return body
  return isObject(body)
    ? { ...body, ...fields }
    : yield* wrong("--input", "must be a JSON object if flags set fields of it")
})

const headersOf = Effect.fnUntraced(function*(given: ReadonlyArray<Given>) {
  for (const { parameter: { flag }, value } of given) {
    if (!/^[\x20-\x7e]*$/.test(String(value))) return yield* wrong(`--${flag}`, "must be printable ASCII")
  }
  return Object.fromEntries(given.map(({ parameter: { name }, value }) => [name, String(value)]))
})

/** Prints the first line of a response that stays open, and keeps it open until the daemon or the user ends it. */
const hold = Effect.fnUntraced(function*(request: DaemonRequest) {
  const client = yield* DaemonClient
  const output = yield* Output
  const response = yield* client.hold(request)
  yield* output.document(yield* readResponse(response))
  yield* response.ended
}, Effect.scoped)

export const call = (operation: Operation) =>
  Effect.fnUntraced(function*(input: Input) {
    const client = yield* DaemonClient
    const output = yield* Output
    const confirmed = input["show-secret"] === true
    if (operation.reveals === "always" && !confirmed) {
      return yield* wrong("--show-secret", "is required: the response of this operation contains a secret")
    }
    const given = givenOf(operation, input)
    const at = (place: Place) => given.filter(({ parameter }) => parameter.place === place)
    const fieldsAt = (place: Place) =>
      Object.fromEntries(at(place).map(({ parameter, value }) => [parameter.name, value]))

    const segments = fieldsAt("path")
    const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(segments[name])))
    const query = new URLSearchParams(
      at("query").flatMap(({ parameter, value }) =>
        [value].flat().map((each): [string, string] => [parameter.name, String(each)])
      )
    )
    if (operation.reveals === "on_request" && confirmed) query.set("reveal", "true")
    const body = operation.hasBody ? JSON.stringify(yield* bodyOf(input, fieldsAt("body"))) : undefined
    const request: DaemonRequest = {
      method: operation.method,
      path: query.size === 0 ? path : `${path}?${query}`,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...yield* headersOf(at("header"))
      },
      body
    }
    if (operation.isHeld) return yield* hold(request)
    const response = yield* client.send(request)
    yield* output.document(yield* readResponse(response))
    if (response.status >= 400) return yield* Effect.fail(new Exited(1))
  }, provideDaemon())
