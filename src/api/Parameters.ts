import * as Schema from "effect/Schema"
import { named } from "../domain/wire/Wire.ts"

export const BooleanText = Schema.Literals(["true", "false"]).pipe(named("BooleanText", "A boolean value in a query"))
