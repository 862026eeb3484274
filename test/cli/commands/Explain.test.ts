import { assert, describe, it } from "vitest"
import { useWorkplace } from "../../support/Transcript.ts"

const workplace = useWorkplace()

describe("explain", () => {
  it("rejects the options that run rejects", async () => {
    const [allow, host] = ["--allow 'GET unknown.example'", "names a host that belongs to no provider"]
    const cases: ReadonlyArray<readonly [options: string, exitCode: number, message: string]> = [
      ["--provider nothing", 4, "error: Provider \"nothing\" not found."],
      ["--connection nothing=work", 4, "error: Provider \"nothing\" not found."],
      ["--connection openai=missing", 3, "error: Connection \"missing\" not found for openai."],
      [allow, 2, `error: --allow: "GET unknown.example" ${host}`]
    ]
    for (const [options, exitCode, message] of cases) {
      for (const command of [`explain GET https://api.openai.com/v1/models ${options}`, `run ${options} -- true`]) {
        const outcome = await workplace.sh(`credsvc ${command}`)
        assert.strictEqual(outcome.exitCode, exitCode, command)
        assert.include(outcome.stderr, message, command)
        assert.strictEqual(outcome.stdout, "", command)
      }
    }
  })

  it("rejects a method that no request can have", async () => {
    for (const method of ["", "GET/", "G=T"]) {
      assert.deepStrictEqual(await workplace.sh(`credsvc explain '${method}' https://api.openai.com/v1/models`), {
        stdout: "",
        stderr: `error: <method>: invalid value "${method}": expected a method such as GET\n`,
        exitCode: 2
      })
    }
  })
})
