import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"
import { Paths } from "../../src/config/Paths.ts"
import * as TrustStore from "../../src/outbound/TrustStore.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { gitProxyKeys } from "../../src/run/ClientSettings.ts"
import { parentProxy } from "../../src/run/NoProxy.ts"
import * as ProxyEnvironment from "../../src/run/ProxyEnvironment.ts"
import * as RunDirectory from "../../src/run/RunDirectory.ts"
import { effect, live } from "../support/Fixture.ts"
import { temporaryFile } from "../support/ProxyHarness.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const ca = CertificateAuthority.createTemporary(["api.github.com"])
const PROXY = "http://credsvc:s3cret@127.0.0.1:4321"

const make = (
  variables: Readonly<Record<string, string | undefined>>,
  { directory, ...more }: Partial<ProxyEnvironment.ProxyEnvironmentInput> & { readonly directory?: string } = {}
) =>
  Effect.gen(function*() {
    const runDirectory = yield* Effect.provide(RunDirectory.make, Paths.layerHome(yield* temporaryDirectory))
    // No certificates of this machine.
    const parent = { GIT_CONFIG_SYSTEM: "", ...variables }
    const environment = ProxyEnvironment.make({
      parent,
      proxyUrl: PROXY,
      port: 4321,
      caPem: ca.rootPem,
      runDirectory,
      gitProxyKeys: yield* gitProxyKeys(parent, directory ?? runDirectory),
      placeholders: [{ variable: "GITHUB_TOKEN", value: "credsvc-proxy-managed" }],
      patterns: ["api.github.com", "*.slack.com"],
      ports: [443],
      extraCaCerts: [],
      ...more
    })
    return { runDirectory, ...environment }
  })

