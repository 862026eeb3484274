import * as Effect from "effect/Effect"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { allHelp } from "../../scripts/generate/cli.ts"
import { onTerminal } from "../support/Terminal.ts"
import { cutOff, useWorkplace } from "../support/Transcript.ts"

const { publicKey } = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })

const files: Readonly<Record<string, string>> = {
  "my-api.json":
    "{\"name\":\"my-api\",\"auth_type\":\"api_key\",\"flow\":\"api_key\",\"api_url\":\"https://api.my-api.test\"}",
  ".bin/curl": "#!/bin/sh\nexit 0\n",
  ".bin/python3": "#!/bin/sh\nexit 0\n",
  ".bin/op": "#!/bin/sh\necho sk-0123456789abcdefghij\n",
  ".bin/claude": "#!/bin/sh\nexit 0\n",
  ".bin/codex": "#!/bin/sh\nexit 0\n",
  ".bin/docker": "#!/bin/sh\nexit 0\n",
  "app.js": "",
  "jwks.json": JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "ES256" }] }),
  "query.json": "{\"query\":\"{viewer{login}}\"}",
  "task.sh": "#!/bin/sh\nexit 0\n"
}

const key = "sk-0123456789abcdefghij"
const stored = `printf %s ${key} | credsvc login openai --stdin --force; printf %s ${key} | ` +
  "credsvc login openai --stdin --force --connection work"

const workplace = useWorkplace(undefined, async (workplace) => {
  cutOff(workplace.home)
  for (const [name, content] of Object.entries(files)) {
    fs.writeFileSync(path.join(workplace.directory, name), content, { mode: 0o755 })
  }
  const { exitCode, stderr } = await workplace.sh(
    "mkdir -p .zfunc .config/fish/completions .local/share/bash-completion/completions"
  )
  assert.strictEqual(exitCode, 0, stderr)
  await workplace.sh(stored)
})

/** The preparation of an example, the input typed at its questions, and its exit code if not 0. */
const needs: Readonly<
  Record<string, { readonly before?: string; readonly typed?: string; readonly exitCode?: number }>
> = {
  "credsvc login openai": { before: "credsvc logout openai", typed: `${key}\r` },
  "credsvc login": { before: "credsvc logout openai", typed: `openai\r${key}\r` },
  "credsvc login openai --connection work": { before: "credsvc logout openai --connection work", typed: `${key}\r` },
  "printf %s \"$KEY\" | credsvc login openai --stdin": { before: "credsvc logout openai" },
  "credsvc login openai --flow credential_command -- op read op://Work/OpenAI/key": {
    before: "credsvc logout openai",
    typed: "y\r"
  },
  "credsvc sandbox create dev --provider github-token": { before: "credsvc sandbox delete dev --yes" },
  "credsvc sandbox create dev --provider github-token --provider openai": {
    before: "credsvc sandbox delete dev --yes"
  },
  "credsvc sandbox delete dev": { typed: "y\r" },
  "credsvc policy set triage --rules rules.json": { before: "credsvc policy show triage > rules.json" },
  "credsvc policy remove triage": { typed: "y\r" },
  "credsvc export openai > .env": { before: stored },
  "credsvc set-default openai work": { before: stored },
  "credsvc set-contained-only openai work": { before: stored },
  "credsvc admin grant openai --to team": { before: `${stored}; credsvc profile create team` },
  "credsvc admin grant openai --connection work --to team": { before: stored },
  "credsvc register ./my-api.json": { before: "credsvc remove my-api --yes", typed: "y\r" },
  "credsvc register ./my-api.json --yes": { before: "credsvc remove my-api --yes" },
  "credsvc remove my-api": { before: "credsvc register ./my-api.json --force", typed: "y\r" },
  "credsvc profile create work": { exitCode: 4, before: "credsvc profile create work" },
  "credsvc profile use work": { before: "credsvc profile create work" },
  // The home of the test has no login file.
  "credsvc login claude-code --adopt": { exitCode: 4 },
  // No provider can be reached from the test.
  "credsvc doctor --probe": { before: stored, exitCode: 1 },
  // The test's curl and Python do nothing, and the command reports that.
  "credsvc doctor --trust": { exitCode: 1 },
  // The examples run in the home directory, which must not become writable.
  "credsvc run --contain -- npm test": { exitCode: 2 },
  "credsvc run --contain --read-only --ask -- claude": { exitCode: 2 },
  "credsvc doctor --contain": { exitCode: 1 },
  // This home's daemon already runs.
  "credsvc daemon serve": { exitCode: 9 },
  "credsvc daemon serve --front-socket /run/credsvc/front.sock --front-group www-data": { exitCode: 9 },
  "credsvc admin trust add ci --issuer github --claim repository=acme/shop --claim ref=refs/heads/main": {
    before: "credsvc profile create ci"
  },
  "credsvc admin restore credsvc.backup --check": {
    before: "[ -f credsvc.backup ] || credsvc admin backup credsvc.backup"
  },
  "credsvc admin restore credsvc.backup": { exitCode: 4 },
  // The name of a run of another home.
  "credsvc stop 3f2a9c81d0": { exitCode: 4 },
  "credsvc approve 0b8c2f6e --for run": { exitCode: 4 },
  "credsvc deny 0b8c2f6e": { exitCode: 4 },
  // Without a terminal.
  "credsvc approve --watch": { exitCode: 2 },
  "credsvc daemon serve --port 0": { exitCode: 9 }
}

