/** The tools of the MCP server. `ToolSchemas` derives JSON schemas from the descriptions of their input and output. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DaemonClient } from "../../client/DaemonClient.ts"
import { InvalidRequestError, type PublishedError } from "../../domain/Errors.ts"
import { isMethod } from "../../domain/rules/Rule.ts"
import { problemsOf } from "../../domain/text/SchemaProblems.ts"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { AuthType, ProviderName } from "../../domain/wire/ProviderName.ts"
import { wire } from "../../domain/wire/Wire.ts"
import { singleLine } from "../output/Sanitize.ts"
import { containedMessage, isContained } from "./Instructions.ts"
import { Logins, LoginState } from "./Logins.ts"
import { daemonView } from "./McpDaemon.ts"
import { allows, Connected, connectedOf, explain, Explained, readReach } from "./Reach.ts"

interface Description<Input, Output> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Schema.Codec<Input, unknown>
  readonly output: Schema.Codec<unknown, Output>
  /** Whether a call changes nothing. */
  readonly readOnly: boolean
  readonly call: (input: Input) => Effect.Effect<Output, PublishedError, DaemonClient | Logins>
}

export interface ToolResult {
  readonly isError: boolean
  readonly text: string
  /** The result, or undefined after an error. */
  readonly structured: Readonly<Record<string, unknown>> | undefined
}

export interface Tool extends Pick<Description<never, never>, "name" | "title" | "description" | "readOnly"> {
  readonly input: Schema.Constraint
  readonly output: Schema.Constraint
  /** Validates the arguments, and turns every failure into a result that says what to do. */
  readonly call: (args: unknown) => Effect.Effect<ToolResult, never, DaemonClient | Logins>
}

const error = (text: string): ToolResult => ({ isError: true, text: singleLine(text, 1000), structured: undefined })

const failureText = ({ detail, message }: { readonly detail?: string | undefined; readonly message: string }): string =>
  detail ?? message

/** The text of an unexpected error could contain anything, so the agent gets only its name. */
const defectText = (cause: Cause.Cause<unknown>): string => {
  const defect = Cause.squash(cause)
  return `Unexpected failure (${
    defect instanceof Error ? defect.name : typeof defect
  }). The user can look at: credsvc log --raw`
}

const tool = <Input, Output extends ToolResult["structured"] & object>(
  description: Description<Input, Output>
): Tool => {
  const decode = Schema.decodeUnknownEffect(description.input, { onExcessProperty: "error", errors: "all" })
  return {
    ...description,
    call: (args) =>
      Effect.gen(function*() {
        if (isContained()) return error(containedMessage)
        const input = yield* decode(args)
        const structured = yield* description.call(input)
        return { isError: false, text: JSON.stringify(structured), structured }
      }).pipe(
        Effect.catch((failure) =>
          Effect.succeed(error(
            Schema.isSchemaError(failure)
              ? problemsOf(failure).map(({ message, path }) => `${path.slice(1) || "arguments"}: ${message}`).join("; ")
              : failureText(failure)
          ))
        ),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.succeed(error(defectText(cause)))
        )
      )
  }
}

/** The input of a tool without arguments. `Schema.Struct({})` would accept any arguments. */
const nothing = Schema.Record(Schema.String, Schema.Never.annotate({ message: "is an unknown field" }))

const listConnections = tool({
  name: "list_connections",
  title: "List connections",
  description:
    "Lists the APIs that you can use: each provider with its hosts, the status of its connections, and the environment " +
    "variables with placeholders that its clients read. Never returns a credential.",
  input: nothing,
  output: Connected,
  readOnly: true,
  call: Effect.fnUntraced(function*() {
    const { providers } = yield* daemonView
    return connectedOf(yield* readReach, yield* providers)
  })
})

const maxFound = 20

const Found = wire({
  providers: Schema.Array(wire({
    provider: ProviderName,
    displayName: Schema.String,
    authType: AuthType,
    connected: Schema.Boolean,
    hosts: Schema.Array(Schema.String),
    variables: Schema.Array(Schema.String)
  })),
  more: Schema.Int.annotate({ description: "How many other providers match" })
})

