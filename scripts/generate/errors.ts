/** Generates docs/errors.md: every published error with its problem type, HTTP status and exit code. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { exitCodeMeanings } from "../../src/cli/tree/CommandFacts.ts"
import { published } from "../../src/domain/Errors.ts"

export interface ErrorRow {
  readonly name: string
  readonly type: string
  readonly status: number
  readonly title: string
  readonly exitCode: number
  /** The members of the problem document other than those of RFC 9457. */
  readonly fields: ReadonlyArray<string>
}

interface ObjectSchema {
  readonly properties: Record<string, { readonly type: string; readonly enum?: ReadonlyArray<unknown> }>
}

const standard = new Set(["type", "status", "title", "detail", "instance", "error"])

/** The exit code is a field of instances, so this creates one with arbitrary content. */
const exitCodeOf = (error: (typeof published)[number], fields: Record<string, unknown>): number => {
  const Class = error as unknown as new(fields: object) => unknown
  return Runtime.getErrorExitCode(new Class(fields))
}

export const errorRows = (): ReadonlyArray<ErrorRow> =>
  published.map((error) => {
    const document = Schema.toJsonSchemaDocument(error)
    const [definition] = Object.values(document.definitions) as ReadonlyArray<unknown> as ReadonlyArray<ObjectSchema>
    const { properties } = definition!
    const only = (member: string): unknown => properties[member]!.enum![0]
    const fields = Object.keys(properties).filter((name) => !standard.has(name))
    const samples = fields.map((name) => [name, properties[name]!.type === "array" ? [] : ""])
    return {
      name: only("error") as string,
      type: only("type") as string,
      status: only("status") as number,
      title: only("title") as string,
      exitCode: exitCodeOf(error, { detail: "", ...Object.fromEntries(samples) }),
      fields
    }
  })

export const errors = (): string => {
  const exitCodes = Object.entries(exitCodeMeanings)
  const rows = errorRows().map((row) =>
    `| ${row.name} | \`${row.type}\` | ${row.status} | ${row.exitCode} | ${
      row.fields.map((field) => `\`${field}\``).join(", ")
    } |`
  )
  return `# Errors

Every published error. Over HTTP it is a problem document (RFC 9457, \`application/problem+json\`) with
\`type\`, \`title\`, \`status\`, \`detail\` (a sentence that says what is wrong and what to do), \`error\` (the name in
the first column) and the fields in the last column. A command prints the sentence and exits with the exit code; with
\`--json\` it prints \`{"error": …, "message": …}\` and the same fields on stdout.

| Error | Problem type | HTTP status | Exit code | Fields |
|---|---|---|---|---|
${rows.join("\n")}

## Exit codes

| Exit code | Meaning |
|---|---|
${exitCodes.map(([code, meaning]) => `| ${code} | ${meaning} |`).join("\n")}

The last four are those of \`credsvc run\`. [cli.md](cli.md) has the exit codes of each command.
`
}
