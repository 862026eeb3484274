/** fast-check, with the seed of all properties. */
import * as fc from "fast-check"
import { seed } from "./Seed.ts"

fc.configureGlobal({ seed })

export * from "fast-check"