const findProviders = tool({
  name: "find_providers",
  title: "Find providers",
  description:
    "Finds providers by name or host, with or without a connection. Use it to learn the name that request_login needs.",
  input: Schema.Struct({
    query: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)).annotate({
      description: "A part of the name or of a host, such as github or api.stripe.com"
    })
  }),
  output: Found,
  readOnly: true,
  call: Effect.fnUntraced(function*({ query }) {
    const daemon = yield* daemonView
    const wanted = query.toLowerCase()
    const connected = new Set((yield* daemon.connections).map(({ provider }) => provider))
    const found = (yield* daemon.providers).filter(({ display_name: title, hosts, name }) =>
      allows(daemon.limits, name) &&
      [name, title, ...hosts].some((text) => text.toLowerCase().includes(wanted))
    )
    return {
      providers: found.slice(0, maxFound).map(({ auth_type, display_name, hosts, name, variables }) => ({
        provider: name,
        display_name: singleLine(display_name),
        auth_type,
        connected: connected.has(name),
        hosts,
        variables
      })),
      more: Math.max(0, found.length - maxFound)
    }
  })
})

const HttpUrl = Schema.String.check(
  Schema.isMaxLength(2048),
  Schema.makeFilter((text: string) => {
    if (!URL.canParse(text)) return false
    const { password, protocol, username } = new URL(text)
    return (protocol === "https:" || protocol === "http:") && username === "" && password === ""
  }, { expected: "an http or https URL without a user or password" })
)

const explainUrl = tool({
  name: "explain_url",
  title: "Explain a request",
  description:
    "Says whether a request to a URL is allowed and gets a credential. Names the provider, the connection, and the variables " +
    "with placeholders, or what to do if the request gets no credential. Sends nothing to the URL.",
  input: Schema.Struct({
    method: Schema.optionalKey(
      Schema.String.check(Schema.makeFilter(isMethod, { expected: "a method such as GET" })).annotate({
        description: "The method of the request (default: GET)"
      })
    ),
    url: HttpUrl.annotate({ description: "The URL of the request, such as https://api.github.com/user" })
  }),
  output: Explained,
  readOnly: true,
  call: ({ method = "GET", url }) =>
    Effect.flatMap(readReach, (reach) => {
      const explained = explain(reach, method, url)
      return explained === undefined
        ? Effect.fail(InvalidRequestError.at("url", "must be a URL without a fragment"))
        : Effect.succeed(explained)
    })
})

const target = {
  provider: ProviderName.annotate({ description: "The name of the provider, as find_providers returns it" }),
  connection: Schema.optionalKey(
    ConnectionName.annotate({ description: "The name of the connection. Omit it unless the user has several accounts" })
  )
}

const requestLogin = tool({
  name: "request_login",
  title: "Ask the user to log in",
  description:
    "Starts a login and returns the URL of a page where the user enters the credential or continues to the provider. " +
    "Show the URL to the user. You never see the credential. If a login is already open, returns that one.",
  input: Schema.Struct(target),
  output: LoginState,
  readOnly: false,
  call: ({ connection = defaultConnectionName, provider }) =>
    Effect.flatMap(Logins, (logins) => logins.request({ provider, connection }))
})

const longestWait = 25

const checkLogin = tool({
  name: "check_login",
  title: "Check a login",
  description: "Returns the state of a login that request_login started.",
  input: Schema.Struct({
    ...target,
    wait_seconds: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestWait })).annotate({
        description: "Waits this long for the end of the login, 0 to 25 seconds (default: 0)"
      })
    )
  }),
  output: LoginState,
  readOnly: true,
  call: ({ connection = defaultConnectionName, provider, wait_seconds = 0 }) =>
    Effect.flatMap(Logins, (logins) => logins.check({ provider, connection }, wait_seconds))
})

export const tools: ReadonlyArray<Tool> = [listConnections, findProviders, explainUrl, requestLogin, checkLogin]
