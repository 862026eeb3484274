/**
 * Keeps memory flat while large bodies pass through. Chunks live outside the JavaScript heap, so V8 sees no reason to collect
 * them: a download of a gigabyte would hold a hundred megabytes. A collection of the young generation takes a millisecond.
 */
import { collectGarbage } from "../platform/GarbageCollection.ts"

const INTERVAL_BYTES = 8 * 1024 * 1024

let passed = 0

export const count = (bytes: number): void => {
  passed += bytes
  if (passed < INTERVAL_BYTES) return
  passed = 0
  collectGarbage({ type: "minor" })
}
