/** The replicas of docs/hosting/compose.yaml behind a real nginx with docs/hosting/nginx.conf. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import * as path from "node:path"
import { type CommitLosingServer, loseCommits } from "../support/CommitLosingServer.ts"
import { confirmationOf } from "../support/Confirmation.ts"
import { type HostedReplica, hostedReplicas, metricsToken } from "../support/HostedReplicas.ts"
import { basic, documented, type Nginx, nginxProgram, openNginx } from "../support/Nginx.ts"
import { oidcDefinition } from "../support/OAuthSandbox.ts"
import { hostedClient, type OidcServer, openOidcServer } from "../support/OidcServer.ts"
import { makeKey, type RemoteKey } from "../support/RemoteCaller.ts"
import { cleanEnvironment, programIn } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"
import { databaseUrlOf } from "../support/TestStore.ts"
import { until } from "../support/Until.ts"

describe.runIf(nginxProgram !== undefined)("nginx in front of two daemons", () => {
  type Behavior = "serves" | "responds with 503" | "loses the request" | "hangs"
  const directory = suiteDirectory()
  const sockets = ["front.sock", "front-2.sock"].map((name) => path.join(directory, "run", name))
  let nginx: Nginx
  let servers: ReadonlyArray<http.Server> = []
  let received: Array<number> = []
  let ids: Array<unknown> = []

  /** Replaces the daemons. `undefined` listens to nothing. */
  const behave = async (...behaviors: ReadonlyArray<Behavior | undefined>): Promise<void> => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    received = [0, 0]
    ids = []
    servers = await Promise.all(behaviors.flatMap((behavior, index) => {
      if (behavior === undefined) return []
      const server = http.createServer(async (request, response) => {
        received[index]!++
        let body = ""
        for await (const chunk of request.setEncoding("utf8")) body += chunk
        ids.push(request.headers["x-request-id"])
        if (behavior === "hangs") return
        if (behavior === "loses the request") return request.socket.destroy()
        response.writeHead(behavior === "serves" ? 200 : 503).end(`${request.method} ${request.url} ${body}`)
      })
      return [
        new Promise<http.Server>((resolve) =>
          server.listen(sockets[index], () => {
            fs.chmodSync(sockets[index]!, 0o666)
            resolve(server)
          })
        )
      ]
    }))
  }

  /** The statuses of six requests, which nginx sends to the daemons in turn. */
  const statuses = async (method: string): Promise<ReadonlyArray<number>> => {
    const found: Array<number> = []
    for (let count = 0; count < 6; count++) {
      const { body, status } = await nginx.ask("/team/path%2Fof?a=b%20c", {
        method,
        ...method === "POST" ? { body: "content" } : {}
      })
      if (status === 200) {
        assert.strictEqual(body, `${method} /team/path%2Fof?a=b%20c ${method === "POST" ? "content" : ""}`)
      }
      found.push(status)
    }
    return found
  }

  const limit = "proxy_read_timeout 60s;"

  const six = (status: number) => Array.from({ length: 6 }, () => status)

  beforeAll(async () => {
    assert.include(documented("replicas"), limit)
    nginx = await openNginx(directory, documented("replicas").replace(limit, "proxy_read_timeout 5s;"))
    await nginx.start()
  })
  afterAll(async () => {
    await behave()
    await nginx.close()
  })

  for (const method of ["GET", "POST"]) {
    it(`sends each ${method} to one of the daemons, in turn`, async () => {
      await behave("serves", "serves")
      assert.deepStrictEqual(await statuses(method), six(200))
      assert.deepStrictEqual(received, [3, 3])
    })

    it(`sends a ${method} to one daemon while the other does not listen`, async () => {
      await behave(undefined, "serves")
      assert.deepStrictEqual(await statuses(method), six(200))
    })

    it(`${method === "GET" ? "repeats" : "does not repeat"} a ${method} at the other daemon after a 503 response`, async () => {
      await behave("responds with 503", "serves")
      const found = await statuses(method)
      if (method === "GET") assert.deepStrictEqual(found, six(200))
      else assert.sameMembers([...found], [503, 503, 503, 200, 200, 200])
      assert.deepStrictEqual(received, method === "GET" ? [3, 6] : [3, 3])
    })

    it(`sends a ${method} to no daemon twice, and returns the 503 response`, async () => {
      await behave("responds with 503", "responds with 503")
      assert.deepStrictEqual(await statuses(method), six(503))
      assert.deepStrictEqual(received, method === "GET" ? [6, 6] : [3, 3])
    })
  }

  it("gives up on a daemon that hangs, and repeats the request only if its method is idempotent", async () => {
    for (const [method, status] of [["GET", 200], ["POST", 504]] as const) {
      await behave("hangs", "serves")
      // One of two requests in turn reaches the one that hangs.
      const found = [await nginx.ask("/team/path", { method }), await nginx.ask("/team/path", { method })]
      assert.sameMembers(found.map((each) => each.status), [200, status])
      assert.deepStrictEqual(received, method === "GET" ? [1, 2] : [1, 1])
    }
  })

  it("names each request by an id that nginx chooses", async () => {
    await behave("serves", "serves")
    const given = "3f2a9c81d0b64e7f8a0c5d2e1b9f7a60"
    await nginx.ask("/team/path", { headers: { authorization: basic, "x-request-id": given } })
    assert.match(String(ids[0]), /^[0-9a-f]{32}$/)
    assert.notStrictEqual(ids[0], given)
    await until(() => nginx.log().some((line) => line.includes(` ${String(ids[0])} `)))
  })

  it("repeats a lost request only if its method is idempotent", async () => {
    await behave("loses the request", "serves")
    assert.deepStrictEqual(await statuses("GET"), six(200))
    assert.deepStrictEqual(received, [3, 6])
    received = [0, 0]
    assert.sameMembers([...await statuses("POST")], [502, 502, 502, 200, 200, 200])
    assert.deepStrictEqual(received, [3, 3])
  })
})

