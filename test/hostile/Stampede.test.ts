import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { paths } from "../support/HostileAuthorizationServer.ts"
import { collect } from "../support/Sandbox.ts"
import { API_HOST, signIn, stage } from "./support.ts"

const PROCESSES = 4
const EACH = 50

/** A client process that asks the daemon as often at once, and prints what it was given. */
const client = `
  const [url, host, count] = process.argv.slice(1)
  const ask = () => fetch(url + "/credentials/resolve", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ host })
  }).then((response) => response.json()).then((answer) => answer.headers?.Authorization ?? answer.error)
  Promise.all(Array.from({ length: Number(count) }, ask)).then((answers) => console.log(JSON.stringify(answers)))
`

describe("A token that is over", () => {
  it.live(`is refreshed once for ${PROCESSES * EACH} requests at once from ${PROCESSES} processes`, () =>
    Effect.gen(function*() {
      const there = yield* stage()
      yield* signIn(there)
      yield* there.pass("2 hours")
      // Answered when the others have had time to ask.
      there.server.answer(paths.token, async () => {
        await new Promise((resolve) => setTimeout(resolve, 1000))
        return { body: there.server.tokens({ access_token: "canary-refreshed" }) }
      })
      const args = ["-e", client, there.harness.daemon.url, API_HOST, String(EACH)]
      const outcomes = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: PROCESSES }, () => collect(spawn(process.execPath, args))))
      )
      const answers = outcomes.flatMap(({ stdout }) => JSON.parse(stdout) as ReadonlyArray<string>)
      assert.lengthOf(answers, PROCESSES * EACH)
      assert.deepStrictEqual([...new Set(answers)], ["Bearer canary-refreshed"])
      const refreshes = there.server.at(paths.token).filter(({ form }) => form.get("grant_type") === "refresh_token")
      assert.lengthOf(refreshes, 1)
    }).pipe(Effect.scoped))
})
