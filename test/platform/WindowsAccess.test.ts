import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { closeToOthers } from "../../src/platform/WindowsAccess.ts"
import { effect } from "../support/Fixture.ts"

const home = "C:\\Users\\me & you\\.credsvc"
const env = { SystemRoot: "D:\\Windows" }

describe("WindowsAccess", () => {
  effect("grants the directory to the user and the system only, by their identifiers and without a shell", function*() {
    const calls: Array<ReadonlyArray<string>> = []
    yield* closeToOthers(home, {
      env,
      run: (program, args) => {
        calls.push([program, ...args])
        return "\"büro\\me \"\"S-1-5-21-9\"\"\",\"S-1-5-21-111-222-333-1001\"\r\n"
      }
    })
    assert.deepStrictEqual(calls, [
      ["D:\\Windows\\System32\\whoami.exe", "/user", "/fo", "csv", "/nh"],
      [
        "D:\\Windows\\System32\\icacls.exe",
        home,
        "/inheritance:r",
        "/grant:r",
        "*S-1-5-21-111-222-333-1001:(OI)(CI)F",
        "/grant:r",
        "*S-1-5-18:(OI)(CI)F",
        "/q"
      ]
    ])
  })

  effect("changes nothing if the user is unknown, and reports why it failed", function*() {
    const programs: Array<string> = []
    const unknown = yield* Effect.flip(closeToOthers(home, {
      env,
      run: (program) => {
        programs.push(program)
        return "ERROR"
      }
    }))
    assert.deepStrictEqual(programs, ["D:\\Windows\\System32\\whoami.exe"])
    assert.strictEqual(unknown.message, `${home} could not be closed to other users; keep it on an NTFS disk`)
    const failed = yield* Effect.flip(closeToOthers(home, {
      env,
      run: () => {
        throw new Error("ENOENT")
      }
    }))
    assert.strictEqual(failed.problem, "open_to_others")
  })
})
