import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { Paths } from "../../../src/config/Paths.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import { applyRecipe } from "../../../src/run/recipes/AppliedRecipe.ts"
import { readRecipeFile, type Recipe } from "../../../src/run/recipes/RecipeFile.ts"
import { allRecipes, recipeOf } from "../../../src/run/recipes/Recipes.ts"
import { repository } from "../../support/Sandbox.ts"

let root: string
const at = (...names: ReadonlyArray<string>): string => path.join(root, ...names)
const write = (file: string, text = "", mode = 0o600): string => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text, { mode })
  return file
}

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-recipes-")))
  fs.mkdirSync(at("project"))
  for (const name of ["CLAUDE_CONFIG_DIR", "XDG_STATE_HOME"]) vi.stubEnv(name, undefined)
  vi.stubEnv("HOME", root)
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(root, { recursive: true })
})

const withHome = <A, E>(effect: Effect.Effect<A, E, Paths>) => Effect.provide(effect, Paths.layerHome(at(".credsvc")))
const find = (...command: ReadonlyArray<string>) =>
  Effect.runPromise(withHome(Effect.map(allRecipes, (known) => recipeOf(known, command))))

describe("recipeOf", () => {
  const bundled = fs.readdirSync(path.join(repository, "recipes"))
  it.each(bundled)("accepts the bundled recipe %s as valid", (file) => {
    const read = readRecipeFile(file, fs.readFileSync(path.join(repository, "recipes", file), "utf8"))
    assert.isTrue(Result.isSuccess(read), JSON.stringify(read))
  })

  it.each([
    [["claude"], "claude-code", 0],
    [["claude", "-p", "codex"], "claude-code", 0],
    [["./project/mine", "x"], "codex", 0],
    [["./project/packaged"], "gemini-cli", 0],
    [["npx", "-y", "@openai/codex@latest", "exec"], "codex", 2],
    [["npx", "-y", "codex-tools"], undefined, 0],
    [["npm", "test"], undefined, 0],
    [["/elsewhere/claude.py"], undefined, 0]
  ])("recognizes %j as %s", async (command, name, index) => {
    fs.symlinkSync(write(at("project", "codex"), "", 0o700), at("project", "mine"))
    const packaged = write(at("node_modules", "@google", "gemini-cli", "main.js"), "", 0o700)
    fs.symlinkSync(packaged, at("project", "packaged"))
    const found = await find(...command.map((word) => word.replace("./", `${root}/`)))
    assert.strictEqual(found?.recipe.name, name)
    if (found !== undefined) assert.strictEqual(found.at, index)
  })

  const minimal = { description: "d", programs: ["acme"] }

  it("prefers the user's recipe, even over a bundled recipe for the same program", async () => {
    write(at(".credsvc", "recipes", "codex.json"), JSON.stringify({ ...minimal, name: "codex", programs: ["codex"] }))
    write(at(".credsvc", "recipes", "z.json"), JSON.stringify({ ...minimal, name: "z", programs: ["claude"] }))
    assert.strictEqual((await find("codex"))?.recipe.description, "d")
    assert.strictEqual((await find("claude"))?.recipe.name, "z")
    assert.lengthOf(await Effect.runPromise(withHome(allRecipes)), bundled.length + 1)
  })

  it.each([
    ["{", ": "],
    [JSON.stringify({ ...minimal, name: "other" }), " /name: must match the file name"],
    [JSON.stringify({ ...minimal, name: "a", write: ["~/x"] }), " /write: is an unknown field"],
    [JSON.stringify({ ...minimal, name: "a", programs: [] }), " /programs: "],
    ...["~", "~/..", "~/a/../b", "/etc", "a"].map((file) => [
      JSON.stringify({ ...minimal, name: "a", contained: { directories: [{ path: file }] } }),
      " /contained/directories/0/path: must be a path below the home directory, such as ~/.acme"
    ]),
    [
      JSON.stringify({ ...minimal, name: "a", contained: { directories: [{ path: "~/.a", copy: ["../.ssh"] }] } }),
      " /contained/directories/0/copy/0: must be a path below the directory"
    ]
  ])("rejects the recipe %s", async (text, problem) => {
    const file = write(at(".credsvc", "recipes", "a.json"), text)
    const error = await Effect.runPromise(Effect.flip(withHome(allRecipes)))
    assert.include(error.message, `${file}${problem}`)
  })
})

