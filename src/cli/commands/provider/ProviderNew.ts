import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { ProvidersGroup } from "../../../api/ProvidersGroup.ts"
import { DaemonClient } from "../../../client/DaemonClient.ts"
import { parseAddress } from "../../../domain/definition/HostPattern.ts"
import { readDefinition } from "../../../domain/definition/ProviderDocument.ts"
import { InvalidRequestError } from "../../../domain/Errors.ts"
import { isProviderName } from "../../../domain/wire/Names.ts"
import { errorCode } from "../../../platform/ErrorCode.ts"
import { provideDaemon } from "../../daemon/DaemonAccess.ts"
import { Output } from "../../output/Output.ts"
import * as Prompt from "../../output/Prompt.ts"
import { type Authentication, defaultVariable, definitionOf } from "./NewDefinition.ts"

/** Asks until the input is valid. `wrong` returns the problem with an invalid answer. */
const asked = (question: string, wrong: (answer: string) => string | undefined, standard?: string) =>
  Effect.gen(function*() {
    const output = yield* Output
    for (;;) {
      const answer = (yield* Prompt.line(question, standard)).trim()
      const objection = wrong(answer)
      if (objection === undefined) return answer
      yield* output.warn(`This ${objection}.`)
    }
  })

/** Allows loopback addresses. Only `register` needs a flag for them. */
const options = { allowInsecureLoopback: true }

const notAddress = (answer: string): string | undefined => {
  const result = parseAddress(answer, options)
  return Result.isFailure(result) ? result.failure : undefined
}

const missing = (answer: string): string | undefined => answer === "" ? "must not be empty" : undefined

const notTemplate = (answer: string): string | undefined =>
  answer.startsWith("/") && answer.includes("{api_key}") ? undefined : "must begin with / and contain {api_key}"

const ways = ["bearer", "header", "query", "path", "basic", "oauth", "client", "discover"] as const
type Way = (typeof ways)[number]

const explanation = [
  "How do requests authenticate?",
  "  bearer    Authorization: Bearer <key>",
  "  header    <key> in another header, or with another prefix",
  "  query     <key> in a query parameter",
  "  path      <key> in the path",
  "  basic     user name and password (HTTP Basic)",
  "  oauth     OAuth with known endpoints",
  "  client    OAuth with a client ID and secret, without a user",
  "  discover  OAuth with endpoints from the metadata of an MCP server"
].join("\n")

const askScopes = Effect.map(
  Prompt.line("Scopes, separated by spaces"),
  (line) => line.split(/\s+/).filter((scope) => scope !== "")
)

const authenticationOf = Effect.fnUntraced(function*(way: Exclude<Way, "discover">) {
  const answer: Authentication = way === "header"
    ? {
      kind: way,
      name: yield* asked("Header", missing, "Authorization"),
      prefix: yield* Prompt.line("Prefix before the key (empty for none)")
    }
    : way === "query"
    ? { kind: way, parameter: yield* asked("Query parameter", missing) }
    : way === "path"
    ? { kind: way, template: yield* asked("Beginning of the path, for example /bot{api_key}", notTemplate) }
    : way === "oauth"
    ? {
      kind: way,
      authorizationUrl: yield* asked("Authorization endpoint", notAddress),
      tokenUrl: yield* asked("Token endpoint", notAddress),
      scopes: yield* askScopes
    }
    : way === "client"
    ? { kind: way, tokenUrl: yield* asked("Token endpoint", notAddress), scopes: yield* askScopes }
    : { kind: way }
  return answer
})

const discovered = Effect.fnUntraced(function*(name: string, url: string) {
  const client = yield* DaemonClient
  const output = yield* Output
  const found = yield* client.of(ProvidersGroup).discover({ payload: { url, ...options } })
  yield* output.note(`Logins go to ${new URL(found.authorizationServer).host}.`)
  return { ...found.definition as object, name }
})

export const create = Effect.fnUntraced(function*(input: { readonly name: string }) {
  const output = yield* Output
  const { name } = input
  if (!isProviderName(name)) {
    return yield* InvalidRequestError.at(
      "<name>",
      "invalid provider name: expected 1 to 64 characters from a-z, 0-9, '.', '_' and '-'"
    )
  }
  const file = `${name}.json`
  if (fs.existsSync(file)) return yield* InvalidRequestError.at("<name>", `file ${file} already exists`)
  yield* Effect.try({
    try: () => fs.accessSync(".", fs.constants.W_OK | fs.constants.X_OK),
    catch: (cause) =>
      InvalidRequestError.at(
        "<name>",
        `cannot create ${file} in this directory (${errorCode(cause)})`
      )
  })
  const url = yield* asked("URL of the API", notAddress)
  yield* output.tell(explanation)
  const way = (yield* asked(
    "Method",
    (answer) => ways.some((each) => each === answer) ? undefined : `must be one of ${ways.join(", ")}`,
    "bearer"
  )) as Way
  let document: object
  if (way === "discover") document = yield* discovered(name, url)
  else {
    const authentication = yield* authenticationOf(way)
    document = definitionOf({
      name,
      apiUrl: url,
      authentication,
      displayName: yield* Prompt.line("Display name", name),
      credentialsUrl: yield* asked(
        "Page to create the API key or OAuth app (empty for none)",
        (answer) => answer === "" ? undefined : notAddress(answer)
      ),
      variable: yield* Prompt.line("Environment variable", defaultVariable(name, authentication.kind))
    })
  }
  const checked = readDefinition(document, options)
  if (Result.isFailure(checked)) return yield* InvalidRequestError.of(checked.failure)
  fs.writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`, { flag: "wx" })
  yield* output.either(() => ({ path: file, definition: document }), () => `Wrote ${file}.`)
  const flag = Result.isSuccess(readDefinition(document)) ? "" : " --allow-insecure-loopback"
  yield* output.note(`To test it: credsvc provider test ${file}\nTo register it: credsvc register ${file}${flag}`)
}, provideDaemon())
