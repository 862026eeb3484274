/**
 * `credsvc __complete <words…>` prints the completions of a command line whose last word is at the cursor, one per
 * line, each followed by a tab and its description.
 *
 * It has its own entry point, apart from the command tree, because the user waits for it on every key press. The first
 * line may instead be `:files`, or `:command <at>` for the command line of another program.
 */
import * as fs from "node:fs"
import { readAsset } from "../platform/files/PackageFiles.ts"
import type { CompletionModel } from "./completion/CommandModel.ts"
import { sanitizeLine } from "./output/Sanitize.ts"
import { type Candidate, wantedAt } from "./parse/CommandLine.ts"

const words = process.argv.slice(3)

const readModel = (): CompletionModel => JSON.parse(readAsset("commands.json", import.meta.url) ?? "")

const beginning = (prefix: string, candidates: ReadonlyArray<Candidate>): ReadonlyArray<string> =>
  candidates.map(({ description, value }) => ({ description: sanitizeLine(description), value: `${prefix}${value}` }))
    .filter(({ value }) => value.startsWith(words.at(-1) ?? ""))
    .map(({ description, value }) => description === "" ? value : `${value}\t${description}`)

const completions = async (): Promise<ReadonlyArray<string>> => {
  const wanted = wantedAt(readModel(), words)
  switch (wanted._tag) {
    case "Files":
      return [":files"]
    case "Command":
      return [`:command ${wanted.at}`]
    case "Candidates":
      return beginning(wanted.prefix, wanted.candidates)
    case "Names": {
      const { findNames } = await import("./completion/CompletionNames.ts")
      return beginning(wanted.prefix, await findNames(wanted))
    }
  }
}

void completions().then(
  (lines) => fs.writeSync(1, lines.map((line) => `${line}\n`).join(""))
).then(
  () => process.exit(0),
  // The shell has closed the pipe.
  () => process.exit(0)
)
