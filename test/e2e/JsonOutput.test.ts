/** The output of commands with `--json`, compared with the schemas of the operations that they call. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { jsonDocuments } from "../../scripts/lib/JsonDocuments.ts"
import { composed, printed, problemsOf, undeclared } from "../support/PrintedDocuments.ts"
import { demoDefinition, openSandbox } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"
import { documentedSteps, transcripts } from "../support/Transcript.ts"

const sandbox = shared(() => openSandbox())

describe("the output of commands with --json", () => {
  it("is declared for every command except those whose output is text or comes from a program", () => {
    assert.deepStrictEqual([...composed].toSorted(), Object.keys(jsonDocuments).toSorted())
    assert.deepStrictEqual(undeclared.toSorted(), ["completion", "help", "mcp", "proxy", "run", "ssh"])
  })

  it("is the document that the help of the command names", async () => {
    // The transcripts check what these commands print.
    const shown = new Set(transcripts().flatMap(({ steps }) => documentedSteps(steps)).map(({ command }) => command))
    const left = new Set([...printed.keys(), ...composed].filter((command) => !shown.has(command)))
    const printsResponse = async (command: string, args: ReadonlyArray<string> = [], input?: string) => {
      const options = input === undefined ? {} : { input }
      const { code, stderr, stdout } = await sandbox.credsvc([...command.split(" "), ...args, "--json"], options)
      // Not every machine can contain runs.
      assert.isAtMost(code, args.includes("--contain") ? 1 : 0, `${command}: ${stderr}${stdout}`)
      assert.isNull(problemsOf(command, stdout), command)
      left.delete(command)
    }
    const key = ["demo", "--stdin", "--no-check", "--no-browser"]
    await printsResponse("login", [...key, "--force"], sandbox.key)
    await printsResponse("login", [...key, "--connection", "work"], sandbox.key)
    for (const command of ["get", "inspect"]) await printsResponse(command, ["demo"])
    await printsResponse("sandbox create", ["outside", "--provider", "demo"])
    for (const command of ["sandbox env", "sandbox rotate"]) await printsResponse(command, ["outside"])
    await printsResponse("log", ["--raw"])
    await printsResponse("log requests")
    await printsResponse("policy set", ["triage", "--read-only"])
    await printsResponse("policy list")
    await printsResponse("policy show", ["triage"])
    await printsResponse("runs")
    for (const mode of [["--probe"], ["--contain"]]) await printsResponse("doctor", mode)
    for (const url of ["https://api.demo.test/v1", "http://api.demo.test/v2", "https://api.demo.test/v2"]) {
      await printsResponse("explain", ["GET", url, "--allow", "GET api.demo.test/v2"])
    }
    await printsResponse("recipes show", ["codex"])
    await printsResponse("daemon status")
    const definition = path.join(sandbox.directory, "acme.json")
    const { export: _, ...acme } = {
      ...demoDefinition,
      name: "acme",
      api_url: "https://acme.example",
      hosts: ["acme.example"]
    }
    fs.writeFileSync(definition, JSON.stringify(acme))
    await printsResponse("provider test", [definition])
    await printsResponse("profile create", ["spare"])
    await printsResponse("admin grant", ["demo", "--connection", "work", "--to", "spare"])
    await printsResponse("admin grants")
    await printsResponse("admin trust add", ["spare", "--issuer", "github", "--claim", "repository=acme/shop"])
    await printsResponse("admin trust list")
    await printsResponse("admin trust remove", ["spare"])
    await printsResponse("admin withdraw", ["demo", "--connection", "work", "--from", "spare"])
    await printsResponse("sandbox list")
    await printsResponse("vault status")
    const backup = path.join(sandbox.directory, "a.backup")
    await printsResponse("admin backup", [backup])
    await printsResponse("profile use", ["spare"])
    await printsResponse("daemon restart")
    await printsResponse("admin restore", [backup, "--check"])
    // They need a run, a waiting question or a caller on another machine, which other tests have, or run until they are stopped.
    const others = ["admin disable", "admin enable", "daemon serve", "deny", "enroll", "stop"]
    assert.deepStrictEqual([...left].toSorted(), others)
  })
})
