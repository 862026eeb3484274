import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { paths } from "../support/HostileAuthorizationServer.ts"
import { collect } from "../support/Sandbox.ts"
import { turn } from "../support/UpstreamPeer.ts"
import { API_HOST, signIn, withServer } from "./support.ts"

const PROCESSES = 4
const EACH = 50

/** A client process that sends the requests at once, prints a line when all are sent, and then the results. */
const client = `
  const { request } = require("http")
  const [url, host, count] = process.argv.slice(1)
  const sent = [], results = []
  for (let i = 0; i < Number(count); i++) {
    const outgoing = request(url + "/credentials/resolve", { method: "POST", headers: { "content-type": "application/json" } })
    sent.push(new Promise((done) => outgoing.end(JSON.stringify({ host }), done)))
    results.push(new Promise((done) => outgoing.on("response", async (response) => {
      const body = JSON.parse(Buffer.concat(await response.toArray()).toString())
      done(body.headers?.Authorization ?? body.error)
    })))
  }
  Promise.all(sent).then(() => console.log("sent"))
  Promise.all(results).then((all) => console.log(JSON.stringify(all)))
`

describe("An expired token", () => {
  it.live(`is refreshed once for ${PROCESSES * EACH} concurrent requests from ${PROCESSES} processes`, () =>
    withServer(function*(there) {
      yield* signIn(there)
      yield* there.pass("2 hours")
      const args = ["-e", client, there.harness.daemon.url, API_HOST, String(EACH)]
      const clients = Array.from({ length: PROCESSES }, () => spawn(process.execPath, args))
      const sent = Promise.all(clients.map(({ stdout }) => once(stdout, "data")))
      // The response comes once all requests have been sent, and read by the daemon, which is this process.
      there.server.answer(paths.token, async () => {
        await sent
        for (let turns = 0; turns < 100; turns++) await turn()
        return { body: there.server.tokens({ access_token: "canary-refreshed" }) }
      })
      const outcomes = yield* Effect.promise(() => Promise.all(clients.map((client) => collect(client))))
      const responses = outcomes.flatMap(({ stdout }) =>
        JSON.parse(stdout.replace("sent\n", "")) as ReadonlyArray<string>
      )
      assert.lengthOf(responses, PROCESSES * EACH)
      assert.deepStrictEqual([...new Set(responses)], ["Bearer canary-refreshed"])
      const refreshes = there.server.at(paths.token).filter(({ form }) => form.get("grant_type") === "refresh_token")
      assert.lengthOf(refreshes, 1)
    }))
})
