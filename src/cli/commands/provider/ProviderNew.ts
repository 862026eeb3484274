import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { parseAddress } from "../../../domain/definition/HostPattern.ts"
import { readDefinition } from "../../../domain/definition/ProviderDocument.ts"
import { type InputCancelledError, InvalidRequestError } from "../../../domain/Errors.ts"
import { isProviderName, variablePrefix } from "../../../domain/wire/Names.ts"
import { errorCode } from "../../../platform/ErrorCode.ts"
import { call } from "../../api/OperationCall.ts"
import { provideDaemon } from "../../daemon/DaemonAccess.ts"
import { Output } from "../../output/Output.ts"
import * as Prompt from "../../output/Prompt.ts"

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

const askScopes = Effect.map(
  Prompt.line("Scopes, separated by spaces"),
  (line) => line.split(/\s+/).filter((scope) => scope !== "")
)

/** A section of the definition with these answers. */
const section = (name: "api_key" | "oauth", answers: Effect.Effect<object, InputCancelledError, Output>) =>
  Effect.map(answers, (answers): object => ({ [name]: answers }))

const basic = {
  api_key: {
    basic: { username: "{username}", password: "{api_key}" },
    fields: [{ name: "username", label: "User name", secret: false }, { name: "api_key", label: "Password" }]
  }
}

/** How requests authenticate: the login method, an explanation, and the questions for the definition's section about it. */
const methods = {
  bearer: { flow: "api_key", text: "Authorization: Bearer <key>", asks: Effect.succeed({}) },
  header: {
    flow: "api_key",
    text: "<key> in another header, or with another prefix",
    asks: section(
      "api_key",
      Effect.all({
        header_name: asked("Header", missing, "Authorization"),
        header_prefix: Prompt.line("Prefix before the key (empty for none)")
      })
    )
  },
  query: {
    flow: "api_key",
    text: "<key> in a query parameter",
    asks: section("api_key", Effect.all({ query_param: asked("Query parameter", missing) }))
  },
  path: {
    flow: "api_key",
    text: "<key> in the path",
    asks: section(
      "api_key",
      Effect.all({
        path_templates: Effect.all([asked("Beginning of the path, for example /bot{api_key}", notTemplate)])
      })
    )
  },
  basic: { flow: "api_key", text: "user name and password (HTTP Basic)", asks: Effect.succeed(basic) },
  oauth: {
    flow: "pkce",
    text: "OAuth with known endpoints",
    asks: section(
      "oauth",
      Effect.all({
        authorization_url: asked("Authorization endpoint", notAddress),
        token_url: asked("Token endpoint", notAddress),
        scopes: askScopes
      })
    )
  },
  client: {
    flow: "client_credentials",
    text: "OAuth with a client ID and secret, without a user",
    asks: section(
      "oauth",
      Effect.all({
        token_url: asked("Token endpoint", notAddress),
        client_credentials: Effect.map(askScopes, (scopes) => ({ scopes }))
      })
    )
  }
} as const

type Method = keyof typeof methods

const discovery = "discover"
const names = [...Object.keys(methods), discovery]

const explanation = [
  "How do requests authenticate?",
  ...Object.entries(methods).map(([name, { text }]) => `  ${name.padEnd(8)}  ${text}`),
  "  discover  OAuth with endpoints from the metadata of an MCP server"
].join("\n")

/** Asks for a definition with this method. */
const described = Effect.fnUntraced(function*(name: string, url: string, method: Method) {
  const { asks, flow } = methods[method]
  const answers: object = yield* asks
  const displayName = yield* Prompt.line("Display name", name)
  const page = yield* asked(
    "Page to create the API key or OAuth app (empty for none)",
    (answer) => answer === "" ? undefined : notAddress(answer)
  )
  const field = flow === "api_key" ? "api_key" : "access_token"
  const variable = yield* Prompt.line("Environment variable", `${variablePrefix(name)}_${field.toUpperCase()}`)
  return {
    schema_version: 1,
    name,
    display_name: displayName,
    ...(page === "" ? {} : { credentials_url: page }),
    auth_type: flow === "api_key" ? "api_key" : "oauth2",
    flow,
    api_url: url,
    ...answers,
    export: { env: { [field]: variable } }
  }
})

const discovered = Effect.fnUntraced(function*(name: string, url: string) {
  const { authorization_server, definition } = yield* call("providers.discover", { url, allow_insecure_loopback: true })
  yield* (yield* Output).note(`Logins go to ${new URL(authorization_server).host}.`)
  return { ...definition as object, name }
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
  const method = yield* asked(
    "Method",
    (answer) => names.includes(answer) ? undefined : `must be one of ${names.join(", ")}`,
    "bearer"
  )
  const document = yield* method === discovery ? discovered(name, url) : described(name, url, method as Method)
  const checked = readDefinition(document, options)
  if (Result.isFailure(checked)) return yield* InvalidRequestError.of(checked.failure)
  fs.writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`, { flag: "wx" })
  yield* output.either(() => ({ path: file, definition: document }), () => `Wrote ${file}.`)
  const flag = Result.isSuccess(readDefinition(document)) ? "" : " --allow-insecure-loopback"
  yield* output.note(`To test it: credsvc provider test ${file}\nTo register it: credsvc register ${file}${flag}`)
}, provideDaemon())
