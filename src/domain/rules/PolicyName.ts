import * as Schema from "effect/Schema"
import { named } from "../wire/Wire.ts"

/** 1 to 32 characters of `a-z 0-9 _ -`. */
export const PolicyName = Schema.String.pipe(named("PolicyName", "The name of a policy")).check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,31}$/u, {
    expected: "a policy name: 1 to 32 lower-case letters, digits, '_' or '-', beginning with a letter or digit"
  })
).pipe(Schema.brand("PolicyName"))
export type PolicyName = typeof PolicyName.Type
