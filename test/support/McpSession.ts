/** An MCP client of the SDK, connected to `credsvc mcp` of a built program. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { entry } from "./Sandbox.ts"

export interface ToolOutcome {
  readonly isError: boolean
  readonly text: string
  readonly data: any
}

/** Opens a session. `wrapper`: a command that starts the server. `seen`: where it sees Node and the built program. */
export const openMcpSession = async (
  { cwd, env, seen = { node: process.execPath, entry }, wrapper = [] }: {
    readonly env: NodeJS.ProcessEnv
    readonly cwd: string
    readonly seen?: { readonly node: string; readonly entry: string }
    readonly wrapper?: ReadonlyArray<string>
  }
) => {
  const [command = "", ...args] = [...wrapper, seen.node, seen.entry, "mcp"]
  const transport = new StdioClientTransport({
    command,
    args,
    env: env as Record<string, string>,
    cwd,
    stderr: "pipe"
  })
  const messages: Array<JSONRPCMessage> = []
  let stderr = ""
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has only this
  transport.onmessage = (message) => void messages.push(message)
  transport.stderr?.on("data", (chunk: Buffer) => stderr += chunk.toString())
  const client = new Client({ name: "credsvc-test", version: "1" })
  try {
    await client.connect(transport)
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${stderr}`, { cause: error })
  }
  return {
    client,
    pid: transport.pid ?? 0,
    /** Everything that the server has sent, on stdout as messages and on stderr. */
    received: () => JSON.stringify(messages) + stderr,
    call: async (
      name: string,
      args: Readonly<Record<string, unknown>> = {},
      options?: { readonly signal: AbortSignal }
    ): Promise<ToolOutcome> => {
      const { content, isError, structuredContent } = await client.callTool(
        { name, arguments: args },
        undefined,
        options
      )
      const [first] = content as ReadonlyArray<{ readonly text: string }>
      return { isError: isError === true, text: first?.text ?? "", data: structuredContent }
    },
    close: () => client.close()
  }
}

export type McpSession = Awaited<ReturnType<typeof openMcpSession>>
