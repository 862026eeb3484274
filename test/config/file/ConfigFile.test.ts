import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { ConfigFile } from "../../../src/config/file/ConfigFile.ts"
import { Paths } from "../../../src/config/Paths.ts"
import * as SecureFiles from "../../../src/platform/files/SecureFiles.ts"
import { testsWith } from "../../support/Fixture.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"

/** The tests get the path of the file, which does not exist yet. */
const withConfigFile = testsWith(
  Effect.map(temporaryDirectory, (home) => path.join(home, "config.json")),
  (file) => Layer.provide(ConfigFile.layerNoDeps, Paths.layerHome(path.dirname(file)))
)

const read = Effect.flatMap(ConfigFile, (file) => file.read)

const complete = {
  $schema: "https://example.com/config.schema.json",
  version: 1,
  active_profile: "quiet-heron-4821",
  master_key_mode: "local_key",
  log_format: "json",
  upstream: {
    extra_ca_certs: ["/etc/ssl/corp.pem"],
    proxy: "http://proxy.corp:3128",
    no_proxy: ["*.corp"],
    resolve: { "gitlab.corp:443": "10.0.0.7:8443", "[::1]:443": "[::1]:8443" },
    private_hosts: ["gitlab.corp"]
  },
  request_log: { retention_days: 90 }
}

