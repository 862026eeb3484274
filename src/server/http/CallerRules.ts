/** Tells which callers may request which routes. Only the administrator may request a route without a rule. */
import { operations } from "../../api/Api.ts"
import type { OperationFacts } from "../../api/OperationParts.ts"
import { type PageRoute, pages } from "./PageTable.ts"

export type Rule = OperationFacts["callers"]

export interface Route {
  readonly method: string
  readonly path: string
}

const key = ({ method, path }: Route): string => `${method} ${path}`

const served: ReadonlyArray<PageRoute> = Object.values(pages)

/** The method and the pattern of every route. */
export const servedPaths: ReadonlyArray<Route> = [...operations, ...served]

const rules = new Map<string, Rule>([
  ...operations.map((operation): [string, Rule] => [key(operation), operation.facts.callers]),
  ...served.map((page): [string, Rule] => [key(page), page.anyone === true ? "anyone" : "administrator"])
])

/** The rule of a route, by its method and the pattern of its path. */
export const ruleOf = (method: string, path: string): Rule =>
  rules.get(key({ method: method === "HEAD" ? "GET" : method, path })) ?? "administrator"
