import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { allHelp, isBelowApi } from "../../scripts/generate/cli.ts"
import { topics } from "../../src/cli/commands/Topics.ts"

const all = await Effect.runPromise(allHelp)

const isDescribed = (description: Option.Option<string>): boolean =>
  Option.isSome(description) && description.value !== ""

describe("help", () => {
  it("covers every command of the specification", () => {
    const paths = all.map((help) => (help.commandPath ?? []).slice(1).join(" "))
    const commands = `
        whoami, doctor, list, inspect, login, get, export, run, scan, logout, revoke, remove, register, set-default, ui, log,
        completion, profile create, profile use, profile list, daemon serve, daemon start, daemon stop, daemon restart,
        daemon status, daemon logs
      `.split(",").map((name) => name.trim())
    assert.includeMembers(paths, commands)
  })

  it("describes every command and shows an example that calls it", () => {
    for (const help of all) {
      const name = help.commandPath!.join(" ")
      assert.isNotEmpty(help.description, name)
      const examples = help.examples ?? []
      assert.isAbove(examples.length, 0, name)
      for (const { command } of examples) assert.include(command, name)
    }
  })

  it("describes every flag and every argument", () => {
    for (const help of all) {
      const name = help.commandPath!.join(" ")
      for (const flag of [...help.flags, ...(help.globalFlags ?? [])]) {
        assert.isTrue(isDescribed(flag.description), `${name} --${flag.name}`)
      }
      for (const argument of help.args ?? []) {
        assert.isTrue(isDescribed(argument.description), `${name} ${argument.name}`)
      }
    }
  })

  it("covers every command and every flag in a transcript", () => {
    const directory = new URL("../transcripts/", import.meta.url)
    const commands = fs.readdirSync(directory).flatMap((file) =>
      fs.readFileSync(new URL(file, directory), "utf8").split("\n")
    )
      .filter((line) => line.startsWith("$ ")).flatMap((line) => line.split(/[;|&]+/))
      .map((command) => command.replaceAll(/--(?:json|quiet|verbose|no-color) /g, ""))
    const missing: Array<string> = []
    for (const help of all) {
      const name = help.commandPath!.join(" ")
      // cli/api/ApiCommands.test.ts calls every operation with every flag.
      if (isBelowApi(help)) continue
      const own = commands.filter((command) => command.includes(name))
      if (own.length === 0) missing.push(name)
      for (const flag of help.flags) {
        const names = [`--${flag.name}`, ...flag.aliases]
        if (!own.some((command) => names.some((each) => command.includes(each)))) {
          missing.push(`${name} --${flag.name}`)
        }
      }
    }
    assert.deepStrictEqual(missing, [])
  })

  it("refers to no file that the package does not contain", () => {
    const read = (file: string) => fs.readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")
    const { files } = JSON.parse(read("package.json"))
    const texts = [...topics.values(), ...all.map((help) => JSON.stringify(help))]
    const named = texts.flatMap((text) => text.match(/\b(?:docs|scripts|src)\/[\w./-]+|\b[\w-]+\.md\b/g) ?? [])
    const isContained = (file: string) => files.some((pattern: string) => path.matchesGlob(file, pattern))
    assert.deepStrictEqual(named.filter((file) => !isContained(file)), [])
  })

  it("has every command and flag that a document names", () => {
    const byPath = new Map(all.map((help) => [help.commandPath!.join(" "), help]))
    const globals = byPath.get("credsvc")!.globalFlags ?? []
    const isProgram = new Set(["credsvc run", "credsvc ssh"])
    /** The first command or flag of a command line that does not exist. */
    const unknownIn = (line: string): string | undefined => {
      let path = "credsvc"
      for (const word of line.split(/\s+/).slice(1)) {
        const { args = [], flags, subcommands = [] } = byPath.get(path)!
        const flag = /^--[a-z][a-z-]*/.exec(word)?.[0]
        if (word === "--" || (isProgram.has(path) && flag === undefined)) return undefined
        const known = ["help", "version", ...[...flags, ...globals].map(({ name }) => name)]
        if (flag !== undefined && !known.includes(flag.slice(2))) return flag
        if (byPath.has(`${path} ${word}`)) path = `${path} ${word}`
        else if (subcommands.length > 0 && args.length + flags.length === 0 && /^[a-z]/.test(word)) return word
      }
      return undefined
    }
    const repository = new URL("../../", import.meta.url)
    const documents = ["README.md", "AGENTS.md", ...fs.globSync("docs/**/*.md", { cwd: repository })]
    const unknown: Array<string> = []
    for (const file of documents) {
      const text = fs.readFileSync(new URL(file, repository), "utf8")
      const blocks = [...text.matchAll(/^ *```(?:sh|console)\n(.*?)^ *```/gms)].flatMap(([, block]) =>
        block!.split("\n")
      )
      const spans = [...text.replaceAll(/^ *```.*?^ *```/gms, "").matchAll(/`([^`]+)`/g)].map(([, span]) => span!)
      for (
        const line of [...blocks, ...spans].flatMap((each) =>
          each.match(/(?<![\w./=-]|install |generic |--now )credsvc [a-z-][^)"`;|&#]*/g) ?? []
        )
      ) {
        const word = unknownIn(line)
        if (word !== undefined) unknown.push(`${file}: ${word} in: ${line}`)
      }
    }
    assert.deepStrictEqual(unknown, [])
  })

  it("accepts no secret as the value of a flag or an argument", () => {
    for (const help of all) {
      for (const { name, type } of [...help.flags, ...(help.args ?? [])]) {
        // The names of files, and keys that are not secret. Models count "tokens".
        if (name === "tls-key") continue
        assert.isFalse(
          type !== "boolean" && /key|secret|token(?!s)|password/.test(name),
          `${help.commandPath!.join(" ")} ${name}`
        )
      }
    }
  })
})
