import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { paths } from "../support/HostileAuthorizationServer.ts"
import { collect } from "../support/Sandbox.ts"
import { API_HOST, signIn, withServer } from "./support.ts"

const PROCESSES = 4
const EACH = 50

/** A client process that sends the requests concurrently and prints the results. */
const client = `
  const [url, host, count] = process.argv.slice(1)
  const resolve = () => fetch(url + "/credentials/resolve", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ host })
  }).then((response) => response.json()).then((body) => body.headers?.Authorization ?? body.error)
  Promise.all(Array.from({ length: Number(count) }, resolve)).then((results) => console.log(JSON.stringify(results)))
`

describe("An expired token", () => {
  it.live(`is refreshed once for ${PROCESSES * EACH} concurrent requests from ${PROCESSES} processes`, () =>
    withServer(function*(there) {
      yield* signIn(there)
      yield* there.pass("2 hours")
      // The response is delayed until the other requests have arrived.
      there.server.answer(paths.token, async () => {
        await new Promise((resolve) => setTimeout(resolve, 1000))
        return { body: there.server.tokens({ access_token: "canary-refreshed" }) }
      })
      const args = ["-e", client, there.harness.daemon.url, API_HOST, String(EACH)]
      const outcomes = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: PROCESSES }, () => collect(spawn(process.execPath, args))))
      )
      const responses = outcomes.flatMap(({ stdout }) => JSON.parse(stdout) as ReadonlyArray<string>)
      assert.lengthOf(responses, PROCESSES * EACH)
      assert.deepStrictEqual([...new Set(responses)], ["Bearer canary-refreshed"])
      const refreshes = there.server.at(paths.token).filter(({ form }) => form.get("grant_type") === "refresh_token")
      assert.lengthOf(refreshes, 1)
    }))
})
