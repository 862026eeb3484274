import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as SecureFiles from "../../../src/platform/files/SecureFiles.ts"
import { effect, testsWith } from "../../support/Fixture.ts"
import { canTrace } from "../../support/SystemCallFaults.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { permissiveUmask } from "../../support/Umask.ts"

const inDirectory = testsWith(temporaryDirectory)

const modeOf = (file: string) => (fs.lstatSync(file).mode & 0o777).toString(8)

const isRoot = process.getuid?.() === 0

describe("secretProblem", () => {
  const cases: ReadonlyArray<
    readonly [what: string, uid: number, mode: number, inMemory: boolean, problem: string | undefined]
  > = [
    ["a file of this user on a disk", 1000, 0o600, false, undefined],
    ["a read-only file of root", 0, 0o400, false, undefined],
    ["a file of another user", 1001, 0o600, true, "foreign_owner"],
    ["a file on a disk that a group can read", 1000, 0o640, false, "readable_by_others"],
    ["a file on a disk that everybody can read", 0, 0o604, false, "readable_by_others"],
    ["a credential of systemd, with an access list", 0, 0o440, true, undefined],
    ["a secret of Docker or Kubernetes", 0, 0o444, true, undefined],
    ["a file in memory that a group can change", 0, 0o660, true, "writable_by_others"],
    ["a file in memory that everybody can change", 1000, 0o602, true, "writable_by_others"]
  ]
  for (const [what, uid, mode, inMemory, problem] of cases) {
    it(`${problem === undefined ? "accepts" : "rejects"} ${what}`, () =>
      assert.strictEqual(SecureFiles.secretProblem({ uid, mode: 0o100000 | mode }, 1000, inMemory), problem))
  }
})

