import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { canContain, type ContainedSandbox, openContainedSandbox } from "../../support/ContainedSandbox.ts"

/** Shows what the program sees, and leaves files in its directory. */
const program = `#!/bin/sh
cat "$HOME/.claude/settings.json"; echo
echo "config: $CLAUDE_CONFIG_DIR"
cat "$HOME/.claude/.credentials.json" "$HOME/.claude/hidden" 2>/dev/null
echo planted >"$HOME/.claude/planted" && mv "$HOME/.claude/planted" "$HOME/.claude/settings.json"
echo '{"accessToken":"sk-ant-oat01-own"}' >"$HOME/.claude/.credentials.json"
echo stray >"$HOME/.other" || true
`

describe.skipIf(!canContain)("a recipe in a contained run", () => {
  let sandbox: ContainedSandbox
  let home: string
  const run = (
    flags: ReadonlyArray<string> = [],
    command = "claude",
    variables: Readonly<Record<string, string>> = {}
  ) =>
    sandbox.credsvc(["run", "--contain", ...flags, "--", command], {
      cwd: sandbox.work,
      env: { ...sandbox.env, ...variables, PATH: `${sandbox.person}/bin:${process.env["PATH"]}` }
    })
  const user = (name: string): string => path.join(sandbox.person, ".claude", name)

  beforeAll(async () => {
    sandbox = await openContainedSandbox()
    home = path.join(sandbox.person, ".local", "state", "credsvc", "agents", "claude-code", ".claude")
    fs.mkdirSync(path.join(sandbox.person, "bin"))
    fs.writeFileSync(path.join(sandbox.person, "bin", "claude"), program, { mode: 0o755 })
    fs.mkdirSync(user(""))
    fs.writeFileSync(user("settings.json"), "settings")
    fs.writeFileSync(user("hidden"), "private")
    fs.writeFileSync(user(".credentials.json"), "real")
  })
  afterAll(() => sandbox.close())

  it("needs no other flag, and writes the program's files outside of the user's directory", async () => {
    const first = await run()
    assert.strictEqual(first.stdout, `settings\nconfig: ${user("").replace(/\/$/, "")}\n`, first.stderr)
    assert.include(
      first.stderr,
      "Recipe claude-code: ~/.claude is in ~/.local/state/credsvc/agents/claude-code. Without the recipe: --no-recipe"
    )
    assert.match(first.stderr, /\.other: Read-only file system/)
    assert.strictEqual(fs.readFileSync(user("settings.json"), "utf8"), "settings")
    assert.strictEqual(fs.readFileSync(user(".credentials.json"), "utf8"), "real")
    assert.strictEqual(fs.readFileSync(path.join(home, "settings.json"), "utf8"), "planted\n")
    const second = await run()
    assert.match(second.stdout, /^planted\n[^]*sk-ant-oat01-own/, "its own directory, with its own login")
  })

  it("hides the directories of other programs", async () => {
    const { stderr } = await sandbox.contained(`ls "${home}"`)
    assert.include(stderr, "No such file or directory")
  })

  it.each([["--no-recipe"], ["--write", "~/.claude/hidden"]])(
    "keeps using the user's directory with %s %s",
    async (...flags) => {
      const { stderr, stdout } = await run(flags)
      assert.notInclude(stderr, "Recipe")
      assert.strictEqual(stdout, "settings\nconfig: \nprivate", "the real login is hidden")
    }
  )

  it("hides a login in a directory that a variable of any recipe names", async () => {
    const moved = path.join(sandbox.person, "moved")
    fs.mkdirSync(moved)
    fs.writeFileSync(path.join(moved, ".credentials.json"), "real")
    const { stdout } = await sandbox.credsvc(
      ["run", "--contain", "--no-recipe", "--", "sh", "-c", `cat "${moved}/.credentials.json"; echo done`],
      { cwd: sandbox.work, env: { ...sandbox.env, CLAUDE_SECURESTORAGE_CONFIG_DIR: moved } }
    )
    assert.strictEqual(stdout, "done\n")
  })

  it("replaces the directory that a variable of gh names", async () => {
    const moved = path.join(sandbox.person, "gh")
    fs.mkdirSync(moved)
    fs.writeFileSync(path.join(moved, "config.yml"), "version: 1")
    fs.writeFileSync(path.join(moved, "hosts.yml"), "real")
    fs.writeFileSync(path.join(sandbox.person, "bin", "gh"), "#!/bin/sh\ncat \"$GH_CONFIG_DIR\"/*", { mode: 0o755 })
    const { stderr, stdout } = await run([], "gh", { GH_CONFIG_DIR: moved })
    assert.strictEqual(stdout, "version: 1", stderr)
  })

  it("leaves a directory hidden that --hide names", async () => {
    const { stderr, stdout } = await run(["--hide", "~/.claude"])
    assert.notInclude(stdout, "settings", stderr)
    assert.notInclude(stderr, "~/.claude is in")
  })

  it("removes the mount point of a directory that the user does not have", async () => {
    fs.renameSync(user(""), path.join(sandbox.person, "away"))
    onTestFinished(() => fs.renameSync(path.join(sandbox.person, "away"), user("")))
    const { stdout } = await run()
    assert.include(stdout, "planted")
    assert.isFalse(fs.existsSync(user("")))
  })
})
