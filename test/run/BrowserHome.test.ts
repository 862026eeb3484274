/** The home directory of a browser, and the processes that get it. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { beforeEach } from "vitest"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"
import { builtins } from "../../src/platform/builtins.ts"
import * as BrowserHome from "../../src/run/BrowserHome.ts"
import * as NssDatabase from "../../src/run/NssDatabase.ts"
import { testDirectory } from "../support/TestDirectories.ts"

const authority = CertificateAuthority.createTemporary(["api.example.com"])

/** The number of certificates in a database, and of those trusted for servers. */
const content = (home: string) => {
  const database = new builtins.sqlite.DatabaseSync(path.join(home, ".pki", "nssdb", "cert9.db"), { readOnly: true })
  const certificates = database.prepare("SELECT a11 FROM nssPublic WHERE a0 = x'00000001'").all()
    .map(({ a11 }) => Buffer.from(a11 as Uint8Array))
  const trusted = database.prepare("SELECT id FROM nssPublic WHERE ace536358 = x'ce534352'").all().length
  database.close()
  return { certificates, trusted }
}

describe("BrowserHome", () => {
  let scratch: string
  let home: string
  let directory: string
  beforeEach(() => {
    scratch = testDirectory()
    home = path.join(scratch, "home")
    directory = path.join(scratch, "browser")
    fs.mkdirSync(home)
  })

  it("links to the content of the user's home and adds a database with the run's authority", () => {
    fs.writeFileSync(path.join(home, ".fonts.conf"), "theirs")
    BrowserHome.make(directory, home, authority.rootDer)
    assert.strictEqual(fs.readFileSync(path.join(directory, ".fonts.conf"), "utf8"), "theirs")
    assert.deepStrictEqual(content(directory), { certificates: [Buffer.from(authority.rootDer)], trusted: 1 })
    assert.strictEqual(fs.statSync(path.join(directory, ".pki", "nssdb", "cert9.db")).mode & 0o777, 0o600)
  })

  for (const place of [".pki/nssdb", ".local/share/pki/nssdb"]) {
    it(`copies the database in ~/${place} without changing the original`, () => {
      const theirs = CertificateAuthority.createTemporary(["intranet.example.com"])
      const file = path.join(home, place, "cert9.db")
      fs.mkdirSync(path.dirname(file), { recursive: true })
      NssDatabase.addAuthority(file, theirs.rootDer)
      const before = fs.readFileSync(file)
      BrowserHome.make(directory, home, authority.rootDer)
      assert.deepStrictEqual(content(directory), {
        certificates: [Buffer.from(theirs.rootDer), Buffer.from(authority.rootDer)],
        trusted: 2
      })
      assert.deepStrictEqual(fs.readFileSync(file), before)
    })
  }

  it("is removed at the end of the run, but not the files to which it links", () => {
    fs.mkdirSync(path.join(home, "projects"))
    fs.writeFileSync(path.join(home, "projects", "file"), "theirs")
    BrowserHome.make(directory, home, authority.rootDer)
    assert.strictEqual(fs.readFileSync(path.join(directory, "projects", "file"), "utf8"), "theirs")
    fs.rmSync(directory, { recursive: true })
    assert.strictEqual(fs.readFileSync(path.join(home, "projects", "file"), "utf8"), "theirs")
  })

  it("is created if the user has no home", () => {
    BrowserHome.make(directory, path.join(scratch, "absent"), authority.rootDer)
    assert.strictEqual(content(directory).trusted, 1)
  })

  it("fails with a message if the user's home cannot be listed", () => {
    fs.rmdirSync(home)
    fs.writeFileSync(home, "no directory")
    assert.throws(
      () => BrowserHome.make(directory, home, authority.rootDer),
      `cannot list the files in ${home} (ENOTDIR), which chromium needs in its separate home directory: set HOME to another directory`
    )
  })

  it("fails with a message if the certificate database is invalid", () => {
    const file = path.join(home, ".pki", "nssdb", "cert9.db")
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, "no database".repeat(100))
    assert.throws(
      () => BrowserHome.make(directory, home, authority.rootDer),
      `cannot use ${file}, the certificate database of chromium (file is not a database): set HOME to another directory`
    )
  })

  it("is set for browsers under remote control of a Node program, and for no other process", () => {
    const preload = path.join(scratch, "preload.cjs")
    fs.copyFileSync(new URL("../../src/run/assets/node-preload.cjs", import.meta.url), preload)
    fs.writeFileSync(path.join(scratch, "credsvc-ports.json"), "[443]")
    const homeOf = (args: ReadonlyArray<string>, env: Record<string, string> = { HOME: home }) =>
      builtins.childProcess.execFileSync(process.execPath, [
        "--require",
        preload,
        "-e",
        `require("child_process").spawn("sh", ["-c", "printf %s $HOME", ...${
          JSON.stringify(args)
        }], { stdio: "inherit",` +
        ` env: ${JSON.stringify(env)} })`
      ], { env: { HOME: home, CREDSVC_BROWSER_HOME: directory }, encoding: "utf8" })
    assert.strictEqual(homeOf(["--remote-debugging-pipe"]), directory)
    assert.strictEqual(homeOf(["--remote-debugging-port=0"]), directory)
    assert.strictEqual(homeOf(["--headless"]), home)
    assert.strictEqual(homeOf(["--remote-debugging-pipe"], { HOME: "/chosen" }), "/chosen")
  })
})
