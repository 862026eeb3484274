import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { enterPath, pagesCode } from "../../../src/config/daemon/PagesCode.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { live, testsWith } from "../../support/Fixture.ts"
import { canBeOthers, curl, runAsOther } from "../../support/OtherUser.ts"
import { publicHost, startExposedDaemon } from "../../support/RemoteCaller.ts"
import { startTestDaemon, type TestDaemonShape } from "../../support/TestDaemon.ts"

const exposed = testsWith(startExposedDaemon)

describe("the pages of an exposed daemon", () => {
  /** Requests of a browser, through the port of the daemon or of a proxy. */
  const browse = (daemon: TestDaemonShape, target: string, cookie?: string, host = `127.0.0.1:${daemon.port}`) =>
    daemon.request(target, {
      agent: new builtins.http.Agent(),
      headers: { host, ...(cookie === undefined ? {} : { cookie }) }
    })
  const codeOf = ({ paths }: TestDaemonShape, at = Date.now()) => pagesCode(fs.readFileSync(paths.accessKey), at)
  const entered = (daemon: TestDaemonShape) =>
    Effect.map(browse(daemon, `${enterPath}?code=${codeOf(daemon)}`), ({ headers, status }) => {
      assert.strictEqual(status, 303)
      assert.strictEqual(headers["location"], "/ui/")
      const [text = ""] = headers["set-cookie"] ?? []
      assert.match(text, /; Path=\/ui\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
      return text.slice(0, text.indexOf(";"))
    })

  exposed.live("open only for a browser with a code that was made with the access key", function*(daemon) {
    assert.strictEqual((yield* browse(daemon, "/ui/")).status, 401)
    const cookie = yield* entered(daemon)
    assert.strictEqual((yield* browse(daemon, "/ui/", cookie)).status, 200)
    assert.strictEqual((yield* browse(daemon, "/ui/connections", `other=1; ${cookie}`)).status, 200)
    const another = `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`
    assert.strictEqual((yield* browse(daemon, "/ui/", another)).status, 401)
  })

  exposed.live("open no other route with the cookie, nor under the public name", function*(daemon) {
    const cookie = yield* entered(daemon)
    for (const target of ["/connections", "/connections/openai/default?reveal=true", "/runs", "/whoami"]) {
      assert.strictEqual((yield* browse(daemon, target, cookie)).status, 401, target)
    }
    assert.strictEqual((yield* browse(daemon, "/ui/", cookie, publicHost)).status, 401)
    const code = codeOf(daemon)
    assert.strictEqual((yield* browse(daemon, `${enterPath}?code=${code}`, undefined, publicHost)).status, 401)
  })

  exposed.live("accept a code once, for a minute and from this home only", function*(daemon) {
    const code = codeOf(daemon)
    const first = yield* browse(daemon, `${enterPath}?code=${code}`)
    assert.strictEqual(first.status, 303)
    const foreign = pagesCode(new Uint8Array(32), Date.now())
    const dated = /^\d+/.exec(code)![0]
    const altered = code.replace(dated, String(Number(dated) + 1))
    const bads = [
      code,
      `0${code}`,
      codeOf(daemon, Date.now() - 61_000),
      codeOf(daemon, Date.now() + 90_000),
      foreign,
      altered,
      ""
    ]
    for (const bad of bads) {
      const refused = yield* browse(daemon, `${enterPath}?code=${bad}`)
      assert.strictEqual(refused.status, 401)
      assert.isUndefined(refused.headers["set-cookie"])
      assert.include(refused.body, "credsvc ui")
    }
  })

  if (canBeOthers) {
    exposed.live("do not open for another user who reads the code in the arguments of the browser", function*(daemon) {
      const code = codeOf(daemon)
      const url = `${daemon.url}${enterPath}?code=${code}`
      const { stdout } = yield* runAsOther(curl("-i", url))
      assert.match(stdout, /^HTTP\/1.1 401 /)
      assert.strictEqual((yield* browse(daemon, `${enterPath}?code=${code}`)).status, 303)
    })

    exposed.live("do not open for another user to whose port the browser has sent the cookie", function*(daemon) {
      const cookie = yield* entered(daemon)
      const { stdout } = yield* runAsOther(curl("-i", "-H", `Cookie: ${cookie}`, `${daemon.url}/ui/`))
      assert.match(stdout, /^HTTP\/1.1 401 /)
      assert.strictEqual((yield* browse(daemon, "/ui/", cookie)).status, 200)
    })
  }

  live("require no code if only the user can reach the daemon", function*() {
    const daemon = yield* startTestDaemon()
    const plain = yield* daemon.request(`${enterPath}?code=x`)
    assert.strictEqual(plain.status, 303)
    assert.isUndefined(plain.headers["set-cookie"])
  })
})
