import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { withoutOwnSecrets } from "../../../src/config/Settings.ts"
import { parseDatabaseUrl } from "../../../src/store/postgres/DatabaseUrl.ts"

describe("The URL of a database", () => {
  const parsed = (url: string) => Result.getOrThrow(parseDatabaseUrl(url))

  it("requires TLS on the way to another machine, unless it says otherwise", () => {
    const encrypted = (url: string) => new URL(parsed(url).url).searchParams.get("sslmode")
    assert.strictEqual(encrypted("postgres://db.example.com/team"), "require")
    assert.strictEqual(encrypted("postgres://10.0.0.1/team"), "require")
    assert.strictEqual(encrypted("postgres:///team?host=db.example.com"), "require")
    assert.strictEqual(encrypted("postgres://db.example.com/team?sslmode=disable"), "disable")
    for (const local of ["localhost", "127.0.0.1", "[::1]"]) assert.isNull(encrypted(`postgres://${local}/team`))
    assert.isNull(encrypted("postgres:///team?host=/run/postgresql"))
  })

  it("names a schema, and is shown without user and password", () => {
    assert.deepInclude(parsed("postgres://me:secret@127.0.0.1/team?schema=tools"), {
      schema: "tools",
      name: "127.0.0.1/team",
      url: "postgres://me:secret@127.0.0.1/team"
    })
    assert.strictEqual(parsed("postgres://127.0.0.1/team").schema, "public")
    assert.isTrue(Result.isFailure(parseDatabaseUrl("postgres://127.0.0.1/team?schema=a\"b")))
    assert.isTrue(Result.isFailure(parseDatabaseUrl("postgres://127.0.0.1")))
  })

  it("is not passed on to the programs that credsvc starts", () => {
    assert.deepStrictEqual(withoutOwnSecrets({ CREDSVC_DATABASE_URL: "postgres://me:secret@db/team", HOME: "/" }), {
      HOME: "/"
    })
  })
})
