/** Updates the table of APIs in docs/clients.md from the table that test/sdks runs, and leaves the rest alone. */
import * as fs from "node:fs"
import type { Api, Program } from "../../test/sdks/Api.ts"
import { apis } from "../../test/sdks/apis.ts"
import { replaceBetween } from "./replaceBetween.ts"

const root = new URL("../../", import.meta.url)
const read = (file: string) => JSON.parse(fs.readFileSync(new URL(file, root), "utf8"))
const versions: Readonly<Record<string, string>> = read("test/sdks/packages/package.json").dependencies

const named = (programs: ReadonlyArray<Program>, kind: Program["kind"]): string =>
  programs.filter((program) => program.kind === kind).map(({ name }) => [name, versions[name] ?? []].flat().join(" "))
    .join(", ")

const row = ({ calls, downloads, programs, provider }: Api): string =>
  `| ${read(`providers/${provider}.json`).display_name} (\`${provider}\`) | ${downloads} | ${
    named(programs, "sdk")
  } | ${named(programs, "cli")} | ${Object.keys(calls).map((call) => `\`${call}\``).join("<br>")} |`

export const sdks = (): string =>
  replaceBetween(
    "docs/clients.md",
    "sdks",
    `| API | Downloads | SDK | Command line | Requests |\n|---|---|---|---|---|\n${apis.map(row).join("\n")}\n`
  )
