/** The table of APIs for docs/clients.md, from the table that test/sdks runs. */
import * as fs from "node:fs"
import { apis, packages } from "../../test/sdks/apis.ts"

const nameOf = (provider: string): string =>
  JSON.parse(fs.readFileSync(new URL(`../../providers/${provider}.json`, import.meta.url), "utf8")).display_name

const named = (programs: Readonly<Record<string, string>> = {}): string =>
  Object.keys(programs).map((name) => [name, packages.dependencies[name] ?? []].flat().join(" ")).join(", ")

const rows = apis.map(({ calls, cli, downloads, provider, sdk }) =>
  `| ${nameOf(provider)} (\`${provider}\`) | ${downloads} | ${named(sdk)} | ${named(cli)} | ${
    Object.keys(calls).map((call) => `\`${call}\``).join("<br>")
  } |`
)

export const sdkTable = (): string =>
  `| API | Downloads | SDK | Command line | Requests |\n|---|---|---|---|---|\n${rows.join("\n")}\n`
