/**
 * The model APIs of agents, as far as one prompt needs them: the model requests a shell command, and responds with
 * `served` once the command's output contains it. An agent therefore works if its own requests and those of its tools
 * do.
 */
import type * as Http from "node:http"
import type { WebSocket } from "ws"
import { API_HOST } from "./Client.ts"

/** By the bundled provider of the agent's connection. */
export const agentHosts = {
  anthropic: "api.anthropic.com",
  openai: "api.openai.com",
  gemini: "generativelanguage.googleapis.com"
}

const COMMAND = `curl -sS https://${API_HOST}/tool`

/** The parts of a request's body that this module reads, for any of the three APIs. */
interface Prompt {
  readonly generate?: boolean
  readonly messages?: ReadonlyArray<unknown>
  readonly input?: ReadonlyArray<unknown>
  readonly contents?: ReadonlyArray<unknown>
  readonly tools?: ReadonlyArray<unknown>
}

type Event = { readonly type?: string } & Readonly<Record<string, unknown>>

type Turn =
  | { readonly tool: string }
  | { readonly text: string }

/** Agents name their shell tool differently, and also request titles and the like without offering it. */
const next = ({ contents, generate, input, messages, tools }: Prompt, shells: RegExp): Turn => {
  const last = JSON.stringify((messages ?? input ?? contents ?? []).at(-1) ?? "")
  if (/tool_result|call_output|functionResponse/.test(last)) {
    return { text: last.includes("served") ? "served" : `the command has printed ${last}` }
  }
  const tool = shells.exec(JSON.stringify(tools ?? ""))?.[1]
  return tool === undefined || generate === false ? { text: "a title" } : { tool }
}

/** A prompt after the command. */
const served: Prompt = { contents: ["functionResponse served"] }

const usage = { input_tokens: 1, output_tokens: 1 }

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
const messages = (prompt: Prompt, command = COMMAND): ReadonlyArray<Event> => {
  const turn = next(prompt, /"name":"(bash)"/i)
  const [block, delta, reason] = "tool" in turn
    ? [
      { type: "tool_use", id: "toolu_1", name: turn.tool, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify({ command, description: "ask" }) },
      "tool_use"
    ]
    : [{ type: "text", text: "" }, { type: "text_delta", text: turn.text }, "end_turn"]
  return [
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage }
    },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: "message_stop" }
  ]
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
const responses = (prompt: Prompt, command = COMMAND): ReadonlyArray<Event> => {
  const turn = next(prompt, /"name":"(exec_command|bash)"/)
  const item = "tool" in turn
    ? {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: turn.tool,
      arguments: JSON.stringify({ cmd: command, command, description: "ask" })
    }
    : {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: turn.text, annotations: [] }]
    }
  const response = { id: "resp_1", object: "response", created_at: 0, model: "m", usage: { ...usage, total_tokens: 2 } }
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
    ..."text" in turn
      ? [{ type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: turn.text }]
      : [],
    { type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed" } },
    { type: "response.completed", response: { ...response, status: "completed", output: [item] } }
  ]
}

/** https://ai.google.dev/api/generate-content */
const candidates = (prompt: Prompt): Event => {
  const turn = next(prompt, /"name":"(run_shell_command|bash)"/)
  const part = "tool" in turn
    ? { functionCall: { name: turn.tool, args: { command: COMMAND, description: "ask" } } }
    : { text: turn.text }
  return {
    candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [part] } }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  }
}

const textOf = (events: ReadonlyArray<Event>): string =>
  events.map((event) => `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`)
    .join("")

const completions = [
  { index: 0, delta: { role: "assistant", content: "served" }, finish_reason: null },
  { index: 0, delta: {}, finish_reason: "stop" }
]

/** Responds in the form of the API that the path belongs to, for some with "served" at once. */
export const agentText = (pathname: string, body: string, command: string): string =>
  body === ""
    ? "served"
    : pathname.endsWith(":streamGenerateContent")
    ? textOf([{ response: candidates(served) }])
    : pathname === "/chat/completions"
    ? `${textOf([{ id: "chat_1", object: "chat.completion.chunk", model: "m", choices: completions }])}data: [DONE]\n\n`
    : body === ""
    ? "served"
    : textOf((pathname === "/v1/messages" ? messages : responses)(JSON.parse(body), command))

const send = (response: Http.ServerResponse, events: ReadonlyArray<Event>): void => {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(textOf(events))
}

/** Handles an authenticated request. Other requests of agents get 404. */
export const answerAgent = (pathname: string, body: string, response: Http.ServerResponse): void => {
  const prompt = (): Prompt => JSON.parse(body)
  if (pathname === "/v1/messages") send(response, messages(prompt()))
  else if (pathname === "/v1/responses") send(response, responses(prompt()))
  else if (pathname.endsWith(":streamGenerateContent")) send(response, [candidates(prompt())])
  else if (pathname.endsWith("/hello")) response.writeHead(200, { "content-type": "application/json" }).end("{}")
  else response.writeHead(404, { "content-type": "application/json" }).end(`{"error":{"message":"not here"}}`)
}

/** The same over WebSocket, which Codex prefers: each message of the client is the body of a request. */
export const converse = (connection: WebSocket, command?: string): void => {
  connection.on("message", (message) => {
    for (const event of responses(JSON.parse(String(message)), command)) connection.send(JSON.stringify(event))
  })
}