describe("ConfigFile", () => {
  withConfigFile.effect("reads a missing file as an empty document", function*(file) {
    const document = yield* read
    assert.isUndefined(document.activeProfile)
    assert.deepStrictEqual(document.upstream.resolve, {})
    assert.isFalse(fs.existsSync(file))
  })

  withConfigFile.effect("reads every key, and accepts files that omit some keys", function*(file) {
    fs.writeFileSync(file, JSON.stringify(complete))
    const document = yield* read
    assert.strictEqual(document.activeProfile, "quiet-heron-4821")
    assert.strictEqual(document.masterKeyMode, "local_key")
    assert.strictEqual(document.logFormat, "json")
    assert.deepStrictEqual(document.upstream, {
      extraCaCerts: ["/etc/ssl/corp.pem"],
      proxy: "http://proxy.corp:3128",
      noProxy: ["*.corp"],
      resolve: complete.upstream.resolve,
      privateHosts: ["gitlab.corp"]
    })
    assert.strictEqual(document.requestLog.retentionDays, 90)
    fs.writeFileSync(file, JSON.stringify({ upstream: { no_proxy: ["a"] } }))
    assert.strictEqual((yield* read).requestLog.retentionDays, 30)
    assert.deepStrictEqual((yield* read).upstream.noProxy, ["a"])
  })

  withConfigFile.effect(
    "accepts names, wildcards and addresses as private hosts, and rejects entries without an effect",
    function*(file) {
      const write = (host: string) => fs.writeFileSync(file, JSON.stringify({ upstream: { private_hosts: [host] } }))
      for (const host of ["gitlab", "GitLab.corp", "*.Corp", "*.a.corp", "10.0.0.7", "fd00::7"]) {
        write(host)
        assert.deepStrictEqual((yield* read).upstream.privateHosts, [host.toLowerCase()])
      }
      const cases = [
        "",
        "*",
        "*.",
        "git*.corp",
        "*.*.corp",
        "a.*.corp",
        "*.10.0.0.7",
        "a.corp:443",
        "https://a",
        "a/b"
      ]
      for (const host of cases) {
        write(host)
        const error = yield* Effect.flip(read)
        assert.include(error.message, "/upstream/private_hosts/0: must be a host name", host)
      }
    }
  )

  withConfigFile.effect(
    "names an unknown setting, the expected version, and the place of a syntax error",
    function*(file) {
      fs.writeFileSync(file, JSON.stringify({ version: 2, upstraem: {} }))
      const { message } = yield* Effect.flip(read)
      assert.include(message, "/version: must be 1")
      assert.include(message, "/upstraem: is an unknown field. Did you mean upstream?")
      fs.writeFileSync(file, "{\n  \"run\": { \"contain\": true, \"alow_ports\": [] }\n}")
      assert.include(
        (yield* Effect.flip(read)).message,
        "/run/alow_ports: is an unknown field. Did you mean allow_ports?"
      )
      fs.writeFileSync(file, "{\n  \"upstream\": {}\n  \"run\": {}\n}")
      assert.include((yield* Effect.flip(read)).message, "expected \"}\" at line 3, column 3")
    }
  )

  withConfigFile.effect(
    "detects an edit without a restart, even if the length of the file stays the same",
    function*(file) {
      fs.writeFileSync(file, JSON.stringify({ active_profile: "a" }))
      assert.strictEqual((yield* read).activeProfile, "a")
      fs.writeFileSync(file, JSON.stringify({ active_profile: "b" }))
      assert.strictEqual((yield* read).activeProfile, "b")
    }
  )

  withConfigFile.effect("sets the active profile and keeps the other settings", function*(file) {
    fs.writeFileSync(file, JSON.stringify(complete))
    const config = yield* ConfigFile
    yield* config.setActiveProfile(() => "loud-finch-0001")
    assert.deepStrictEqual(JSON.parse(fs.readFileSync(file, "utf8")), {
      ...complete,
      active_profile: "loud-finch-0001"
    })
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    assert.deepStrictEqual(fs.readdirSync(path.dirname(file)), ["config.json"])
  })

  withConfigFile.effect(
    "keeps the old document when the disk is full or read-only, and reports the failure",
    function*(file) {
      fs.writeFileSync(file, JSON.stringify(complete))
      const perform = yield* SecureFiles.FileOperations
      for (
        const [code, reason] of [["ENOSPC", "the disk is full"], ["EROFS", "it is on a read-only file system"]] as const
      ) {
        const failing: SecureFiles.Perform = (operation, file, evaluate) =>
          operation === "replaceFile"
            ? Effect.fail(new SecureFiles.SecureFileError({ path: file, problem: "io", code }))
            : perform(operation, file, evaluate)
        const error = yield* (yield* ConfigFile).setActiveProfile(() => "other").pipe(
          Effect.provideService(SecureFiles.FileOperations, failing),
          Effect.flip
        )
        assert.include(error.message, `could not be written because ${reason}`)
        assert.strictEqual((yield* read).activeProfile, complete.active_profile)
      }
    }
  )

  withConfigFile.effect("loses none of many concurrent changes", function*() {
    const config = yield* ConfigFile
    const changes = Array.from({ length: 20 }, () => config.setActiveProfile((before = "") => `${before}x`))
    yield* Effect.all(changes, { concurrency: "unbounded" })
    assert.strictEqual((yield* read).activeProfile, "x".repeat(20))
  })

  withConfigFile.effect("does not write a document that it could not read back", function*(file) {
    const config = yield* ConfigFile
    const error = yield* Effect.flip(config.setActiveProfile(() => ""))
    assert.strictEqual(error.problems[0]?.path, "/active_profile")
    assert.isFalse(fs.existsSync(file))
  })

  const rows = [
    ["{", ""],
    ["[]", ""],
    ["{\"verison\":1}", "/verison"],
    ["{\"version\":2}", "/version"],
    ["{\"upstream\":{\"proxies\":[]}}", "/upstream/proxies"],
    ["{\"upstream\":{\"proxy\":\"socks4://x\"}}", "/upstream/proxy"],
    ["{\"upstream\":{\"resolve\":{\"a:443\":\"b\"}}}", "/upstream/resolve/a:443"],
    ["{\"upstream\":{\"extra_ca_certs\":[\"/ok\",\"relative.pem\"]}}", "/upstream/extra_ca_certs/1"],
    ["{\"master_key_mode\":\"env\"}", "/master_key_mode"]
  ] as const
  for (const [text, at] of rows) {
    withConfigFile.effect(`rejects ${text} with the path of the problem, and never replaces the file`, function*(file) {
      fs.writeFileSync(file, text)
      const error = yield* Effect.flip(read)
      assert.include(error.message, file)
      assert.strictEqual(error.problems[0]?.path, at)
      const config = yield* ConfigFile
      yield* Effect.flip(config.setActiveProfile((before) => before))
      assert.strictEqual(fs.readFileSync(file, "utf8"), text)
    })
  }

  withConfigFile.effect("reports all problems together", function*(file) {
    fs.writeFileSync(file, JSON.stringify({ a: 1, version: 2, upstream: { b: 1 } }))
    const error = yield* Effect.flip(read)
    assert.deepStrictEqual(error.problems.map(({ path }) => path).toSorted(), ["/a", "/upstream/b", "/version"])
  })
})
