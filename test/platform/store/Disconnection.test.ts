import { assert, describe, it } from "@effect/vitest"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { isDisconnected } from "../../../src/platform/store/Disconnection.ts"

const failed = (code: unknown) => new SqlError({ reason: new UnknownError({ cause: { code } }) })
const unconnected = (cause: unknown) => new SqlError({ reason: new ConnectionError({ cause }) })

describe("isDisconnected", () => {
  const cases: ReadonlyArray<readonly [what: string, error: SqlError, expected: boolean]> = [
    ["connection_failure", failed("08006"), true],
    ["admin_shutdown", failed("57P01"), true],
    ["cannot_connect_now", failed("57P03"), true],
    ["idle_session_timeout", failed("57P05"), false],
    ["unique_violation", failed("23505"), false],
    ["a failure without an SQLSTATE", failed(undefined), false],
    ["a reset connection", unconnected(new Error("ECONNRESET")), true],
    ["no response", unconnected(undefined), false]
  ]
  it.each(cases)("recognizes %s", (_, error, expected) => assert.strictEqual(isDisconnected(error), expected))
})
