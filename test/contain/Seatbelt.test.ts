/** The profile has never run on macOS. These tests fix only what it says. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { SEATBELT_VARIABLE, seatbeltProfile } from "../../src/contain/Seatbelt.ts"
import { seatbelted } from "../../src/run/ContainedRun.ts"

const profile = seatbeltProfile({
  directory: "/work",
  empty: "/run/empty",
  mounts: [
    { kind: "writable", target: "/work", source: "/work" },
    { kind: "read-only", target: "/work/.git/hooks", source: "/work/.git/hooks" },
    { kind: "hidden-file", target: "/work/.env \"a\"" },
    { kind: "hidden-directory", target: "/me/.ssh" },
    { kind: "read-only", target: "/me/.ssh/node", source: "/me/.ssh/node" },
    { kind: "read-only", target: "/etc/hosts", source: "/run/hosts" }
  ],
  mountPoints: [{ path: "/work/.git/commondir", content: ".\n" }]
}, [4000, 5432]).split("\n")

const position = (rule: string): number => {
  const index = profile.indexOf(rule)
  assert.isAtLeast(index, 0, rule)
  return index
}

describe("seatbeltProfile", () => {
  it("denies the network except for the given ports of this machine", () => {
    const denied = position("(deny network*)")
    for (const port of [4000, 5432]) {
      assert.isAbove(position(`(allow network-outbound (remote ip "localhost:${port}"))`), denied)
    }
    assert.lengthOf(profile.filter((rule) => rule.startsWith("(allow network")), 2)
  })

  it("orders rules for files from the outside in, because later ones override earlier ones", () => {
    const none = position("(deny file-write*)")
    const work = position("(allow file-read* file-write* (subpath \"/work\"))")
    assert.isAbove(work, none)
    assert.isAbove(position("(deny file-write* (subpath \"/work/.git/hooks\"))"), work)
    assert.isAbove(position("(deny file-write* (subpath \"/work/.git/commondir\"))"), work)
    assert.isAbove(position("(deny file-read* file-write* (subpath \"/work/.env \\\"a\\\"\"))"), work)
    const hidden = position("(deny file-read* file-write* (subpath \"/me/.ssh\"))")
    assert.isAbove(position("(allow file-read* (subpath \"/me/.ssh/node\"))"), hidden)
  })

  it("leaves out files that would have to be mounted", () => {
    assert.isFalse(profile.some((rule) => rule.includes("/etc/hosts")))
  })
})

describe("seatbelted", () => {
  let directory: string
  let before: string
  beforeEach(() => {
    before = process.cwd()
    directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-contain-")))
    for (const name of ["home", "run", "project"]) fs.mkdirSync(path.join(directory, name))
    process.chdir(path.join(directory, "project"))
  })
  afterEach(() => {
    process.chdir(before)
    fs.rmSync(directory, { recursive: true, force: true })
  })
  const prepare = (value: string | undefined) =>
    Effect.runPromise(seatbelted({
      credsvcHome: path.join(directory, "home"),
      runDirectory: path.join(directory, "run"),
      write: [],
      hide: [],
      writeIfPresent: [],
      hideIfPresent: [],
      allowedPorts: [5432]
    }, { [SEATBELT_VARIABLE]: value }))

  it("is not used unless the user has chosen it", async () => {
    assert.isUndefined(await prepare(undefined))
    assert.isUndefined(await prepare("0"))
  })

  it("starts the command with a profile that hides the home of credsvc", async () => {
    const seatbelt = await prepare("1")
    const [program, option, text = "", ...command] = seatbelt?.command(["npm", "test"], 4000) ?? []
    assert.deepStrictEqual([program, option, ...command], ["/usr/bin/sandbox-exec", "-p", "npm", "test"])
    assert.include(text, `(deny file-read* file-write* (subpath "${path.join(directory, "home")}"))`)
    assert.include(text, `(allow file-read* file-write* (subpath "${path.join(directory, "project")}"))`)
    assert.include(text, `(allow file-read* file-write* (subpath "${path.join(directory, "run", "tmp")}"))`)
    const variables = seatbelt?.environment({ SSH_AUTH_SOCK: "/agent", PATH: "/bin" })
    assert.deepStrictEqual(variables, { PATH: "/bin", TMPDIR: path.join(directory, "run", "tmp") })
  })
})
