/**
 * Serves the tools over stdin and stdout, until the client closes stdin. Only protocol messages are written to stdout.
 *
 * The deprecated `Server` of the SDK takes JSON schemas; its successor `McpServer` takes only Zod schemas, which would
 * describe each shape a second time.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  type ReadResourceRequest,
  ReadResourceRequestSchema,
  type Tool as DescribedTool
} from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import type { DaemonClient } from "../../client/DaemonClient.ts"
import { isTerminal } from "../../platform/process/Terminal.ts"
import { version } from "../../platform/process/Version.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { instructions } from "./Instructions.ts"
import { Logins } from "./Logins.ts"
import { discovered, lasting, ofEveryRevision } from "./Revisions.ts"
import { type Tool, type ToolResult, tools } from "./Tools.ts"
import { toolSchemas } from "./ToolSchemas.ts"

const guide = {
  uri: "credsvc://instructions",
  name: "instructions",
  title: "How to use the user's credentials",
  mimeType: "text/plain"
}

const describeTool = ({ description, name, readOnly, title }: Tool): DescribedTool => ({
  name,
  title,
  description,
  ...toolSchemas[name] as Pick<DescribedTool, "inputSchema" | "outputSchema">,
  annotations: { title, readOnlyHint: readOnly, destructiveHint: false, idempotentHint: true, openWorldHint: !readOnly }
})

const responseOf = ({ isError, structured, text }: ToolResult): CallToolResult => ({
  content: [{ type: "text", text }],
  ...(structured === undefined ? {} : { structuredContent: structured }),
  ...(isError ? { isError } : {})
})

/** The time after the end of stdin within which responses to requests in progress are still sent. */
const lastResponses = 2000

const serve = Effect.gen(function*() {
  const run = Effect.runPromiseWith(yield* Effect.context<DaemonClient | Logins>())
  yield* Effect.callback<void>((resume) => {
    let calls = 0
    let ending = false
    const end = () => resume(Effect.void)
    const capabilities = { tools: {}, resources: {} }
    const server = new Server({ name: "credsvc", version }, { capabilities, instructions: instructions() })
    server.fallbackRequestHandler = ofEveryRevision((request) => {
      if (request.method === "server/discover") return discovered(capabilities, instructions())
      throw new McpError(ErrorCode.MethodNotFound, "Method not found")
    }, lasting)
    server.setRequestHandler(
      ListToolsRequestSchema,
      ofEveryRevision(() => ({ tools: tools.map(describeTool) }), lasting)
    )
    const callTool = ({ params }: CallToolRequest, { signal }: { readonly signal: AbortSignal }) => {
      const tool = tools.find(({ name }) => name === params.name)
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, "unknown tool")
      calls++
      return run(Effect.map(tool.call(params.arguments ?? {}), responseOf), { signal }).finally(() => {
        calls--
        if (ending && calls === 0) setImmediate(end)
      })
    }
    server.setRequestHandler(CallToolRequestSchema, ofEveryRevision(callTool))
    server.setRequestHandler(ListResourcesRequestSchema, ofEveryRevision(() => ({ resources: [guide] }), lasting))
    const readResource = ({ params }: ReadResourceRequest) => {
      if (params.uri !== guide.uri) throw new McpError(ErrorCode.InvalidParams, "unknown resource")
      return { contents: [{ uri: guide.uri, mimeType: guide.mimeType, text: instructions() }] }
    }
    server.setRequestHandler(ReadResourceRequestSchema, ofEveryRevision(readResource, lasting))
    const onEnd = () => {
      ending = true
      setTimeout(end, calls === 0 ? 0 : lastResponses)
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has only this
    server.onclose = end
    process.stdin.once("end", onEnd)
    process.stdout.once("error", end)
    // The SDK copies what it has of a message with each further chunk of it.
    server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: 2 ** 20 })).catch(end)
    return Effect.promise(() => server.close())
  })
})

export const mcp = Effect.fnUntraced(
  function*() {
    const output = yield* Output
    if (isTerminal(0)) {
      yield* output.tell(
        "This command is for agents, which use it over stdin and stdout. Add it to your agent as an MCP server with the command: credsvc mcp"
      )
    }
    yield* serve
  },
  Effect.provide(Logins.layer),
  provideDaemon()
)
