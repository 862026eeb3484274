import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeEach, describe, it } from "vitest"
import { repository } from "../support/Sandbox.ts"
import { testDirectory } from "../support/TestDirectories.ts"

const script = path.join(repository, "scripts", "install.sh")
const name = "credsvc-linux-x64"
const program = "#!/bin/sh\necho 1.2.3\n"

describe("install.sh", () => {
  let directory: string
  let archives: string
  let prefix: string
  let programs: string

  const write = (file: string, text: string, mode = 0o644): string => {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text, { mode })
    return file
  }
  /** A program that the script finds before the one of the system. */
  const substitute = (command: string, text: string) =>
    write(path.join(programs, command), `#!/bin/sh\n${text}\n`, 0o755)

  const pack = (files: Readonly<Record<string, string>> = {}): void => {
    const all = {
      credsvc: program,
      "credsvc.1": "manual",
      LICENSE: "",
      "LICENSE.node": "",
      "NOTICES.txt": "",
      ...files
    }
    for (const [file, text] of Object.entries(all)) write(path.join(directory, name, file), text)
    const archive = path.join(archives, `${name}.tar.gz`)
    assert.strictEqual(spawnSync("tar", ["-czf", archive, "-C", directory, name]).status, 0)
    const hash = createHash("sha256").update(fs.readFileSync(archive)).digest("hex")
    write(
      path.join(archives, `${name}.sha256`),
      `${"0".repeat(64)}  build/credsvc_1.2.3_amd64.deb\n${hash}  ${name}.tar.gz\n`
    )
  }
  const install = (...args: ReadonlyArray<string>) => installWith("022", ...args)
  const installWith = (umask: string, ...args: ReadonlyArray<string>) => {
    const command = ["-c", `umask ${umask} && exec sh "$0" "$@"`, script, "--prefix", prefix, ...args]
    const { status, stderr, stdout } = spawnSync("sh", command, {
      encoding: "utf8",
      env: { PATH: `${programs}:${process.env["PATH"]}`, HOME: directory, TMPDIR: path.join(directory, "temporary") }
    })
    return { code: status, stderr, stdout }
  }
  const installed = () => path.join(prefix, "bin", "credsvc")
  const assertNothingLeft = (): void => {
    assert.deepStrictEqual(fs.readdirSync(path.join(directory, "temporary")), [])
    if (fs.existsSync(path.dirname(installed()))) {
      assert.deepStrictEqual(fs.readdirSync(path.dirname(installed())).filter((file) => file !== "credsvc"), [])
    }
  }

  beforeEach(() => {
    directory = testDirectory()
    for (const each of ["archives", "programs", "temporary"]) fs.mkdirSync(path.join(directory, each))
    archives = path.join(directory, "archives")
    programs = path.join(directory, "programs")
    prefix = path.join(directory, "prefix")
    substitute("uname", "case $1 in -s) echo Linux ;; -m) echo x86_64 ;; esac")
    substitute("ldd", "echo 'ldd (GNU libc) 2.39'")
    pack()
  })

  it("installs the program, its manual and its licenses", () => {
    const { code, stderr, stdout } = install("--from", archives)
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(fs.readFileSync(installed(), "utf8"), program)
    assert.strictEqual(fs.statSync(installed()).mode & 0o777, 0o755)
    assert.isTrue(fs.existsSync(path.join(prefix, "share/man/man1/credsvc.1")))
    assert.isTrue(fs.existsSync(path.join(prefix, "share/doc/credsvc/LICENSE.node")))
    assert.include(stdout, `credsvc 1.2.3 is installed as ${installed()}`)
    assert.include(stdout, `Add ${prefix}/bin to your PATH.`)
    assertNothingLeft()
  })

  for (const umask of ["000", "077"]) {
    it(`allows everyone to run the program, and only its owner to replace it, with the umask ${umask}`, () => {
      assert.strictEqual(installWith(umask, "--from", archives).code, 0)
      for (const part of ["", "bin", "bin/credsvc", "share/man/man1", "share/doc/credsvc"]) {
        assert.strictEqual(fs.statSync(path.join(prefix, part)).mode & 0o777, 0o755, part)
      }
      assert.strictEqual(fs.statSync(path.join(prefix, "share/man/man1/credsvc.1")).mode & 0o777, 0o644)
    })
  }

  it("replaces a program that is running", () => {
    write(installed(), "old", 0o755)
    const open = fs.openSync(installed(), "r")
    assert.strictEqual(install("--from", archives, "--version", "v1.2.3").code, 0)
    assert.strictEqual(fs.readFileSync(open, "utf8"), "old")
    fs.closeSync(open)
    assert.strictEqual(fs.readFileSync(installed(), "utf8"), program)
  })

  const alter = (file: string, text: string) => () => void fs.writeFileSync(path.join(archives, file), text)
  const wrong: ReadonlyArray<
    readonly [what: string, prepare: () => void, message: string, args: ReadonlyArray<string>]
  > = [
    ["an altered archive", () => fs.appendFileSync(path.join(archives, `${name}.tar.gz`), "x"), "checksum of", []],
    [
      "checksums without the archive",
      alter(`${name}.sha256`, `${"0".repeat(64)}  x${name}.tar.gz\n`),
      "has no checksum of",
      []
    ],
    ["missing checksums", () => fs.rmSync(path.join(archives, `${name}.sha256`)), `has no ${name}.sha256`, []],
    ["a program that does not start", () => pack({ credsvc: "#!/bin/sh\nexit 1\n" }), "does not start", []],
    ["another version", () => {}, "the archive has version 1.2.3 instead of 1.2.4", ["--version", "1.2.4"]],
    ["an unencrypted address", () => {}, "is not encrypted", ["--from", "http://127.0.0.1:1"]],
    ["an unknown platform", () => substitute("uname", "echo Plan9"), "there is no executable for Plan9 on Plan9", []],
    ["musl", () => substitute("ldd", "echo 'musl libc (x86_64)' >&2; exit 1"), "this system has musl", []]
  ]
  it.each(wrong)("changes nothing and says why: %s", (_what, prepare, message, args) => {
    write(installed(), "old", 0o755)
    prepare()
    const { code, stderr } = install("--from", archives, ...args)
    assert.strictEqual(code, 1, stderr)
    assert.include(stderr, "install: ")
    assert.include(stderr, message)
    assert.strictEqual(fs.readFileSync(installed(), "utf8"), "old")
    assertNothingLeft()
  })

  it("rejects unknown options, options without a value, and a copy that is not from a release", () => {
    assert.deepInclude(install("--form", archives), { code: 2 })
    assert.include(install("--from").stderr, "--from needs a value")
    assert.include(install().stderr, "this copy is not from a release")
  })

  it("downloads the newest or a named version from the address of the release", () => {
    const release = write(
      path.join(directory, "release.sh"),
      fs.readFileSync(script, "utf8").replace(/^releases=$/m, "releases=https://example.test/releases")
    )
    substitute("curl", `for last; do :; done; echo "$last" >>${directory}/asked; cp ${archives}/"\${last##*/}" "$8"`)
    for (const [args, at] of [[[], "latest/download"], [["--version", "1.2.3"], "download/v1.2.3"]] as const) {
      fs.rmSync(path.join(directory, "asked"), { force: true })
      const { status, stderr } = spawnSync("sh", [release, "--prefix", prefix, ...args], {
        encoding: "utf8",
        env: { PATH: `${programs}:${process.env["PATH"]}`, HOME: directory }
      })
      assert.strictEqual(status, 0, stderr)
      const base = `https://example.test/releases/${at}/${name}`
      assert.strictEqual(fs.readFileSync(path.join(directory, "asked"), "utf8"), `${base}.tar.gz\n${base}.sha256\n`)
    }
  })

  it("runs nothing if only a part of it was downloaded", () => {
    const text = fs.readFileSync(script, "utf8")
    for (let end = 0; end < text.length - 14; end += 97) {
      const { stderr, stdout } = spawnSync("sh", ["-s", "--", "--prefix", prefix, "--from", archives], {
        encoding: "utf8",
        input: text.slice(0, end)
      })
      assert.notInclude(stdout + stderr, "is installed")
    }
    assert.isFalse(fs.existsSync(prefix))
  })
})
