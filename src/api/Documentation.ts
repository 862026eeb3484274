/** Parts of the definitions of operations that generated documents are made from. */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { named } from "../domain/wire/Wire.ts"

export const BooleanText = Schema.Literals(["true", "false"]).pipe(named("BooleanText", "A boolean value in a query"))

/** The texts of an operation. Its ID are the names of its group and its own, such as `audit.list`. */
export const documented = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** The texts of a group of operations. */
export const titled = (title: string, description: string) => OpenApi.annotations({ title, description })
