/** The output of commands with `--json`, compared with the schemas of the operations that they call. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as fs from "node:fs"
import * as path from "node:path"
import { jsonDocuments } from "../../scripts/lib/JsonDocuments.ts"
import { wholeTree } from "../../src/cli/api/WholeTree.ts"
import { PrintedDocument, PrintedOperation } from "../../src/cli/tree/CommandFacts.ts"
import { responseValidator } from "../support/DocumentedResponses.ts"
import { demoDefinition, openSandbox } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"

interface Tree {
  readonly name: string
  readonly annotations: Context.Context<never>
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Tree> }>
}

/** The operation of each command that prints a response, by the path of the command. */
const printed = new Map<string, string>()
/** Commands that print a document of their own. */
const composed = new Set<string>()
/** Commands that say nothing about what they print. */
const undeclared: Array<string> = []
const visit = ({ annotations, name, subcommands }: Tree, above: ReadonlyArray<string>): void => {
  const operation = Context.get(annotations, PrintedOperation)
  const here = [...above, name]
  const command = here.slice(1).join(" ")
  if (operation !== undefined) printed.set(command, operation)
  else if (Context.get(annotations, PrintedDocument) !== undefined) composed.add(command)
  else if (subcommands.length === 0 && here[1] !== "api") undeclared.push(command)
  for (const { commands } of subcommands) for (const command of commands) visit(command, here)
}
visit(wholeTree as unknown as Tree, [])

const document = JSON.parse(fs.readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"))
const operations = new Map<string, any>(
  Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item)).map((each) => [each.operationId, each])
)

const sandbox = shared(() => openSandbox())

describe("the output of commands with --json", () => {
  it("is declared for every command except those whose output is text or comes from a program", () => {
    assert.deepStrictEqual([...composed].toSorted(), Object.keys(jsonDocuments).toSorted())
    assert.deepStrictEqual(undeclared.toSorted(), ["completion", "help", "mcp", "proxy", "run", "ssh"])
  })

  it("is the document that the help of the command names", async () => {
    const validator = responseValidator(document)
    const left = new Set(printed.keys())
    const leftDocuments = new Set(composed)
    // Every reference resolves.
    for (const schema of Object.values(jsonDocuments)) validator.problems(schema, null)
    const successOf = (command: string) => {
      const operation = printed.get(command)
      assert.isDefined(operation, command)
      const { responses } = operations.get(operation!)
      return (responses["200"] ?? responses["201"]).content["application/json"].schema
    }
    const printsResponse = async (command: string, args: ReadonlyArray<string> = [], input?: string) => {
      const options = input === undefined ? {} : { input }
      const { code, stderr, stdout } = await sandbox.credsvc([...command.split(" "), ...args, "--json"], options)
      // Not every machine can contain runs.
      assert.isAtMost(code, args.includes("--contain") ? 1 : 0, `${command}: ${stderr}${stdout}`)
      const schema = jsonDocuments[command] ?? successOf(command)
      assert.isNull(validator.problems(schema, JSON.parse(stdout)), command)
      left.delete(command)
      leftDocuments.delete(command)
    }
    const key = ["demo", "--stdin", "--no-check", "--no-browser"]
    await printsResponse("login", [...key, "--force"], sandbox.key)
    await printsResponse("login", [...key, "--connection", "work"], sandbox.key)
    await printsResponse("get", ["demo"])
    await printsResponse("list")
    await printsResponse("inspect", ["demo"])
    await printsResponse("export", ["demo"])
    await printsResponse("sandbox create", ["outside", "--provider", "demo"])
    await printsResponse("sandbox env", ["outside"])
    await printsResponse("sandbox rotate", ["outside"])
    for (const mode of [[], ["--raw"]]) await printsResponse("log", mode)
    await printsResponse("log requests")
    await printsResponse("log verify")
    await printsResponse("policy set", ["triage", "--read-only"])
    await printsResponse("policy list")
    await printsResponse("policy show", ["triage"])
    await printsResponse("policy remove", ["triage", "--yes"])
    await printsResponse("set-default", ["demo", "work"])
    await printsResponse("set-contained-only", ["demo", "work"])
    await printsResponse("whoami")
    await printsResponse("runs")
    await printsResponse("scan")
    for (const mode of [[], ["--probe"], ["--contain"]]) await printsResponse("doctor", mode)
    for (const url of ["https://api.demo.test/v1", "http://api.demo.test/v2", "https://api.demo.test/v2"]) {
      await printsResponse("explain", ["GET", url, "--allow", "GET api.demo.test/v2"])
    }
    await printsResponse("recipes show", ["codex"])
    await printsResponse("approve")
    await printsResponse("ui", ["--no-browser"])
    for (const command of ["daemon start", "daemon status", "daemon logs"]) await printsResponse(command)
    const definition = path.join(sandbox.directory, "acme.json")
    const { export: _, ...acme } = {
      ...demoDefinition,
      name: "acme",
      api_url: "https://acme.example",
      hosts: ["acme.example"]
    }
    fs.writeFileSync(definition, JSON.stringify(acme))
    await printsResponse("provider test", [definition])
    await printsResponse("register", [definition, "--yes"])
    await printsResponse("profile create", ["spare"])
    await printsResponse("profile list")
    await printsResponse("admin enroll-code", ["spare"])
    await printsResponse("admin identities")
    await printsResponse("admin grant", ["demo", "--connection", "work", "--to", "spare"])
    await printsResponse("admin grants")
    await printsResponse("admin doctor")
    const pattern = ["--claim", "repository=acme/shop"]
    await printsResponse("admin trust add", ["spare", "--issuer", "github", ...pattern])
    await printsResponse("admin trust list")
    await printsResponse("admin trust remove", ["spare"])
    await printsResponse("admin withdraw", ["demo", "--connection", "work", "--from", "spare"])
    await printsResponse("sandbox list")
    await printsResponse("vault status")
    await printsResponse("vault rotate")
    const backup = path.join(sandbox.directory, "a.backup")
    await printsResponse("admin backup", [backup])
    await printsResponse("sandbox delete", ["outside", "--yes"])
    await printsResponse("logout", ["demo", "--connection", "work"])
    await printsResponse("revoke", ["demo", "--yes"])
    await printsResponse("remove", ["demo", "--yes"])
    await printsResponse("profile use", ["spare"])
    for (const command of ["daemon restart", "daemon stop", "daemon stop"]) await printsResponse(command)
    await printsResponse("admin restore", [backup, "--check"])
    await printsResponse("admin restore", [backup, "--replace"])
    // It runs until it is stopped.
    assert.deepStrictEqual([...leftDocuments].toSorted(), ["daemon serve"])
    // They need a run, a waiting question or a caller on another machine, which other tests have.
    assert.deepStrictEqual([...left].toSorted(), ["admin disable", "admin enable", "deny", "enroll", "stop"])
  })
})
