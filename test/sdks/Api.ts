/** The table of vendors' APIs: with which key a user logs in, how it must arrive, what programs call, and the responses. */

export interface ApiRequest {
  readonly method: string
  /** Host and path, without the query. */
  readonly place: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** JSON, text, or events for a text that begins as events do. */
export type Answer = object | string | ((request: ApiRequest) => object | string)

export interface Program {
  /** The npm package, or a command of the machine. */
  readonly name: string
  readonly kind: "sdk" | "cli"
  /** A module that ends the process with 0 and prints `served`, or for a command line a script for `sh`. */
  readonly script: string
  readonly env?: Readonly<Record<string, string>> | undefined
}

export interface Api {
  /** The bundled provider. */
  readonly provider: string
  /** Downloads of the first package in a month, in millions. */
  readonly downloads: number
  /** What a login reads: the key, or its fields. `$` is a random text. */
  readonly login: string | Readonly<Record<string, string>>
  /** The region or the tenant's address. */
  readonly base?: string
  /** How the real key arrives: a header, the beginning of a path (`/`), or a parameter of the query (`?`). */
  readonly arrives: string
  /** Each must be requested: method, host and path, in which `*` stands for one segment. */
  readonly calls: Readonly<Record<string, Answer>>
  /** Where the credential is exchanged for the key of requests. */
  readonly token?: string
  readonly programs: ReadonlyArray<Program>
}

export const sdk = (name: string, script: string, env?: Program["env"]): Program => ({ name, kind: "sdk", script, env })
export const cli = (name: string, script: string, env?: Program["env"]): Program => ({ name, kind: "cli", script, env })

export const basic = (user: string, password: string): string =>
  `authorization: Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

/** Events in the form of Server-Sent Events, each after its name if it has one. */
export const events = (...data: ReadonlyArray<string | object | readonly [name: string, data: object]>): string =>
  data.map((each) => {
    const [name, content] = Array.isArray(each) ? each : [undefined, each]
    return `${name === undefined ? "" : `event: ${name}\n`}data: ${
      typeof content === "string" ? content : JSON.stringify(content)
    }\n\n`
  }).join("")

/** The text in the file that programs upload. */
export const FILE = "contents of the file"

/** Responds only to a request with the file. */
export const upload = (answer: object | string): Answer => ({ body }) => {
  if (!body.includes(FILE)) throw new Error("the file is missing")
  return answer
}

/** Responds with events where the request wants them. */
export const either = (whole: object, streamed: string): Answer => ({ body, place }) =>
  /"stream":\s*true/.test(body) || /stream/i.test(place) ? streamed : whole

/** The response to a chat in the form that many vendors took over. */
export const chat: Answer = either(
  {
    id: "chat-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "served" } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  },
  events(
    ...["ser", "ved"].map((content) => ({
      id: "chat-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, finish_reason: null, delta: { role: "assistant", content } }]
    })),
    {
      id: "chat-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, finish_reason: "stop", delta: {} }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    },
    "[DONE]"
  )
)
