import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type { Caller } from "../../../src/callers/Caller.ts"
import { PeerOwner } from "../../../src/platform/sockets/PeerOwner.ts"
import { CallerAdmission } from "../../../src/server/http/CallerAdmission.ts"
import { guardedApp } from "../../../src/server/http/GuardedApp.ts"
import { listen } from "../../../src/server/http/HttpListener.ts"
import { setConnection } from "../../../src/server/http/IncomingRequest.ts"
import { Instance } from "../../../src/server/http/Instance.ts"
import { PeerAdmission } from "../../../src/server/http/PeerAdmission.ts"
import { DaemonLog, describeCause } from "../../../src/telemetry/DaemonLog.ts"
import { live } from "../../support/Fixture.ts"
import { testInstance } from "../../support/TestInstance.ts"

const canary = "CANARY-91f2"

class Foreign extends Error {
  readonly code = "ERR_FOREIGN"
  readonly response = { access_token: canary }
}

const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/dies/:id", Effect.die(new Foreign(`the answer was ${canary}`))),
  HttpRouter.add(
    "GET",
    "/throws",
    Effect.sync((): HttpServerResponse.HttpServerResponse => {
      throw { message: canary }
    })
  ),
  HttpRouter.add("POST", "/posts", HttpServerResponse.text("posted")),
  HttpRouter.add("GET", "/unavailable", HttpServerResponse.empty({ status: 503 }))
)

const served = [{ method: "GET", path: "/dies/:id" }, { method: "GET", path: "/throws" }, {
  method: "POST",
  path: "/posts"
}]

/** Serves the routes to callers of this kind. */
const serving = (caller: Caller) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const listener = yield* listen("127.0.0.1", 0)
    const url = `http://127.0.0.1:${listener.port}`
    const environment = Layer.mergeAll(
      PeerAdmission.layerNoDeps({ accessKey: new Uint8Array(32), startedAt: 0, checksOwner: false }).pipe(
        Layer.provide(PeerOwner.layerUnsupported)
      ),
      Layer.succeed(CallerAdmission, {
        isLocal: () => caller._tag === "Local",
        isScrape: () => false,
        admit: () => Effect.succeed(caller),
        isSignedBy: () => Effect.die("not used")
      }),
      Layer.succeed(DaemonLog, {
        write: (level, event, fields) => void lines.push(JSON.stringify([level, event, fields]))
      }),
      Layer.succeed(Instance, testInstance({ port: listener.port }))
    )
    const router = yield* HttpRouter.toHttpEffect(routes)
    const app = yield* guardedApp(router, served).pipe(Effect.provide(environment))
    const handler = yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope })
    listener.serve({
      request: (request, response) => {
        setConnection(request, { socket: request.socket, isOwn: true })
        handler(request, response)
      }
    })
    const get = (path: string, method = "GET") =>
      Effect.promise(async () => {
        const response = await fetch(url + path, { method })
        return { status: response.status, headers: response.headers, body: await response.text() }
      })
    return { get, lines }
  })

describe("GuardedApp", () => {
  live("responds to a defect with an error ID that is also in the log, and reveals no details in either", function*() {
    const { get, lines } = yield* serving({ _tag: "Local" })

    for (const path of [`/dies/${canary}`, "/throws"]) {
      const response = yield* get(path)
      assert.strictEqual(response.status, 500)
      assert.notInclude(response.body, "CANARY")
      const problem = JSON.parse(response.body)
      assert.strictEqual(problem.error, "UnexpectedError")
      assert.strictEqual(problem.id, response.headers.get("x-request-id"))
      const line = lines.find((line) => line.includes(problem.id)) ?? ""
      assert.include(line, path === "/throws" ? "/throws" : "/dies/:id")
      assert.notInclude(line, "CANARY")
      assert.notInclude(line, "the answer was")
    }
    assert.include(lines[0] ?? "", "Foreign/ERR_FOREIGN at ")

    const missing = yield* get("/nothing")
    assert.strictEqual(missing.status, 404)
    assert.strictEqual(missing.headers.get("content-type"), "application/problem+json")
    const wrongMethod = yield* get("/posts")
    assert.deepStrictEqual([wrongMethod.status, wrongMethod.headers.get("allow")], [405, "POST"])
    assert.strictEqual((yield* get("/throws", "POST")).headers.get("allow"), "GET, HEAD")
    assert.strictEqual((yield* get("/posts", "POST")).status, 200)
  })

  it("logs an error by its class, code and stack frame, without its message", () => {
    const described = describeCause(
      { reasons: [{ _tag: "Die", defect: new Foreign(`${canary}\n    at ${canary}`) }] } as never
    )
    assert.match(described, /^Foreign\/ERR_FOREIGN at .*GuardedApp\.test\.ts/)
    assert.notInclude(described, canary)
  })
})