describe("SecureFiles", () => {
  inDirectory.effect("creates files that only the owner can access under every umask", function*(directory) {
    const home = path.join(directory, "a", "b")
    yield* permissiveUmask
    yield* SecureFiles.ensurePrivateDirectory(home)
    yield* SecureFiles.createOnce(path.join(home, "once"), "1")
    yield* SecureFiles.replaceFile(path.join(home, "replaced"), "1")
    yield* SecureFiles.replaceFileUnblocking(path.join(home, "unblocking"), "1")
    fs.closeSync(yield* SecureFiles.openAppend(path.join(home, "log")))
    assert.deepStrictEqual(yield* SecureFiles.broaderThanOwner(path.dirname(home)), [])
    assert.strictEqual(modeOf(home), "700")
    assert.deepStrictEqual(
      fs.readdirSync(home).toSorted().map((name) => [name, modeOf(path.join(home, name))]),
      [["log", "600"], ["once", "600"], ["replaced", "600"], ["unblocking", "600"]]
    )
  })

  inDirectory.effect(
    "gives the same content to 12 processes that create a file at the same time",
    function*(directory) {
      const file = path.join(directory, "key")
      const script = `
        import * as Effect from "effect/Effect"
        import * as SecureFiles from ${JSON.stringify(path.resolve("src/platform/files/SecureFiles.ts"))}
        import { randomBytes } from "node:crypto"
        await new Promise((resolve) => process.stdin.once("data", resolve))
        const { bytes, created } = await Effect.runPromise(SecureFiles.createOnce(${
        JSON.stringify(file)
      }, randomBytes(32)))
        console.log(created + " " + Buffer.from(bytes).toString("hex"))
        process.exit(0)`
      const runner = path.join(path.resolve("node_modules"), `.create-once-${process.pid}.mjs`)
      fs.writeFileSync(runner, script)
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(runner, { force: true })))
      const racers = Array.from({ length: 12 }, () => {
        const child = childProcess.spawn(process.execPath, [runner], { stdio: ["pipe", "pipe", "inherit"] })
        const output = new Promise<string>((resolve, reject) => {
          let text = ""
          child.stdout.on("data", (chunk) => text += chunk)
          child.once("error", reject)
          child.once("close", () => resolve(text.trim()))
        })
        return { child, output }
      })
      for (const { child } of racers) child.stdin.write("go\n")
      const outputs = yield* Effect.promise(() => Promise.all(racers.map(({ output }) => output)))
      assert.strictEqual(outputs.filter((line) => line.startsWith("true ")).length, 1)
      assert.deepStrictEqual(
        new Set(outputs.map((line) => line.split(" ")[1])),
        new Set([fs.readFileSync(file).toString("hex")])
      )
      assert.deepStrictEqual(fs.readdirSync(directory), ["key"])
    }
  )

  const cases = [
    ["blocking", SecureFiles.replaceFile],
    ["unblocking", SecureFiles.replaceFileUnblocking]
  ] as const
  for (const [kind, replace] of cases) {
    inDirectory.effect(`keeps the old content when a ${kind} replacement fails`, function*(directory) {
      const target = path.join(directory, "target")
      fs.mkdirSync(target)
      const error = yield* Effect.flip(replace(target, "new"))
      assert.strictEqual(error.problem, "io")
      assert.deepStrictEqual(fs.readdirSync(directory), ["target"])
    })
  }

  inDirectory.live("finishes a replacement that is interrupted", function*(directory) {
    const file = path.join(directory, "file")
    const replacing = yield* Effect.forkChild(SecureFiles.replaceFileUnblocking(file, "new"), {
      startImmediately: true
    })
    yield* Fiber.interrupt(replacing)
    assert.deepStrictEqual(fs.readdirSync(directory), ["file"])
    assert.strictEqual(fs.readFileSync(file, "utf8"), "new")
  })

  inDirectory.effect("does not read, append to or accept a symbolic link", function*(directory) {
    const link = path.join(directory, "link")
    fs.writeFileSync(path.join(directory, "real"), "x")
    fs.symlinkSync("real", link)
    for (
      const attempt of [SecureFiles.readFile(link), SecureFiles.openAppend(link), SecureFiles.checkFile(link)]
    ) {
      assert.strictEqual((yield* Effect.flip(attempt)).problem, "symbolic_link")
    }
    assert.strictEqual(fs.readFileSync(path.join(directory, "real"), "utf8"), "x")
  })

  inDirectory.effect("replaces a symbolic link itself, not its target", function*(directory) {
    fs.writeFileSync(path.join(directory, "real"), "x")
    fs.symlinkSync("real", path.join(directory, "link"))
    yield* SecureFiles.replaceFile(path.join(directory, "link"), "y")
    assert.strictEqual(fs.readFileSync(path.join(directory, "real"), "utf8"), "x")
    assert.isFalse(fs.lstatSync(path.join(directory, "link")).isSymbolicLink())
  })

  effect("does not wait for the writer of a named pipe", function*() {
    const pipe = path.join(yield* temporaryDirectory, "pipe")
    childProcess.execFileSync("mkfifo", [pipe])
    assert.strictEqual((yield* Effect.flip(SecureFiles.readFile(pipe))).problem, "not_a_file")
    assert.strictEqual((yield* Effect.flip(SecureFiles.copyOnce(pipe, `${pipe}.copy`))).problem, "not_a_file")
    fs.writeFileSync(`${pipe}.file`, "x")
    assert.isTrue(yield* SecureFiles.copyOnce(`${pipe}.file`, `${pipe}.copy`, (start) => start[0] === 120))
  })

  inDirectory.effect("does not copy a file of another format, which may be large", function*(directory) {
    const [from, to] = [path.join(directory, "from"), path.join(directory, "to")]
    fs.writeFileSync(from, "text")
    assert.strictEqual((yield* Effect.flip(SecureFiles.copyOnce(from, to, () => false))).problem, "other_format")
    assert.deepStrictEqual(fs.readdirSync(directory), ["from"])
  })

  inDirectory.effect("distinguishes an absent file from one that is too large", function*(directory) {
    const file = path.join(directory, "file")
    assert.strictEqual((yield* Effect.flip(SecureFiles.readFile(file))).problem, "not_found")
    fs.writeFileSync(file, "12345")
    assert.strictEqual((yield* Effect.flip(SecureFiles.readFile(file, { maxBytes: 4 }))).problem, "too_large")
  })

  inDirectory.effect(
    "rejects a path with a component that others can change, unless it is sticky",
    function*(directory) {
      const open = path.join(directory, "open")
      const home = path.join(open, "home")
      fs.mkdirSync(home, { recursive: true })
      yield* SecureFiles.checkPath(home)
      fs.chmodSync(open, 0o777)
      assert.strictEqual((yield* Effect.flip(SecureFiles.checkPath(home))).problem, "writable_by_others")
      assert.strictEqual((yield* Effect.flip(SecureFiles.ensurePrivateDirectory(home))).path, open)
      fs.chmodSync(open, 0o1777)
      yield* SecureFiles.checkPath(home)
    }
  )

  inDirectory.effect("checks the target of a linked component", function*(directory) {
    const open = path.join(directory, "open")
    fs.mkdirSync(path.join(open, "home"), { recursive: true })
    fs.chmodSync(open, 0o777)
    fs.symlinkSync(path.join(open, "home"), path.join(directory, "home"))
    const error = yield* Effect.flip(SecureFiles.checkPath(path.join(directory, "home")))
    assert.deepStrictEqual([error.problem, error.path], ["writable_by_others", open])
  })

  inDirectory.effect.skipIf(!isRoot)("rejects files and directories of another user", function*(directory) {
    const file = path.join(directory, "file")
    fs.writeFileSync(file, "x", { mode: 0o600 })
    fs.chownSync(file, 65534, 65534)
    assert.strictEqual((yield* Effect.flip(SecureFiles.readFile(file))).problem, "foreign_owner")
    assert.strictEqual((yield* Effect.flip(SecureFiles.openAppend(file))).problem, "foreign_owner")
    const home = path.join(directory, "home")
    fs.mkdirSync(home)
    fs.chownSync(home, 65534, 65534)
    assert.strictEqual((yield* Effect.flip(SecureFiles.ensurePrivateDirectory(home))).problem, "foreign_owner")
  })

  inDirectory.effect("reports a directory that cannot be created instead of trying forever", function*(directory) {
    const file = path.join(directory, "file")
    fs.writeFileSync(file, "")
    assert.strictEqual((yield* Effect.flip(SecureFiles.ensurePrivateDirectory(file))).problem, "not_a_directory")
    // New directories in /proc report that their parent does not exist.
    const inProc = yield* Effect.flip(SecureFiles.ensurePrivateDirectory("/proc/credsvc/home"))
    assert.include(["not_found", "io"], inProc.problem)
  })

  inDirectory.effect("lists paths that others can access", function*(directory) {
    fs.mkdirSync(path.join(directory, "in"), { mode: 0o700 })
    fs.writeFileSync(path.join(directory, "in", "key"), "", { mode: 0o600 })
    fs.chmodSync(path.join(directory, "in", "key"), 0o640)
    assert.deepStrictEqual(yield* SecureFiles.broaderThanOwner(directory), [
      { path: path.join(directory, "in", "key"), mode: 0o640 }
    ])
    assert.deepStrictEqual(yield* SecureFiles.broaderThanOwner(path.join(directory, "absent")), [])
  })

  inDirectory.effect("removes only temporary files of processes that have ended", function*(directory) {
    const ended = childProcess.spawnSync("true").pid
    const at = (name: string) => path.join(directory, name)
    const kept = [
      `.master.key.${process.ppid}.0123456789ab.tmp`,
      `.master.key.${ended}.0123456789ab.tmp.bak`,
      `.master.key.${ended}.0123456789AB.tmp`,
      `.master.key.${ended}.0123456789.tmp`,
      `.${ended}.0123456789ab.tmp`,
      `.master.key.x${ended}.0123456789ab.tmp`,
      `master.key.${ended}.0123456789ab.tmp`,
      "master.key"
    ]
    for (const name of kept) fs.writeFileSync(at(name), "x")
    fs.symlinkSync("master.key", at(`.link.${ended}.0123456789ab.tmp`))
    fs.mkdirSync(at(`.directory.${ended}.0123456789ab.tmp`))
    if (isRoot) {
      fs.writeFileSync(at(`.foreign.${ended}.0123456789ab.tmp`), "x")
      fs.chownSync(at(`.foreign.${ended}.0123456789ab.tmp`), 65534, 65534)
    }
    const before = fs.readdirSync(directory).toSorted()
    // A crash between link(2) and unlink(2) leaves a second name of the key.
    fs.linkSync(at("master.key"), at(`.master.key.${ended}.0123456789ab.tmp`))
    fs.writeFileSync(at(`.daemon.pid.${process.pid}.0123456789ab.tmp`), "x")
    assert.strictEqual(yield* SecureFiles.removeAbandonedFiles(directory), 2)
    assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), before)
    assert.strictEqual(yield* SecureFiles.removeAbandonedFiles(at("absent")), 0)
  })

  inDirectory.effect.skipIf(!canTrace)("removes the temporary files of a killed process", function*(directory) {
    const file = path.join(directory, "key")
    const module = path.resolve("src/platform/files/SecureFiles.ts")
    for (const call of ["fsync", "link"]) {
      childProcess.spawnSync(
        "strace",
        [
          "-f",
          "-o",
          "/dev/null",
          "-e",
          `inject=${call}:signal=SIGKILL:when=1`,
          process.execPath,
          "--input-type=module",
          "-e",
          `import * as Effect from "effect/Effect"; import * as SecureFiles from ${JSON.stringify(module)};
            Effect.runSync(SecureFiles.createOnce(${JSON.stringify(file)}, "secret"))`
        ]
      )
      assert.isNotEmpty(fs.readdirSync(directory).filter((name) => name.endsWith(".tmp")), call)
      yield* SecureFiles.removeAbandonedFiles(directory)
      assert.isEmpty(fs.readdirSync(directory).filter((name) => name.endsWith(".tmp")), call)
    }
  })
})