describe("ProxyEnvironment", () => {
  effect("sets both spellings of the proxy variables, and certificates for each kind of client", function*() {
    const { runDirectory, variables } = yield* make({ PATH: "/bin" })
    const generic = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "WSS_PROXY", "wss_proxy"]
    const own = ["npm_config_proxy", "npm_config_https_proxy", "PIP_PROXY", "CARGO_HTTP_PROXY", "GIT_CONFIG_VALUE_0"]
    for (const name of [...generic, ...own]) assert.strictEqual(variables[name], PROXY, name)
    const bundle = path.join(runDirectory, "bundle.pem")
    const libraries = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"]
    const systems = ["NIX_SSL_CERT_FILE", "SYSTEM_CERTIFICATE_PATH", "HEX_CACERTS_PATH", "GIT_SSL_CAINFO"]
    const packages = ["npm_config_cafile", "CARGO_HTTP_CAINFO", "PIP_CERT", "DENO_CERT"]
    const services = ["AWS_CA_BUNDLE", "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "CODEX_CA_CERTIFICATE"]
    const others = ["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "PERL_LWP_SSL_CA_FILE", "HTTPLIB2_CA_CERTS"]
    for (const name of [...libraries, ...systems, ...packages, ...services, ...others]) {
      assert.strictEqual(variables[name], bundle, name)
    }
    assert.strictEqual(variables["NODE_USE_ENV_PROXY"], "1")
    assert.strictEqual(variables["PERL_LWP_ENV_PROXY"], "1")
    assert.strictEqual(variables["AIOHTTP_TRUST_ENV"], "True")
    assert.strictEqual(variables["GIT_CONFIG_COUNT"], "1")
    assert.strictEqual(variables["GIT_CONFIG_KEY_0"], "http.proxy")
    assert.strictEqual(variables["NO_PROXY"], "localhost,127.0.0.1,::1")
    assert.strictEqual(variables["no_proxy"], variables["NO_PROXY"])
    assert.strictEqual(variables["PATH"], "/bin")
    assert.strictEqual(fs.readFileSync(variables["CREDSVC_CA_FILE"] ?? "", "utf8"), ca.rootPem)
    assert.include(fs.readFileSync(variables["SYSTEM_WGETRC"] ?? "", "utf8"), `ca_certificate = ${bundle}`)
    assert.strictEqual(variables["PHP_INI_SCAN_DIR"], `:${path.join(runDirectory, "php")}`)
  })

  effect("bundles the roots of the system, the parent, the configuration and the run", function*() {
    const corporate = makeAuthority("corporate")
    const configured = makeAuthority("configured")
    const file = yield* temporaryFile("corp.pem", `# comment\r\n${corporate.caPem.replaceAll("\n", "\r\n")}`)
    const { variables } = yield* make(
      { SSL_CERT_FILE: file, CURL_CA_BUNDLE: file, PIP_CERT: "/nonexistent" },
      { extraCaCerts: [yield* temporaryFile("more.pem", configured.caPem)] }
    )
    const bundle = TrustStore.pemBlocks(fs.readFileSync(variables["SSL_CERT_FILE"] ?? "", "utf8"))
    const subjects = bundle.map((pem) => new builtins.crypto.X509Certificate(pem).subject)
    assert.lengthOf(subjects.filter((subject) => subject === "CN=corporate"), 1)
    assert.lengthOf(subjects.filter((subject) => subject === "CN=configured"), 1)
    assert.lengthOf(subjects.filter((subject) => subject.includes("CN=credsvc run")), 1)
    assert.isAbove(bundle.length, 50)
    assert.strictEqual(new Set(bundle).size, bundle.length)
    assert.notInclude(bundle.join(""), "PRIVATE KEY")
  })

  effect("extends the parent's NODE_OPTIONS, JAVA_TOOL_OPTIONS, git and PHP settings", function*() {
    const { runDirectory, variables } = yield* make({
      NODE_OPTIONS: "--max-old-space-size=99",
      JAVA_TOOL_OPTIONS: "-Xmx1g",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "x",
      PHP_INI_SCAN_DIR: "/etc/php.d"
    })
    assert.strictEqual(
      variables["NODE_OPTIONS"],
      `--max-old-space-size=99 --require=${path.join(runDirectory, "credsvc-preload.cjs")}`
    )
    assert.match(
      variables["JAVA_TOOL_OPTIONS"] ?? "",
      /^-Xmx1g -Dhttp\.proxyHost=127\.0\.0\.1 -Dhttp\.proxyPort=4321 /
    )
    assert.strictEqual(variables["GIT_CONFIG_COUNT"], "2")
    assert.strictEqual(variables["GIT_CONFIG_VALUE_0"], "x")
    assert.strictEqual(variables["GIT_CONFIG_KEY_1"], "http.proxy")
    assert.strictEqual(variables["PHP_INI_SCAN_DIR"], `/etc/php.d:${path.join(runDirectory, "php")}`)
    const without = yield* make({ JAVA_TOOL_OPTIONS: "-Xmx1g" }, { java: false })
    assert.strictEqual(without.variables["JAVA_TOOL_OPTIONS"], "-Xmx1g")
  })

  effect("bundles certificates of other clients' variables, and unsets variables that override them", function*() {
    const corporate = makeAuthority("corporate")
    const file = yield* temporaryFile("corp.pem", corporate.caPem)
    const { variables } = yield* make({
      COMPOSER_CAFILE: file,
      NPM_CONFIG_HTTPS_PROXY: "http://corp:1",
      "npm_config_https-proxy": "http://corp:2",
      npm_config_ca: "x",
      npm_config_registry: "https://registry.test/",
      CLOUDSDK_PROXY_ADDRESS: "corp",
      CLOUDSDK_CORE_PROJECT: "p",
      YARN_HTTPS_PROXY: "http://corp:3",
      CARGO_HTTP_PROXY: "http://corp:4",
      grpc_proxy: "http://corp:5",
      no_grpc_proxy: "*"
    })
    assert.include(fs.readFileSync(variables["SSL_CERT_FILE"] ?? "", "utf8"), corporate.caPem.trim())
    assert.notInclude(JSON.stringify(variables), "corp:")
    for (const name of ["COMPOSER_CAFILE", "CLOUDSDK_PROXY_ADDRESS", "npm_config_ca", "no_grpc_proxy"]) {
      assert.notProperty(variables, name)
    }
    assert.strictEqual(variables["npm_config_registry"], "https://registry.test/")
    assert.strictEqual(variables["CLOUDSDK_CORE_PROJECT"], "p")
  })

  effect("replaces the parent's Java trust store of another type, with a notice", function*() {
    const { notices, variables } = yield* make({
      JAVA_TOOL_OPTIONS: "-Djavax.net.ssl.trustStore=/corp.p12 -Djavax.net.ssl.trustStorePassword=x"
    })
    assert.match(
      variables["JAVA_TOOL_OPTIONS"] ?? "",
      /trustStore=\S*truststore\.jks .*trustStoreType=jks -Djavax\.net\.ssl\.trustStorePassword=changeit$/
    )
    assert.match(notices.join(), /replaces the trust store that JAVA_TOOL_OPTIONS names/)
  })

  effect("removes proxy settings from wget's system settings", function*() {
    const file = yield* temporaryFile("wgetrc", "https_proxy = http://corp:1\ntries = 3\nuse_proxy=off\n")
    const { variables } = yield* make({ SYSTEM_WGETRC: file })
    const text = fs.readFileSync(variables["SYSTEM_WGETRC"] ?? "", "utf8")
    assert.include(text, "tries = 3")
    assert.notMatch(text, /proxy/)
  })

  effect("loads code into Python and Bun only with their hooks", function*() {
    const plain = yield* make({ PYTHONPATH: "/mine" })
    assert.strictEqual(plain.variables["PYTHONPATH"], "/mine")
    assert.notProperty(plain.variables, "BUN_OPTIONS")
    const { runDirectory, variables } = yield* make({ PYTHONPATH: "/mine" }, { hooks: ["python", "bun"] })
    assert.strictEqual(variables["PYTHONPATH"], `${path.join(runDirectory, "python")}:/mine`)
    assert.strictEqual(variables["BUN_OPTIONS"], `--preload=${path.join(runDirectory, "credsvc-bun.cjs")}`)
  })

  effect.skipIf(process.platform !== "linux")("creates a browser home only with its hook", function*() {
    const outer = { CREDSVC_BROWSER_HOME: "/outer" }
    assert.notProperty((yield* make(outer)).variables, "CREDSVC_BROWSER_HOME")
    const { runDirectory, variables } = yield* make(outer, { hooks: ["chromium"] })
    assert.strictEqual(variables["CREDSVC_BROWSER_HOME"], path.join(runDirectory, "browser"))
    assert.isTrue(fs.existsSync(path.join(runDirectory, "browser", ".pki", "nssdb", "cert9.db")))
  })

  live("quotes the path of Node's preload if the path contains a space", function*() {
    const directory = path.join(path.dirname(yield* temporaryFile("x", "")), "a \"b\" c")
    fs.mkdirSync(directory)
    const { variables } = yield* make({}, { runDirectory: directory })
    const loaded = builtins.childProcess.execFileSync(
      process.execPath,
      ["-p", "Symbol.for('credsvc.preload') in globalThis"],
      { env: { NODE_OPTIONS: variables["NODE_OPTIONS"] }, encoding: "utf8" }
    )
    assert.strictEqual(loaded, "true\n")
  })

  effect("sets Java's proxy and trust store once, even in a nested run", function*() {
    const outer = yield* make({ JAVA_TOOL_OPTIONS: "-Xmx99m" })
    const inner = yield* make(outer.variables)
    const [first = "", second = ""] = [outer, inner].map(({ variables }) => variables["JAVA_TOOL_OPTIONS"])
    assert.strictEqual(second, first.replace(outer.runDirectory, inner.runDirectory))
    assert.notInclude(inner.notices.join(), "JAVA_TOOL_OPTIONS")
  })

  live("runs the user's sitecustomize module although the run's own module hides it", function*() {
    const theirs = path.dirname(yield* temporaryFile("sitecustomize.py", "import builtins; builtins.theirs = 1\n"))
    const python = (parent: Record<string, string>) =>
      Effect.map(make(parent, { hooks: ["python"] }), ({ variables }) =>
        builtins.childProcess.execFileSync(
          "python3",
          [
            "-c",
            "import builtins, sys; print(getattr(builtins, 'theirs', 0), sys.modules['sitecustomize'].__file__)"
          ],
          { env: { PATH: process.env["PATH"], PYTHONPATH: variables["PYTHONPATH"] }, encoding: "utf8" }
        ))
    assert.strictEqual(yield* python({ PYTHONPATH: theirs }), `1 ${path.join(theirs, "sitecustomize.py")}\n`)
    assert.match(yield* python({}), /^0 /)
  })

  live("makes certifi name the certificates of the run, or its own list if the run's variable is unset", function*() {
    const core = yield* temporaryFile(
      "core.py",
      "def where(): return __file__ + '.pem'\ndef contents(): return 'own'\n"
    )
    const certifi = path.join(path.dirname(core), "certifi")
    fs.mkdirSync(certifi)
    fs.renameSync(core, path.join(certifi, "core.py"))
    fs.writeFileSync(path.join(certifi, "core.py.pem"), "own\n")
    fs.writeFileSync(path.join(certifi, "__init__.py"), "from .core import contents, where\n")
    const { variables } = yield* make({ PYTHONPATH: path.dirname(certifi) }, { hooks: ["python"] })
    const print = (file: string | undefined) =>
      builtins.childProcess.execFileSync(
        "python3",
        ["-c", "import certifi; print(certifi.where()); print(certifi.contents().splitlines()[0])"],
        {
          env: { PATH: process.env["PATH"], PYTHONPATH: variables["PYTHONPATH"], SSL_CERT_FILE: file },
          encoding: "utf8"
        }
      )
    const bundle = variables["SSL_CERT_FILE"]
    assert.strictEqual(print(bundle), `${bundle}\n-----BEGIN CERTIFICATE-----\n`)
    assert.match(print(undefined), /certifi\/core\.py\.pem\nown\n/)
  })

  effect(
    "prevents docker build from giving the engine placeholders of registry tokens, if the run has a registry",
    function*() {
      for (const [provider, set] of [["ghcr", "1"], ["docker-hub", "1"], ["github", undefined]] as const) {
        const { variables } = yield* make({}, { placeholders: [{ variable: "TOKEN", value: "x", provider }] })
        assert.strictEqual(variables["BUILDKIT_NO_CLIENT_TOKEN"], set, provider)
      }
    }
  )

  effect("adds the authority to the policies of Playwright's Firefox, if they are valid", function*() {
    const own = yield* temporaryFile(
      "own",
      `{"policies":{"DisableAppUpdate":true,"Certificates":{"Install":["/own.pem"]}}}`
    )
    for (
      const [file, rest, certificates] of [
        [undefined, {}, []],
        ["/absent", {}, []],
        [yield* temporaryFile("broken", `{"policies":{"Certificates":[`), {}, []],
        [own, { DisableAppUpdate: true }, ["/own.pem"]],
        [yield* temporaryFile("null", "{\"policies\":{\"Certificates\":null}}"), {}, []],
        [yield* temporaryFile("text", "{\"policies\":{\"Certificates\":{\"Install\":\"/x\"}}}"), {}, []]
      ] as const
    ) {
      const { variables } = yield* make({ PLAYWRIGHT_FIREFOX_POLICIES_JSON: file })
      const written = fs.readFileSync(variables["PLAYWRIGHT_FIREFOX_POLICIES_JSON"]!, "utf8")
      const install = [...certificates, variables["CREDSVC_CA_FILE"]]
      assert.deepStrictEqual(JSON.parse(written), { policies: { ...rest, Certificates: { Install: install } } })
    }
  })

  effect("does not let placeholders override the proxy variables", function*() {
    const { variables } = yield* make({ HTTPS_PROXY: "http://corporate:1" }, {
      placeholders: ["HTTPS_PROXY", "NO_PROXY", "NODE_OPTIONS", "PIP_CERT", "EVIL_KEY"].map((variable) => ({
        variable,
        value: "/tmp/credsvc-proxy-managed"
      }))
    })
    assert.strictEqual(variables["HTTPS_PROXY"], PROXY)
    for (const name of ["NO_PROXY", "NODE_OPTIONS", "PIP_CERT"]) assert.notInclude(variables[name], "proxy-managed")
    assert.strictEqual(variables["EVIL_KEY"], "/tmp/credsvc-proxy-managed")
  })

  effect("removes other AWS credentials if the run has placeholders for a key pair", function*() {
    const parent = {
      AWS_ACCESS_KEY_ID: "AKIAREAL",
      AWS_SESSION_TOKEN: "real",
      AWS_PROFILE: "work",
      AWS_REGION: "eu-west-1"
    }
    const placeholder = (variable: string) => ({ variable, value: "credsvc-proxy-managed" })
    const pair = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].map(placeholder)
    const { notices, variables } = yield* make(parent, { placeholders: pair })
    assert.notProperty(variables, "AWS_SESSION_TOKEN")
    assert.notProperty(variables, "AWS_PROFILE")
    assert.strictEqual(variables["AWS_REGION"], "eu-west-1")
    assert.match(notices.join(), /AWS_PROFILE .*not set in this run/)
    const temporary = yield* make(parent, { placeholders: [...pair, placeholder("AWS_SESSION_TOKEN")] })
    assert.strictEqual(temporary.variables["AWS_SESSION_TOKEN"], "credsvc-proxy-managed")
    const others = yield* make(parent, { placeholders: [] })
    assert.strictEqual(others.variables["AWS_PROFILE"], "work")
  })

  effect("replaces a real key by the placeholder, and removes credsvc's own secrets", function*() {
    const { variables } = yield* make({
      GITHUB_TOKEN: "ghp_real",
      CREDSVC_MASTER_KEY: "a2V5",
      CREDSVC_MASTER_KEY_FILE: "/run/secrets/key",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=x",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "authorization=x",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      CREDSVC_HOME: "/home/x/.credsvc",
      ALL_PROXY: "socks5://127.0.0.1:1",
      all_proxy: "socks5://127.0.0.1:1",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      npm_config_noproxy: "*"
    })
    assert.strictEqual(variables["GITHUB_TOKEN"], "credsvc-proxy-managed")
    assert.notInclude(JSON.stringify(variables), "ghp_real")
    const removed = [
      "CREDSVC_MASTER_KEY",
      "CREDSVC_MASTER_KEY_FILE",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
      "ALL_PROXY",
      "all_proxy",
      "NODE_TLS_REJECT_UNAUTHORIZED",
      "npm_config_noproxy"
    ]
    for (const name of removed) assert.notProperty(variables, name)
    assert.strictEqual(variables["CREDSVC_HOME"], "/home/x/.credsvc")
    assert.strictEqual(variables["OTEL_EXPORTER_OTLP_ENDPOINT"], "http://127.0.0.1:4318")
  })

  effect("overrides proxies in the user's git configuration, and reports files that it cannot override", function*() {
    const file = yield* temporaryFile(
      ".gitconfig",
      "[user]\n  proxy = x\n[http]\n  proxy = http://a\n[http \"https://github.com\"]\n\tproxy = http://b\n[HTTP \"https://x.test/\"] proxy=c\n"
    )
    const home = path.dirname(file)
    fs.writeFileSync(path.join(home, ".curlrc"), "# proxy = no\nsilent\nproxy = http://corp:1\n")
    fs.writeFileSync(path.join(home, ".wgetrc"), "ca_certificate = /x.pem\n")
    const { notices, variables } = yield* make({ HOME: home })
    assert.strictEqual(variables["GIT_CONFIG_COUNT"], "3")
    assert.deepStrictEqual([variables["GIT_CONFIG_KEY_1"], variables["GIT_CONFIG_KEY_2"]], [
      "http.https://github.com.proxy",
      "http.https://x.test/.proxy"
    ])
    assert.strictEqual(variables["GIT_CONFIG_VALUE_2"], PROXY)
    assert.match(notices.join("\n"), /\.curlrc sets proxy, which curl .*\n.*\.wgetrc sets ca_certificate/)
  })

  effect("runs the git in the child process's PATH without the master key, if there is one", function*() {
    const file = yield* temporaryFile(
      "git",
      "#!/bin/sh\nexport -p >\"$0.env\"\nprintf 'remote.a b.proxy\\0http.https://x.test.proxy\\0remote.a b.proxy\\0'\n"
    )
    fs.chmodSync(file, 0o700)
    const { variables } = yield* make({
      PATH: path.dirname(file),
      CREDSVC_MASTER_KEY: "canary",
      OTEL_EXPORTER_OTLP_HEADERS: "x=canary"
    })
    assert.deepStrictEqual(
      [0, 1, 2, 3].map((index) => variables[`GIT_CONFIG_KEY_${index}`]),
      ["http.proxy", "remote.a b.proxy", "http.https://x.test.proxy", undefined]
    )
    const given = fs.readFileSync(`${file}.env`, "utf8")
    assert.include(given, "PATH=")
    assert.notInclude(given, "canary")
    const without = yield* make({ PATH: "/nonexistent" })
    assert.strictEqual(without.variables["GIT_CONFIG_COUNT"], "1")
  })

  effect(
    "uses the system's git in a contained run, because an earlier command may have put another git into PATH",
    function*() {
      const gitIn = (key: string) =>
        Effect.map(temporaryFile("git", `#!/bin/sh\nprintf '${key}\\0'\n`), (file) => {
          fs.chmodSync(file, 0o700)
          return path.dirname(file)
        })
      const [system, planted] = [yield* gitIn("http.system.proxy"), yield* gitIn("http.planted.proxy")]
      assert.deepStrictEqual(yield* gitProxyKeys({ PATH: planted }, "/", [system]), ["http.system.proxy"])
      assert.deepStrictEqual(yield* gitProxyKeys({ PATH: planted }, "/"), ["http.planted.proxy"])
    }
  )

  live("makes git use the proxy regardless of all of its other configuration", function*() {
    const scratch = path.dirname(yield* temporaryFile("x", ""))
    const git = (directory: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
      builtins.childProcess.execFileSync("git", ["-C", directory, ...args], {
        env: { PATH: process.env["PATH"], HOME: scratch, GIT_CONFIG_NOSYSTEM: "1", ...env },
        encoding: "utf8"
      })
    const [repository, tree] = [path.join(scratch, "repository"), path.join(scratch, "tree")]
    git(scratch, ["init", "--quiet", repository])
    git(repository, ["config", "remote.origin.proxy", "http://corp:1"])
    git(repository, ["config", "http.https://github.com.proxy", "http://corp:2"])
    git(repository, ["-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "--allow-empty", "-m", "x"])
    git(repository, ["worktree", "add", "--quiet", tree])
    const system = path.join(scratch, "system")
    fs.writeFileSync(system, "[http \"https://*.slack.com\"]\nproxy=http://corp:3\n")
    fs.writeFileSync(
      path.join(scratch, ".gitconfig"),
      "[include]\npath=shared\n[includeIf \"gitdir:**/repository/\"]\npath=work\n"
    )
    fs.writeFileSync(path.join(scratch, "shared"), "[http \"https://shared.test\"]\nproxy=http://corp:5\n")
    fs.writeFileSync(path.join(scratch, "work"), "[http \"https://work.test/team\"]\nproxy=http://corp:6\n")
    fs.mkdirSync(path.join(repository, "deep", "down"), { recursive: true })
    const given = {
      GIT_CONFIG_SYSTEM: system,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "http.https://x.test.proxy",
      GIT_CONFIG_VALUE_0: "http://corp:4"
    }
    for (const directory of [path.join(repository, "deep", "down"), tree]) {
      const { variables } = yield* make({ HOME: scratch, ...given }, { directory })
      const env = { ...variables, GIT_CONFIG_NOSYSTEM: "0" }
      const proxyOf = (url: string) => git(directory, ["config", "--get-urlmatch", "http.proxy", url], env).trim()
      const hosts = ["github.com/a", "a.slack.com", "shared.test", "work.test/team/b", "x.test", "other.test"]
      for (const host of hosts) assert.strictEqual(proxyOf(`https://${host}`), PROXY, host)
      assert.strictEqual(git(directory, ["config", "remote.origin.proxy"], env).trim(), PROXY)
    }
  })

  effect("reports entries of NO_PROXY that it dropped", function*() {
    const { notices } = yield* make({ NO_PROXY: "*", no_proxy: ".github.com a.test" })
    assert.match(notices.join(), /NO_PROXY covers .*\*, \.github\.com/)
  })

  effect("passes the parent proxy to inner runs", function*() {
    const outer = yield* make({}, { parentProxy: { url: "http://corp:3128", noProxy: ["x.test"] } })
    assert.deepEqual(yield* parentProxy(outer.variables), {
      url: "http://corp:3128",
      noProxy: ["x.test"]
    })
    const direct = yield* make({ CREDSVC_PARENT_PROXY: "http://stale:1" })
    assert.isUndefined(yield* parentProxy(direct.variables))
  })

  effect("writes only private files without a key, which are removed with the scope", function*() {
    const directory = yield* Effect.scoped(Effect.gen(function*() {
      const { runDirectory } = yield* make({})
      assert.strictEqual(fs.statSync(runDirectory).mode & 0o777, 0o700)
      for (const entry of fs.readdirSync(runDirectory, { recursive: true, withFileTypes: true })) {
        const file = path.join(entry.parentPath, entry.name)
        assert.strictEqual(fs.statSync(file).mode & 0o077, 0, file)
        if (entry.isFile()) assert.notMatch(fs.readFileSync(file, "latin1"), /PRIVATE KEY|s3cret/)
      }
      return runDirectory
    }))
    assert.isFalse(fs.existsSync(directory))
  })
})
