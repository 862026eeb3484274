/** Patterns for token claims, and the rules that prevent a trust from accepting the jobs of strangers. */
import * as Predicate from "effect/Predicate"
import type { Problem } from "../domain/Errors.ts"
import { jsonPointer } from "../domain/text/StrictJson.ts"

/** The URLs of issuers by their short names. */
export const knownIssuers: Readonly<Record<string, string>> = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
  buildkite: "https://agent.buildkite.com"
}

/**
 * The claims that name an owner, by the host of an issuer that signs tokens for everybody. `sub` does not suffice, because the
 * owner of a job can choose parts of it. Names of workflows do not suffice, because others can call a workflow.
 */
const ownersAt: Readonly<Record<string, ReadonlyArray<string>>> = {
  "token.actions.githubusercontent.com": ["repository", "repository_id", "repository_owner", "repository_owner_id"],
  "gitlab.com": ["project_path", "project_id", "namespace_path", "namespace_id"],
  "agent.buildkite.com": ["organization_slug", "organization_id", "pipeline_id"]
}

const owners = [...Object.values(ownersAt).flat(), "sub", "kubernetes.io/namespace", "kubernetes.io/serviceaccount/uid"]

/** How many whole segments must precede the first wildcard in a claim that names an owner, as `repo:acme/app:` does in `sub`. */
const leastAnchor = (claim: string): number => claim === "sub" ? 3 : 1

const validName = /^[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,3}$/
const ownSettings = new Set(["iss", "aud", "exp", "nbf", "iat", "jti"])
const maxClaims = 16

const problemOf = (name: string, pattern: string): string | undefined => {
  if (!validName.test(name)) {
    return "expected the name of a claim, or names separated by slashes, such as kubernetes.io/namespace"
  }
  if (ownSettings.has(name)) {
    return "is verified separately and cannot have a pattern: use the issuer and the audience of the trust"
  }
  // Other characters could imitate another name.
  if (!/^[\u0020-\u007e]+$/.test(pattern)) return "expected a pattern of printable ASCII characters"
  if (pattern === "*") return "a wildcard alone matches every job"
  if (/\*[^/:]*\*/.test(pattern)) return "expected at most one wildcard in each segment"
  const at = pattern.indexOf("*")
  if (at === -1 || !owners.includes(name)) return undefined
  const segments = pattern.slice(0, at).split(/[/:]/)
  return segments.length <= leastAnchor(name) || segments.slice(0, -1).includes("")
    ? `a wildcard may only follow ${name === "sub" ? "three whole segments" : "the name of the owner and a slash"}, ` +
      `such as ${name === "sub" ? "repo:acme/shop:*" : "acme/*"}`
    : undefined
}

const problemOfNames = (issuer: URL, names: ReadonlyArray<string>): string | undefined => {
  if (names.length > maxClaims) return `expected at most ${maxClaims} claims`
  const needed = ownersAt[issuer.hostname] ?? owners
  return names.some((name) => needed.includes(name))
    ? undefined
    : `would accept the jobs of strangers: expected a pattern for at least one of ${needed.join(", ")}`
}

/** Returns why a trust with these patterns would be malformed, or would accept the jobs of strangers. */
export const problemsOf = (issuer: URL, claims: Readonly<Record<string, string>>): ReadonlyArray<Problem> => {
  const all = problemOfNames(issuer, Object.keys(claims))
  return [
    ...all === undefined ? [] : [{ path: "/claims", message: all }],
    ...Object.entries(claims).flatMap(([name, pattern]) => {
      const message = problemOf(name, pattern)
      return message === undefined ? [] : [{ path: jsonPointer(["claims", name]), message }]
    })
  ]
}

/** Returns the text of a claim, or undefined unless its value is a string, a number or a boolean. */
export const claimOf = (claims: object, name: string): string | undefined => {
  let value: unknown = claims
  // Names of CircleCI contain slashes, such as oidc.circleci.com/project-id.
  for (const member of Object.hasOwn(claims, name) ? [name] : name.split("/")) {
    if (!Predicate.isObject(value) || !Object.hasOwn(value, member)) return undefined
    value = value[member]
  }
  if (typeof value === "string") return value
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : undefined
}

const isMatch = (pattern: string, text: string): boolean => {
  const literals = pattern.split("*").map((literal) => literal.replaceAll(/[^\w]/g, "\\$&"))
  // A `*` matches printable ASCII characters except `/` and `:`.
  return new RegExp(`^${literals.join("[!-.0-9;-~]*?")}$`).test(text)
}

/** Whether the claims match all patterns. A missing claim matches none. */
export const matches = (claims: object, patterns: Readonly<Record<string, string>>): boolean =>
  Object.entries(patterns).every(([name, pattern]) => {
    const text = claimOf(claims, name)
    return text !== undefined && isMatch(pattern, text)
  })
