/** Command-line agents. One prompt tells each to run a command that also sends a request to the API. */
import type { Client } from "./Client.ts"

const agent = (name: string, provider: Client["agent"], script: string, more: Partial<Client> = {}): Client => ({
  name,
  command: script.split(" ", 1)[0]!,
  args: [],
  // The agents store settings and sessions in the home directory.
  script: `export HOME="$PWD" SHELL=/bin/sh; ${script}`,
  agent: provider,
  heavy: true,
  ...more
})

export const agentClients: ReadonlyArray<Client> = [
  agent("Claude Code", "anthropic", "claude -p hello --allowedTools Bash"),
  // By default its commands have no network access.
  agent(
    "Codex",
    "openai",
    "codex exec --skip-git-repo-check -m gpt-5 -s workspace-write -c sandbox_workspace_write.network_access=true hello",
    {
      // It creates no helpers in a home below the directory for temporary files.
      env: { TMPDIR: "/var/tmp" },
      failsContained: "its own sandbox needs namespaces"
    }
  ),
  agent("Codex without its sandbox", "openai", "codex exec --skip-git-repo-check -m gpt-5 -s danger-full-access hello"),
  agent("Gemini CLI", "gemini", "gemini --skip-trust --approval-mode yolo -p hello", {
    installed: "@google/gemini-cli",
    heavy: false
  }),
  agent("opencode with Anthropic", "anthropic", "opencode run -m anthropic/claude-sonnet-4-5 hello"),
  agent("opencode with OpenAI", "openai", "opencode run -m openai/gpt-5 hello"),
  agent("opencode with Google", "gemini", "opencode run -m google/gemini-2.5-pro hello")
]
