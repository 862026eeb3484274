/** Generates docs/provider-fields.md: the fields of provider definitions, from their schema. */
import { componentNameOf, type Json, jsonSchemaOf } from "../../src/api/JsonSchemas.ts"
import { ProviderDefinition } from "../../src/domain/definition/Provider.ts"

const { definitions } = jsonSchemaOf(ProviderDefinition)

/** The objects whose fields a field may have: its own, those of its items, or those of its members. */
const objectsOf = (of: Json): ReadonlyArray<string> =>
  [of, of["items"], of["additionalProperties"], ...of["anyOf"] ?? []].flatMap((each: Json | undefined) => {
    const name = componentNameOf(each)
    return name === undefined || definitions[name]["properties"] === undefined ? [] : [name]
  })

const link = (name: string): string => `[${name}](#${name.toLowerCase()})`

const rowsOf = (object: Json, without: ReadonlySet<string> = new Set()): ReadonlyArray<string> =>
  Object.entries(object["properties"] as Readonly<Record<string, Json>>).filter(([name]) => !without.has(name)).map((
    [name, field]
  ) =>
    `| \`${name}\`${object["required"]?.includes(name) === true ? " *" : ""} | ${field["description"]}${
      objectsOf(field).map((each) => ` (${link(each)})`).join("")
    } |`
  )

const table = (rows: Iterable<string>): string => ["| Field | |", "|---|---|", ...rows].join("\n")

const names = (name: string): ReadonlySet<string> => new Set(Object.keys(definitions[name]["properties"]))

/** Both kinds of definitions, whose sections contain the fields of a placement. */
const kinds = ["ApiKeyProvider", "OAuthProvider"]
const placed = new Set(["ApiKeySection", "OAuthSection"])

const section = (name: string): string =>
  `## ${name}

${definitions[name]["description"]}.${placed.has(name) ? ` It also has the fields of a ${link("Placement")}.` : ""}

${table(rowsOf(definitions[name], placed.has(name) ? names("Placement") : undefined))}`

export const providerFields = (): string => {
  const others = Object.keys(definitions).filter((name) =>
    definitions[name]["properties"] !== undefined && !kinds.includes(name)
  ).toSorted()
  return `# Fields of a provider definition

[provider-definitions.md](provider-definitions.md) explains how to write one. A star marks required fields.

${table(new Set(kinds.flatMap((kind) => rowsOf(definitions[kind]))))}

${others.map(section).join("\n\n")}
`
}
