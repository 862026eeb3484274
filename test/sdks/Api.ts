/** The table of vendors' APIs: with which key a user logs in, how it must arrive, what programs call, and the responses. */

export interface ApiRequest {
  readonly method: string
  /** Host and path, without the query. */
  readonly place: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** JSON with the status 200 or another one, text, or events for a text that begins as events do. */
export type Content = object | string | readonly [status: number, content: object]

export type Answer = Content | ((request: ApiRequest) => Content)

/** An API, with a provider's name as its key in a table. */
export interface Api {
  /** How the real key arrives: a header, the beginning of a path (`/`), or a parameter of the query (`?`). `$` is a random text. */
  readonly key: string
  /** What a login reads, if not the last word of `key`: the key, or its fields. */
  readonly login?: string | Readonly<Record<string, string>>
  /** The region or the tenant's address. */
  readonly base?: string
  /** The login method, if not the first. */
  readonly flow?: string
  /** Each must be requested: method, host and path, in which `*` stands for one segment. */
  readonly calls: Readonly<Record<string, Answer>>
  /** Calls that need no key, or exchange the credential for it. */
  readonly open?: Readonly<Record<string, Answer>>
  /** By the name of a package: a module that uses it as `sdk` and prints `served`. */
  readonly sdk?: Readonly<Record<string, string>>
  /** By the name of a package or of a command of the machine: a script for `sh` that prints `served`. */
  readonly cli?: Readonly<Record<string, string>>
  /** For a command line that the proxy of a run does not reach. */
  readonly option?: "--base-url"
}

export type Apis = Readonly<Record<string, Api>>

export const basic = (user: string, password: string): string =>
  `authorization: Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

/** The response of a token endpoint with the key. */
export const token = { access_token: "$", token_type: "Bearer", expires_in: 3600 }

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
export const upload = (answer: Content): Answer => ({ body }) => {
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
    system_fingerprint: null,
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