describe.runIf(nginxProgram !== undefined)("The replicas of the compose file behind nginx", () => {
  const directory = suiteDirectory()
  const at = (name: string) => path.join(directory, name)
  let nginx: Nginx
  let oidc: OidcServer
  let replicas: ReadonlyArray<HostedReplica> = []
  let client: NodeJS.ProcessEnv = {}
  let caller: RemoteKey
  let database: CommitLosingServer
  const agent = new https.Agent({ keepAlive: true })
  const { credsvc, must } = programIn(directory, {
    ...cleanEnvironment(at("client")),
    NODE_EXTRA_CA_CERTS: at("ca.pem")
  })

  /** Sends a signed request of the caller. */
  const ask = async (method: string, target: string, content?: object, key = caller) => {
    const { body, headers } = key.sign(`/team${target}`, {
      method,
      ...(content === undefined ? {} : { body: content })
    })
    const answer = await nginx.ask(`/team${target}`, {
      method,
      body,
      headers: { ...headers, authorization: basic },
      agent
    })
    return { ...answer, json: answer.body.startsWith("{") ? JSON.parse(answer.body) : undefined }
  }

  const enrolled = async (): Promise<RemoteKey> => {
    const { stdout } = await replicas[0]!.must(["admin", "enroll-code", "team"])
    const key = makeKey(new URL(nginx.origin).host)
    const { body, status } = await ask("POST", "/identities", { code: stdout.trim(), public_key: key.publicKey }, key)
    assert.strictEqual(status, 201, body)
    return key
  }

  /** Logs in with a browser that returns to another replica than the one at which the login began. */
  const logIn = async (connection: string): Promise<void> => {
    const begun = await ask("POST", "/auth/sessions", { provider: "oidc", connection })
    assert.strictEqual(begun.status, 201, begun.body)
    const callback = await oidc.user.walk(begun.json.next_action.url)
    const { target, ...form } = confirmationOf((await nginx.ask(callback.slice(nginx.origin.length))).body)
    const { status } = await nginx.ask(target, { ...form, headers: { ...form.headers, authorization: basic } })
    assert.strictEqual(status, 303)
    for (let status = ""; status !== "completed";) {
      const { body, json } = await ask("GET", `/auth/sessions/${begun.json.session_id}?wait=5`)
      status = json.status
      assert.notInclude(["failed", "expired", "cancelled", undefined], status, body)
    }
  }

  const resolve = async (connection: string): Promise<string> => {
    const { body, json, status } = await ask("POST", "/credentials/resolve", {
      host: new URL(oidc.api.origin).hostname,
      connection
    })
    assert.strictEqual(status, 200, body)
    return json.headers.Authorization
  }

  beforeAll(async () => {
    nginx = await openNginx(directory, documented("replicas"))
    oidc = await openOidcServer({ hostedRedirectUri: `${nginx.origin}/team/auth/callback/oauth` })
    database = await loseCommits(directory, databaseUrlOf(at("home-1")))
    replicas = hostedReplicas({
      directory,
      origin: nginx.origin,
      databaseUrl: database.url,
      certificate: makeAuthority().issue(["localhost"]),
      sites: oidc.sites
    })
    assert.lengthOf(replicas, 2)
    await nginx.start()
    await Promise.all(replicas.map((replica) => replica.start()))
    fs.writeFileSync(at("app.json"), JSON.stringify(oidcDefinition(oidc, { oauth: hostedClient })))
    await replicas[0]!.must(["register", "app.json", "--yes"])
    await replicas[0]!.must(["profile", "create", "team"])
    caller = await enrolled()
    client = {
      CREDSVC_HOME: at("client"),
      CREDSVC_DAEMON_URL: `${nginx.origin}/team`,
      CREDSVC_DAEMON_HEADERS: `Authorization: ${basic}`
    }
    fs.mkdirSync(at("client"), { mode: 0o700 })
    fs.copyFileSync(path.join(replicas[0]!.home, "config.json"), path.join(at("client"), "config.json"))
    const { stdout } = await replicas[1]!.must(["admin", "enroll-code", "team"])
    await must(["enroll"], { env: client, input: stdout })
  })

  afterAll(async () => {
    agent.destroy()
    await Promise.all(replicas.map((replica) => replica.stop()))
    await nginx.close()
    await oidc.close()
    await database.close()
  })

  it("show a scraper the metrics of each of them", async () => {
    const scraped = new Set<string | undefined>()
    for (const target of ["/team/metrics", "/team/metrics/2", "/team/metrics", "/team/metrics/2"]) {
      const { body, status } = await nginx.ask(target, { headers: { authorization: `Bearer ${metricsToken}` } })
      assert.strictEqual(status, 200, body)
      scraped.add(/^process_start_time_seconds .*$/m.exec(body)?.[0])
      assert.strictEqual((await nginx.ask(target)).status, 401)
    }
    assert.strictEqual(scraped.size, 2)
  })

  it("make each change once when a connection to the database is lost during the change", async () => {
    const created = await ask("POST", "/sandboxes", { name: "one", providers: ["oidc"], expires_in: 3600 })
    assert.strictEqual(created.status, 201, created.body)
    const generation = async () => (await ask("GET", "/proxy/sandboxes")).json.sandboxes[0].generation
    const before = await generation()
    const lost = ["UPDATE", "COMMIT"] as const
    for (const [index, statement] of lost.entries()) {
      database.loseNext(statement)
      const { body, status } = await ask("POST", "/sandboxes/one/rotate")
      assert.strictEqual(status, 200, body)
      assert.strictEqual(await generation(), before + index + 1)
    }
    const { json } = await ask("GET", "/audit?event=sandbox-rotate")
    assert.lengthOf(json.entries, lost.length)
  })

  it("fail no request, no login and no run while they are restarted in turn under load", async () => {
    await logIn("used")
    const over = new AbortController()
    const began = performance.now()
    let resolved = 0
    let logins = 0
    const use = async () => {
      for (; !over.signal.aborted; resolved++) await resolve("used")
    }
    const logInAgain = async () => {
      while (!over.signal.aborted) await logIn(`during-${++logins}`)
    }
    const requests =
      `for i in $(seq 20); do curl -fsS --max-time 60 -o /dev/null ${oidc.api.origin}/ || exit 1; sleep 0.3; done`
    const running = credsvc(["run", "--connection", "oidc=used", "--", "sh", "-c", requests], { env: client })
    const restart = async () => {
      for (const replica of replicas) {
        await replica.stop()
        await replica.start()
      }
    }
    await Promise.all([
      restart().finally(() => over.abort()),
      logInAgain(),
      ...Array.from({ length: 6 }, use)
    ])
    const run = await running
    assert.strictEqual(run.code, 0, run.stderr)
    const seconds = (performance.now() - began) / 1000
    console.log(`2 restarts, ${resolved} resolves and ${logins} logins in ${seconds.toFixed(0)} seconds`)
    assert.isAbove(resolved, 0)
    for (const replica of replicas) await replica.must(["log", "verify"])
  })
})
