/** Bodies that pass the checks of a limited run have no parameter `_method` for PHP and for qs, which reads forms for Express. */
import { assert, describe, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import qs from "qs"
import { UncheckableError } from "../../../src/proxy/rules/BodyCheck.ts"
import { MultipartCheck } from "../../../src/proxy/rules/MultipartCheck.ts"
import { FormCheck } from "../../../src/proxy/rules/Parameters.ts"
import * as fc from "../../support/FastCheck.ts"
import { testDirectory } from "../../support/TestDirectories.ts"

const HOST = "api.example.com"
const passes = (check: { write: (part: Buffer) => void; end: () => void }, body: string): boolean => {
  try {
    check.write(Buffer.from(body, "latin1"))
    check.end()
    return true
  } catch (error) {
    if (error instanceof UncheckableError) return false
    throw error
  }
}

const piece = fc.constantFrom(
  "_method",
  "%5fmethod",
  "method",
  "_meth",
  "od",
  "=",
  "&",
  ";",
  "[",
  "]",
  ".",
  "+",
  " ",
  "%00",
  "\0",
  "%",
  "%5b",
  "%5D",
  "%2e",
  "a",
  "=DELETE",
  "&_method=DELETE",
  "_METHOD",
  "\xef\xbb\xbf",
  "\n"
)
const form = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""))

const partPiece = fc.constantFrom(
  "--b",
  "--b--",
  "\r\n",
  "\n",
  "\r",
  "--b\r\n",
  "Content-Disposition: form-data; name=\"_method\"",
  "Content-Disposition: form-data; ",
  "name=\"a\"",
  "name=_method",
  "name=\"_method\"",
  "; ",
  "filename=\"x\"",
  "\r\n\r\n",
  "DELETE",
  "\r\n--b\r\n",
  "\r\n--b--\r\n",
  "\\",
  "\0",
  "Content-ID: <_method>",
  "Content-Type: text/plain",
  " "
)
const loose = fc.array(partPiece, { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(""))
const whole = fc.tuple(fc.array(partPiece, { maxLength: 4 }), fc.array(partPiece, { maxLength: 5 })).map((
  [header, content]
) => `--b\r\nContent-Disposition: form-data; name="a"${header.join("")}\r\n\r\nx${content.join("")}\r\n--b--\r\n`)
const multipart = fc.oneof(loose, whole)

const SCRIPT = "<?php echo json_encode(array_map('strtolower', array_map('strval', array_keys($_POST))));"

/** Starts the server of PHP, which responds with the names of parameters. */
const startPhp = async (directory: string) => {
  fs.writeFileSync(path.join(directory, "index.php"), SCRIPT)
  const php = childProcess.spawn("php", ["-S", "127.0.0.1:0", "-t", directory], { stdio: ["ignore", "ignore", "pipe"] })
  const port = await new Promise<string>((resolve) => {
    let text = ""
    php.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      const [, found] = /127\.0\.0\.1:(\d+)\) started/.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const names = async (type: string, body: string): Promise<ReadonlyArray<string>> => {
    const headers = { "content-type": type }
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers,
      body: Buffer.from(body, "latin1")
    })
    const text = await response.text()
    return JSON.parse(text.slice(text.lastIndexOf("[")) || "[]") as ReadonlyArray<string>
  }
  return { names, close: () => php.kill() }
}

const hasPhp = childProcess.spawnSync("php", ["-v"], { stdio: "ignore" }).status === 0

describe("a body that passes the rules", () => {
  it("contains no method override that the parser qs reads", () => {
    let found = 0
    fc.assert(
      fc.property(form, (body) => {
        const overrides = Object.hasOwn(qs.parse(body) as object, "_method")
        if (overrides) found++
        assert.isFalse(overrides && passes(new FormCheck(HOST), body), JSON.stringify(body))
      }),
      { numRuns: 5000 }
    )
    assert.isAbove(found, 100)
  })

  it.skipIf(!hasPhp)("contains no method override that PHP reads in a form or in multipart content", async () => {
    const directory = testDirectory()
    const { close, names } = await startPhp(directory)
    const found = { form: 0, multipart: 0, passed: 0 }
    try {
      await fc.assert(
        fc.asyncProperty(form, async (body) => {
          if (!(await names("application/x-www-form-urlencoded", body)).includes("_method")) return
          found.form++
          assert.isFalse(passes(new FormCheck(HOST), body), JSON.stringify(body))
        }),
        { numRuns: 400 }
      )
      await fc.assert(
        fc.asyncProperty(multipart, async (body) => {
          const isPassed = passes(new MultipartCheck(HOST, "b", { isForm: true, mayCarry: false }), body)
          const isOverridden = (await names("multipart/form-data; boundary=b", body)).includes("_method")
          if (isPassed) found.passed++
          if (isOverridden) found.multipart++
          assert.isFalse(isPassed && isOverridden, JSON.stringify(body))
        }),
        { numRuns: 800 }
      )
      for (const count of Object.values(found)) assert.isAbove(count, 5, JSON.stringify(found))
    } finally {
      close()
    }
  }, 60_000)
})
