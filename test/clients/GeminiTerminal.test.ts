/** The terminal interface of Gemini CLI, which is the only place where it logs in and out. */
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { canContainClients } from "../support/ContainedSandbox.ts"
import { type LoginVendor, openLoginVendor } from "../support/LoginVendor.ts"
import { entry, openProgram } from "../support/Sandbox.ts"
import { onTerminal } from "../support/Terminal.ts"
import { agentText, converse } from "./AgentApi.ts"
import { hasCommand, linkPrograms } from "./ClientSuite.ts"

let vendor: LoginVendor
let sandbox: ReturnType<typeof openProgram>
let PATH: string
const children: Array<ChildProcess> = []

beforeAll(async () => {
  vendor = await openLoginVendor({ text: (pathname, body) => agentText(pathname, body, ""), converse })
  // Contained runs have a /tmp of their own.
  sandbox = openProgram([vendor], { parent: process.getuid?.() === 0 ? "/var/cache" : os.homedir() })
  PATH = linkPrograms(path.join(sandbox.directory, "bin"))
  await sandbox.must(["daemon", "start", "--port", "0"])
})
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL")
  await sandbox.close()
  await vendor.close()
})

/** Sends what the user's browser would send to the program, which waits for it on this machine. */
const callBack = async (shown: string): Promise<void> => {
  const link = /https:\/\/accounts\.google\.com\/[^]*?apps\.googleusercontent\.com/.exec(shown)![0]
  const { searchParams } = new URL(link.replace(/\s/g, ""))
  const state = searchParams.get("state")!
  await fetch(`${searchParams.get("redirect_uri")}?${new URLSearchParams({ code: "code-of-ada", state })}`, {
    redirect: "manual"
  })
}

/** What the program shows, and what the user then types, or does elsewhere. */
type Step = readonly [shown: RegExp, keys: string | ((shown: string) => Promise<void>)]

const TRUST: Step = [/Do you trust the files/, "\r"]
const READY: Step = [/Type your message/, ""]
const logins: Readonly<Record<"plain" | "contained", ReadonlyArray<Step>>> = {
  plain: [
    [/1\. Sign in with Google/, "\r"],
    [/Do you want to continue/, "\r"],
    [/apps\.googleusercontent\.com/, callBack],
    [/Press R to restart/, "r"]
  ],
  contained: [[/1\. Sign in with Google/, "\r"], [/Enter the authorization code:/, "code-of-ada\r"]]
}

describe.skipIf(!hasCommand("gemini")).each(["plain", "contained"] as const)("Gemini CLI in a terminal, %s", (kind) => {
  /** A user with connections of its own, and a function that starts the program. */
  const make = async (name: string) => {
    const profile = `${kind}-${name}`
    await sandbox.must(["profile", "create", profile])
    const home = path.join(sandbox.directory, profile)
    const directory = path.join(home, "work")
    fs.mkdirSync(path.join(home, ".gemini"), { recursive: true })
    fs.mkdirSync(directory)
    const env: Record<string, string> = {
      ...sandbox.env as Record<string, string>,
      HOME: home,
      PATH,
      CREDSVC_PROFILE: profile,
      // It opens a browser only then. A contained run hides it.
      DISPLAY: ":0"
    }
    const command = `'${process.execPath}' '${entry}' run ${kind === "contained" ? "--contain " : ""}-- gemini`
    const open = () => {
      const terminal = onTerminal({ directory, env, track: (child) => void children.push(child) }, `exec ${command}`)
      let from = 0
      const read = (): string => stripVTControlCharacters(terminal.shown().slice(from))
      const until = async (pattern: RegExp): Promise<string> => {
        const missed = once(AbortSignal.timeout(60_000), "abort").then(() =>
          assert.fail(`no ${pattern} in:\n${read()}`)
        )
        await Promise.race([terminal.until({ test: () => pattern.test(read()) }), missed])
        const shown = read()
        from = terminal.shown().length
        return shown
      }
      return {
        follow: async (...steps: ReadonlyArray<Step>): Promise<void> => {
          for (const [pattern, keys] of steps) {
            const shown = await until(pattern)
            if (typeof keys === "string") terminal.type(keys)
            else await keys(shown)
          }
        },
        /** Enters a line. The program takes an end of the line that follows at once for part of a pasted text. */
        enter: async (text: string, answer: RegExp): Promise<void> => {
          terminal.type(text)
          await until(new RegExp(text.slice(-4)))
          const pressing = setInterval(() => terminal.type("\r"), 500)
          await until(answer).finally(() => clearInterval(pressing))
        },
        close: async (): Promise<void> => {
          const pressing = setInterval(() => terminal.type("\x03"), 500)
          await terminal.ended.finally(() => clearInterval(pressing))
        }
      }
    }
    const own = kind === "contained" ? path.join(home, ".local/state/credsvc/agents/gemini-cli") : home
    return { env, home, login: path.join(own, ".gemini/oauth_creds.json"), open }
  }

  it.skipIf(kind === "contained" && !canContainClients)("works with a login that was taken over", async () => {
    const { env, home, open } = await make("adopted")
    const { expires_in: _, ...tokens } = vendor.tokens("google", "ada")
    const login = JSON.stringify({ ...tokens, expiry_date: Date.now() + 3_600_000 })
    fs.writeFileSync(path.join(home, ".gemini/oauth_creds.json"), login)
    const settings = { security: { auth: { selectedType: "oauth-personal" } } }
    fs.writeFileSync(path.join(home, ".gemini/settings.json"), JSON.stringify(settings))
    await sandbox.must(["login", "gemini-cli", "--adopt"], { env })
    const terminal = open()
    await terminal.follow(TRUST, READY)
    await terminal.enter("hello", /served/)
    await terminal.close()
  }, 240_000)

  it.skipIf(kind === "contained" && !canContainClients)(
    "logs in, starts again, continues after a rejected token, and logs out",
    async () => {
      const { login, open } = await make("login")
      const first = open()
      await first.follow(TRUST, ...logins[kind], READY)
      await first.enter("hello", /served/)
      await first.close()
      const text = fs.readFileSync(login, "utf8")
      assert.include(text, "credsvc-proxy-managed")
      assert.deepStrictEqual(vendor.issued.filter((token) => text.includes(token)), [])
      const second = open()
      await second.follow(READY)
      await second.enter("hello", /served/)
      vendor.expire()
      await second.enter("again", /served/)
      await second.enter("/auth signout", /You are now signed out/)
      assert.isFalse(fs.existsSync(login))
      await second.close()
    },
    240_000
  )
})
