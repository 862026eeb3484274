import { assert, describe } from "@effect/vitest"
import { live } from "../../support/Fixture.ts"
import { proxied } from "../../support/ProxiedHost.ts"

const challenge = (rest: string) => `Bearer error="insufficient_scope"${rest}`

describe("A refusal by the API", () => {
  const rows: ReadonlyArray<readonly [what: string, status: number, challenge: string, scopes: string | undefined]> = [
    ["that demands scopes", 403, challenge(`, scope="files:read files:write"`), "files:read,files:write"],
    ["that demands one scope without quotes", 403, "bearer scope=write, error=insufficient_scope", "write"],
    ["with another challenge before it", 403, `Basic realm="x", ${challenge(`, scope="write"`)}`, "write"],
    ["with text for a shell among the scopes", 403, challenge(`, scope="$(id) write;id -x write"`), "write"],
    ["that names no scope", 403, challenge(""), undefined],
    ["with another error", 403, `Bearer error="invalid_token", scope="write"`, undefined],
    ["without a challenge", 403, "", undefined],
    ["with another status than 403", 400, challenge(`, scope="write"`), undefined]
  ]
  for (const [what, status, sent, scopes] of rows) {
    live(
      `${what} ${scopes === undefined ? "gets no hint" : "gets a hint with the login command, also in the log"}`,
      function*() {
        const { events, exchange } = yield* proxied((_, response) => {
          response.writeHead(status, sent === "" ? {} : { "www-authenticate": sent })
          response.end("no")
        })
        const response = yield* exchange("GET /")
        assert.strictEqual(response.status, status)
        assert.strictEqual(response.body, "no")
        const hint = response.headers.get("x-credsvc-hint") ?? ""
        const command =
          /^the credential lacks scopes that this request needs; run: credsvc login example( --connection \w+)? --add-scopes (.*)$/
        assert.strictEqual(command.exec(hint)?.[2], scopes, hint)
        assert.strictEqual(hint === "", scopes === undefined)
        assert.strictEqual(events.at(-1)?.missingScopes?.join(","), scopes)
      }
    )
  }
})