/** These examples, and those that read a document, need the network, another machine or input, or do not end. The test only verifies that they are parsed. */
const elsewhere = new Set([
  "credsvc login github --flow device_code",
  "credsvc login https://mcp.example.com/mcp",
  "credsvc mcp",
  "credsvc proxy",
  "credsvc proxy --sandbox dev",
  "credsvc proxy --listen 172.17.0.1:7999",
  "credsvc ssh devbox",
  "CREDSVC_DAEMON_URL=https://credsvc.example.com credsvc enroll",
  "CREDSVC_DAEMON_URL=https://credsvc.example.com credsvc enroll --job",
  "credsvc admin disable laptop",
  "credsvc admin enable laptop",
  "credsvc api connections check --provider openai --connection default",
  "credsvc log requests --run 3f2a9c81d0 --follow",
  "openssl rand -base64 32 | tee new-key | credsvc vault rotate --stdin"
])

const last = "credsvc daemon stop"
const all = (await Effect.runPromise(allHelp)).flatMap((help) => (help.examples ?? []).map(({ command }) => command))
const examples = [...new Set(all)]
  // Examples such as `credsvc api auth start --provider <provider>` are templates.
  .filter((example) => !/<[\w-]+>/.test(example) && example !== last)

describe("the examples in the help", () => {
  it.each([...examples, last])("%s", async (example) => {
    const { before, exitCode = 0, typed } = needs[example] ?? {}
    if (before !== undefined) await workplace.sh(before)
    const isParsedOnly = elsewhere.has(example) || example.startsWith("credsvc ssh ") || example.endsWith(" --input -")
    const command = isParsedOnly
      ? example.replace(/( --.*)?$/, " --help$1")
      : example
    const quoted = command.replaceAll("'", "'\\''")
    const run = `KEY=${key} bash -c 'cd "$HOME"; ${quoted}'`
    if (typed === undefined) {
      const outcome = await workplace.sh(run)
      assert.strictEqual(outcome.exitCode, exitCode, outcome.stderr)
    } else {
      const terminal = onTerminal(workplace, run)
      await terminal.reply(/(?:: |\[y\/N\] |part of the name[^]*)$/, typed)
      const outcome = await terminal.ended
      assert.strictEqual(outcome.exitCode, exitCode, outcome.shown)
    }
  })
})
