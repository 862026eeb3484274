/** Converts definitions of earlier tools: rewrites what the schema rejects, or removes and reports it. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { readDefinition } from "../../domain/definition/ProviderDocument.ts"
import type { Problem } from "../../domain/Errors.ts"

export interface Imported {
  readonly document: Readonly<Record<string, unknown>>
  readonly notes: ReadonlyArray<string>
}

type Json = Record<string, unknown>

const unescaped = (text: string): string | undefined =>
  /^(?:[a-z0-9-]|\\[.-])+$/i.test(text) ? text.replaceAll("\\", "") : undefined

/** The hosts that a regular expression of a common form matches. Undefined for other expressions. */
export const hostsOfPattern = (pattern: string): ReadonlyArray<string> | undefined => {
  const inner = pattern.replace(/^\^/, "").replace(/\$$/, "")
  const wild = /^(\((?:\?:)?)?(?:\.[*+]|\[\^\.\]\+|\[a-z0-9-\]\+)\\\.(\)\?)?(.+)$/i.exec(inner)
  const suffix = unescaped(wild?.[3] ?? inner)
  if (suffix === undefined || (wild?.[1] === undefined) !== (wild?.[2] === undefined)) return undefined
  return wild === null ? [suffix] : wild[1] === undefined ? [`*.${suffix}`] : [suffix, `*.${suffix}`]
}

const without = (document: Json, pointer: string): Json => {
  const [name, ...rest] = pointer.slice(1).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
  if (rest.length === 0) return Object.fromEntries(Object.entries(document).filter(([key]) => key !== name))
  const inner = document[name!]
  return Predicate.isObject(inner) ? { ...document, [name!]: without(inner, `/${rest.join("/")}`) } : document
}

const withHosts = (document: Json, notes: Array<string>): Json => {
  const address = document["api_url"] ?? document["host_url"]
  if (typeof address !== "string" || !address.startsWith("regex:")) return document
  const { api_url: _, host_url: __, ...others } = document
  const hosts = hostsOfPattern(address.slice("regex:".length))
  if (hosts === undefined) {
    notes.push(`The hosts are a regular expression (${address}): list them under hosts.`)
    return others
  }
  notes.push(`The hosts were a regular expression and are ${hosts.join(" and ")} now.`)
  return { ...others, hosts }
}

/** Returns the document in the current form, or the problems that prevent it. */
export const importDefinition = (document: unknown): Result.Result<Imported, ReadonlyArray<Problem>> => {
  if (!Predicate.isObject(document)) return Result.fail([{ path: "", message: "must be a JSON object" }])
  const notes: Array<string> = []
  let current = withHosts(document, notes)
  const { name } = current
  if (typeof name === "string" && name !== name.toLowerCase()) {
    current = { ...current, name: name.toLowerCase() }
    notes.push(`The name is ${name.toLowerCase()} now: names are in lower case.`)
  }
  const refreshVariable = Predicate.isObject(current["export"]) && Predicate.isObject(current["export"]["env"]) &&
    Object.hasOwn(current["export"]["env"], "refresh_token")
  if (refreshVariable) {
    current = without(current, "/export/env/refresh_token")
    notes.push("A refresh token is never exported, so its variable was left out.")
  }
  const first = readDefinition(current)
  if (Result.isSuccess(first)) return Result.succeed({ document: current, notes })
  const unknown = first.failure.filter(({ message }) => message === "is an unknown field")
  for (const { path } of unknown) {
    current = without(current, path)
    notes.push(`${path} has no meaning here and was left out.`)
  }
  const second = readDefinition(current)
  return Result.isSuccess(second) ? Result.succeed({ document: current, notes }) : Result.fail(second.failure)
}