const tokens = { provider: "acme" as ProviderName, access: ["/token"] as const }
const present = "{\"token\":\"t\"}"

const recipe: Recipe = {
  name: "acme",
  description: "Acme",
  programs: ["acme"],
  contained: {
    directories: [{
      path: "~/.acme",
      copy: ["settings.json", "skills", "keys"],
      files: { "settings.json": "a", b: "b" }
    }],
    set: { ACME_HOME: "~/.acme" },
    arguments: ["--free"]
  },
  login: { file: "~/.acme/login", tokens, real: true, variable: "ACME_TOKEN", set: { ACME_USE: "1" }, unset: ["OTHER"] }
}

const apply = (writable?: ReadonlyArray<string>, changes: Partial<Recipe> = {}) =>
  applyRecipe({
    recipe: { ...recipe, ...changes },
    command: ["acme", "go"],
    at: 0,
    writable,
    credsvcHome: at(".credsvc")
  })
const own = (name = ""): string => at(".local", "state", "credsvc", "agents", "acme", ".acme", name)

describe("applyRecipe", () => {
  it("gives a contained program private directories, with the user's settings and without hidden files", () => {
    write(at(".acme", "settings.json"), "mine")
    write(at(".acme", "history"), "private")
    write(at(".ssh", "id"), "key")
    fs.symlinkSync(at(".ssh"), at(".acme", "keys"))
    fs.symlinkSync(at(".ssh", "id"), path.join(path.dirname(write(at(".acme", "skills", "a"))), "key"))
    execFileSync("mkfifo", [at(".acme", "skills", "pipe")])
    const applied = apply([at("project")])
    assert.deepStrictEqual(applied.own, [{ target: at(".acme"), source: own() }])
    assert.deepStrictEqual(fs.readdirSync(own()).toSorted(), ["b", "settings.json", "skills"])
    assert.deepStrictEqual(fs.readdirSync(own("skills")), ["a"])
    assert.strictEqual(fs.readFileSync(own("settings.json"), "utf8"), "mine")
    assert.strictEqual(fs.statSync(own()).mode & 0o777, 0o700)
    assert.deepStrictEqual(applied.command, ["acme", "--free", "go"])
    assert.strictEqual(applied.environment["ACME_HOME"], at(".acme"))
  })

  it("refuses a link in place of a private directory, because an earlier run may have created the link", () => {
    write(at(".ssh", "id"))
    fs.mkdirSync(path.dirname(own()), { recursive: true })
    fs.symlinkSync(at(".ssh"), own())
    assert.throws(() => apply([at("project")]), /must not be reached by a symbolic link/)
  })

  it("keeps the files of an earlier run, without following its links", () => {
    apply([at("project")])
    fs.rmSync(own("b"))
    fs.symlinkSync(write(at("victim"), "untouched"), own("b"))
    write(at(".acme", "settings.json"), "mine")
    apply([at("project")])
    assert.strictEqual(fs.readFileSync(own("settings.json"), "utf8"), "a")
    assert.strictEqual(fs.readFileSync(at("victim"), "utf8"), "untouched")
  })

  it.each([
    ["~/.acme", "the directory"],
    ["~/.acme/login", "a part of it"],
    [".", "the working directory below it"]
  ])("keeps the user's directory if --write names %s, %s", (file) => {
    fs.mkdirSync(at(".acme", "project"), { recursive: true })
    const written = file === "." ? at(".acme", "project") : file
    const applied = apply([at("project"), written])
    assert.deepStrictEqual(applied.own, [])
    assert.isUndefined(applied.environment["ACME_HOME"])
    assert.isFalse(fs.existsSync(own()))
  })

  it("does not override variables that the user has set", () => {
    vi.stubEnv("ACME_HOME", "/mine")
    assert.strictEqual(apply([at("project")]).environment["ACME_HOME"], "/mine")
  })

  it("changes neither directories nor arguments of a run that is not contained", () => {
    const applied = apply()
    assert.deepStrictEqual(applied.command, ["acme", "go"])
    assert.isFalse(fs.existsSync(own()))
    assert.isUndefined(applied.finish({ OTHER: "x" }, (file) => file).notice)
  })

  it.each([
    ["a login in its file", present, { OTHER: "x", ACME_TOKEN: "y" }, { ACME_USE: "1" }],
    ["a login in its variable", "", { OTHER: "x", ACME_TOKEN: "y" }, { ACME_TOKEN: "y", ACME_USE: "1" }],
    ["no login", "{\"token\":\"\"}", { OTHER: "x" }, { OTHER: "x" }]
  ])("unsets placeholders that would override %s", (_, file, before, after) => {
    write(at(".acme", "login"), file)
    assert.deepStrictEqual(apply().finish(before, (name) => name).variables, after)
    // A login that the run hides does not count.
    if (file === present) assert.isDefined(apply().finish({ OTHER: "x" }, () => undefined).variables["OTHER"])
  })

  if (process.platform === "linux") {
    const phantom = JSON.stringify({ token: "credsvc-proxy-managed---x", other: 1 })
    it.each([
      ["a link to a hidden file", (file: string) => fs.symlinkSync(write(at("hidden"), "{\"secret\":1}"), file)],
      ["a FIFO", (file: string) => void execFileSync("mkfifo", [file])],
      ["a directory of links", (file: string) => {
        for (let pid = process.pid - 5; pid < process.pid + 5; pid++) {
          fs.symlinkSync(write(at("hidden"), "{\"secret\":1}"), `${file}.${pid}`)
        }
      }]
    ])("replaces %s that a command has left by the login that was taken over", (_, leave) => {
      const login = { file: "~/.acme/login", members: ["token"], tokens }
      const run = () => apply([at("project")], { login })
      run()
      leave(own("login"))
      write(at(".acme", "login"), phantom)
      run()
      assert.deepStrictEqual(JSON.parse(fs.readFileSync(own("login"), "utf8")), { token: "credsvc-proxy-managed---x" })
      assert.isFalse(fs.lstatSync(own("login")).isSymbolicLink())
      if (fs.existsSync(at("hidden"))) assert.strictEqual(fs.readFileSync(at("hidden"), "utf8"), "{\"secret\":1}")
    })

    it("does not follow a symbolic link that an earlier command created", () => {
      const login = { file: "~/.acme/deep/login", members: ["token"], tokens }
      apply([at("project")], { login })
      fs.mkdirSync(at("elsewhere"))
      fs.symlinkSync(at("elsewhere"), own("deep"))
      write(at(".acme", "deep", "login"), phantom)
      apply([at("project")], { login })
      assert.isEmpty(fs.readdirSync(at("elsewhere")))
    })
  }

  it("unsets the variable that leads a contained program away from its own login", () => {
    const login = { file: "~/.acme/login", directory: "ACME_LOGIN", tokens, unset: ["OTHER"] }
    vi.stubEnv("ACME_LOGIN", at("elsewhere"))
    const applied = apply([at("project")], { login })
    write(own("login"), "{\"token\":\"credsvc-proxy-managed---x\"}")
    const given = { ACME_LOGIN: at("elsewhere"), OTHER: "x" }
    const sourceOf = (file: string): string | undefined =>
      file.startsWith(at(".acme")) ? file.replace(at(".acme"), own().replace(/\/$/, "")) : undefined
    assert.deepStrictEqual(applied.finish(given, sourceOf).variables, {})
    assert.deepStrictEqual(apply(undefined, { login }).finish(given, (file) => file).variables, given)
  })

  it("prints in one line what it has changed, and how to disable it", () => {
    write(at(".acme", "login"), present)
    const { notice } = apply([at("project")]).finish({ OTHER: "x" }, (file) => file === at(".acme") ? own() : file)
    assert.strictEqual(
      notice,
      "Recipe acme: ~/.acme is in ~/.local/state/credsvc/agents/acme; adds --free; " +
        "unsets OTHER so that the program uses its own login. Without the recipe: --no-recipe"
    )
  })
})
