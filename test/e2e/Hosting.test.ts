/** The files and the commands of docs/hosting.md. test/e2e/Nginx.test.ts runs its configuration of nginx. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { parseDatabaseUrl } from "../../src/store/postgres/DatabaseUrl.ts"
import { documented } from "../support/Nginx.ts"
import { killDaemon } from "../support/Processes.ts"
import { cleanEnvironment, collect, entry, openSandbox, repository } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { until } from "../support/Until.ts"

const read = (...names: ReadonlyArray<string>): string =>
  fs.readFileSync(path.join(repository, "docs", ...names), "utf8")

/** The marks whose commands a test has run. */
const used = new Set<string>()

/** The commands after a mark of the document. */
const commandsOf = (mark: string): string => {
  used.add(mark)
  const [, commands] = new RegExp(`<!-- test: ${mark} -->\n\`\`\`sh\n([\\s\\S]*?)\`\`\``).exec(read("hosting.md")) ?? []
  return commands ?? assert.fail(`docs/hosting.md has no commands for ${mark}`)
}

const canAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0
if (!canAnalyze) console.warn("SKIPPED: the check of the unit needs systemd-analyze")

describe("The hosting guide", () => {
  const sandbox = shared(() => openSandbox())

  const port = (): number => JSON.parse(fs.readFileSync(path.join(sandbox.home, "server", "daemon.json"), "utf8")).port

  /** Runs commands of the document on the home of this test, whose daemon `systemctl` stops and starts. */
  const run = (mark: string) => {
    const bin = path.join(sandbox.directory, "bin")
    fs.mkdirSync(bin, { recursive: true })
    const credsvc = `"${process.execPath}" "${entry}" daemon`
    fs.writeFileSync(
      path.join(bin, "systemctl"),
      `#!/bin/sh\ncase "$*" in\nstop\\ credsvc) ${credsvc} stop --quiet ;;\nstart\\ credsvc) ${credsvc} start --port 0 --quiet ;;\n*) exit 1 ;;\nesac\n`,
      { mode: 0o755 }
    )
    fs.writeFileSync(path.join(bin, "credsvc"), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, {
      mode: 0o755
    })
    const commands = commandsOf(mark).replaceAll(/\/(?:var\/backups|etc)\/credsvc/g, sandbox.directory)
      .replaceAll("7998", String(port()))
    return spawnSync("sh", ["-eu", "-c", commands], {
      cwd: sandbox.directory,
      encoding: "utf8",
      env: { ...sandbox.env, PATH: `${bin}:${process.env["PATH"]}` }
    })
  }

  /** Programs that the commands find instead of those of the machine. */
  const stub = (directory: string, programs: Readonly<Record<string, string>>): NodeJS.ProcessEnv => {
    const bin = path.join(directory, "bin")
    fs.mkdirSync(bin, { recursive: true })
    const own = { credsvc: `exec "${process.execPath}" "${entry}" "$@"` }
    for (const [name, script] of Object.entries({ ...own, ...programs })) {
      fs.writeFileSync(path.join(bin, name), `#!/bin/sh\nset -eu\n${script}\n`, { mode: 0o755 })
    }
    const { CREDSVC_MASTER_KEY_MODE: _, ...environment } = cleanEnvironment(path.join(directory, "home"))
    return { ...environment, PATH: `${bin}:${process.env["PATH"]}` }
  }

  /** Runs commands of the document in a directory that stands for the root of a machine, without a terminal. */
  const runOn = (
    directory: string,
    mark: string,
    env: NodeJS.ProcessEnv,
    input = "",
    change = (text: string) => text
  ) =>
    collect(
      spawn("sh", ["-eu", "-c", change(commandsOf(mark).replaceAll("/etc/", `${directory}/etc/`))], {
        cwd: directory,
        env,
        detached: true,
        stdio: ["pipe", "pipe", "pipe"]
      }),
      input
    )

  const machineOf = (name: string): string => {
    const directory = path.join(sandbox.directory, name)
    for (const folder of ["etc/systemd/system", "etc/nginx/conf.d", "etc/credsvc/tls", "run"]) {
      fs.mkdirSync(path.join(directory, folder), { recursive: true })
    }
    for (const file of ["credsvc.service", "nginx.conf"]) {
      fs.copyFileSync(path.join(repository, "docs", "hosting", file), path.join(directory, file))
    }
    return directory
  }

  it("installs the service, and a client on another machine uses it", async () => {
    const directory = machineOf("service")
    const home = path.join(directory, "home")
    const socket = path.join(directory, "run", "front.sock")
    const authority = makeAuthority()
    // The server in front asks for a password, and passes requests on to the socket of the daemon.
    const front = https.createServer(authority.issue(["localhost"]), (request, response) => {
      const { authorization, ...headers } = request.headers
      if (authorization !== `Basic ${Buffer.from("alice:the password").toString("base64")}`) {
        response.writeHead(401).end()
        return
      }
      const onward = http.request(
        { socketPath: socket, path: request.url, method: request.method, headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 0, answer.headers)
          answer.pipe(response)
        }
      )
      onward.on("error", () => response.destroy())
      request.pipe(onward)
    })
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve))
    const origin = `https://localhost:${(front.address() as AddressInfo).port}`
    const unit = read("hosting", "credsvc.service")
    const here = (text: string) =>
      text.replaceAll("https://credsvc.example.com", origin).replaceAll("/run/credsvc/front.sock", socket)
        .replaceAll("/var/lib/credsvc", home).replaceAll("/etc/credsvc", path.join(directory, "etc", "credsvc"))
        .replace(" --front-group www-data", "")
    const environment = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, text = ""]) => `export "${here(text)}"`)
    const [, args = ""] = /^ExecStart=\/usr\/bin\/credsvc (.*)$/m.exec(unit) ?? []
    const [, user] = /^User=(.*)$/m.exec(unit) ?? []
    const words = environment.map((line) => line.replace(/^export /, ""))
    const env = stub(directory, {
      chown: `test "$*" = "${user} ${directory}/etc/credsvc/master-key"`,
      install:
        `test "$*" = "-d -m 0700 -o ${user} /var/lib/credsvc /var/backups/credsvc" || exec /usr/bin/install "$@"`,
      runuser: `test "$1 $2 $3" = "-u ${user} --"; shift 3; exec "$@"`,
      useradd: `for word in "$@"; do name=$word; done; test "$name" = "${user}"`,
      systemctl: `case "$*" in
show*) test "$*" = "show --value --property Environment credsvc"; exec echo ${words.join(" ")} ;;
esac
test "$*" = "enable --now credsvc"
cmp etc/systemd/system/credsvc.service credsvc.service
${environment.join("\n")}
credsvc ${here(args)} --port 0 > daemon.log 2>&1 < /dev/null &
while ! test -e "${home}/server/daemon.json"; do kill -0 $! || { cat daemon.log >&2; exit 1; }; sleep 0.1; done`
    })
    try {
      const installed = await runOn(directory, "systemd", env)
      assert.strictEqual(installed.code, 0, installed.stderr)
      assert.strictEqual(fs.statSync(path.join(directory, "etc/credsvc/master-key")).mode & 0o777, 0o600)
      const { CREDSVC_HOME: _, ...shell } = env
      const administrator = await runOn(directory, "administrator", shell)
      assert.strictEqual(administrator.code, 0, administrator.stderr)
      const [code = ""] = administrator.stdout.trim().split("\n").slice(-1)
      fs.writeFileSync(path.join(directory, "ca.pem"), authority.caPem)
      const client = {
        ...env,
        CREDSVC_HOME: path.join(directory, "client"),
        NODE_EXTRA_CA_CERTS: path.join(directory, "ca.pem"),
        PASSWORD: "the password"
      }
      const enrolled = await runOn(directory, "clients", client, code, here)
      assert.strictEqual(enrolled.code, 0, enrolled.stderr)
      assert.include(enrolled.stdout, "team")
      const refused = await runOn(directory, "clients", { ...client, PASSWORD: "another" }, code, here)
      assert.include(refused.stderr, "refused the request (status 401)")
    } finally {
      await killDaemon(home)
      front.close()
      front.closeAllConnections()
    }
  })

  it("turns one daemon into two, which share only the key, the database and the directory of their sockets", async () => {
    const directory = machineOf("replicas")
    const calls = path.join(directory, "calls")
    const called = (name: string) => `printf '%s\\n' "${name} $*" >> "${calls}"`
    const env = stub(directory, { credsvc: called("credsvc"), su: called("su"), systemctl: called("systemctl") })
    const { code, stderr } = await runOn(directory, "replicas", env)
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(fs.readFileSync(calls, "utf8").trim().split("\n"), [
      "su --login postgres --command createuser credsvc && createdb --owner=credsvc credsvc",
      "systemctl daemon-reload",
      "credsvc admin backup /var/backups/credsvc/file.backup",
      "systemctl stop credsvc",
      "credsvc admin restore /var/backups/credsvc/file.backup",
      "systemctl enable --now credsvc credsvc-2",
      "systemctl reload nginx"
    ])
    const installed = fs.readFileSync(path.join(directory, "etc/nginx/conf.d/credsvc.conf"), "utf8")
    assert.strictEqual(installed, read("hosting", "nginx.conf"))
    const url = fs.readFileSync(path.join(directory, "etc/credsvc/database-url"), "utf8").trim()
    assert.isTrue(Result.isSuccess(parseDatabaseUrl(url)), url)
    const unit = (name: string) =>
      fs.readFileSync(path.join(directory, "etc/systemd/system", name), "utf8").replaceAll(`${directory}/etc`, "/etc")
    const first = unit("credsvc.service").split("\n")
    const second = unit("credsvc-2.service").split("\n")
    assert.include(first, "Environment=CREDSVC_DATABASE_URL_FILE=/etc/credsvc/database-url")
    // Otherwise the service could not start after a command has started a daemon of its own.
    assert.include(first, "ExecStartPre=-/usr/bin/credsvc daemon stop")
    const replicas = documented("replicas")
    for (const [, socket = ""] of replicas.matchAll(/server unix:(.*\.sock)/g)) {
      assert.isTrue([...first, ...second].some((line) => line.includes(` --front-socket ${socket} `)), socket)
    }
    assert.deepStrictEqual(second.filter((line) => !first.includes(line)), [
      "Environment=CREDSVC_HOME=/var/lib/credsvc-2",
      "ExecStart=/usr/bin/credsvc daemon serve --front-socket /run/credsvc/front-2.sock --port 7999 --front-group www-data",
      "StateDirectory=credsvc-2"
    ])
  })

  it("starts the containers with a key and the address of a database, and enrolls a caller", async () => {
    const directory = machineOf("containers")
    const home = path.join(directory, "home")
    const env = stub(directory, {
      chown: `test "$*" = "10001 master-key database-url"`,
      docker: `test "$1" = compose
case "$2" in
up) CREDSVC_MASTER_KEY_FILE="$PWD/master-key" credsvc daemon start --port 0 --quiet ;;
exec) test "$3" = credsvc-1; shift 3; exec "$@" ;;
*) exit 1 ;;
esac`
    })
    onTestFinished(() => killDaemon(home))
    const started = await runOn(directory, "containers", env)
    assert.strictEqual(started.code, 0, started.stderr)
    assert.match(started.stdout, /^[0-9a-z]+(?:-[0-9a-z]+){3}$/m)
    const secret = (name: string) => fs.readFileSync(path.join(directory, name), "utf8").trim()
    const address = parseDatabaseUrl(secret("database-url"))
    assert.include(Result.getOrThrow(address), { name: "database/credsvc" })
    assert.include(secret("database-url"), `:${secret("database-password")}@`)
  })

  it("trusts the jobs of a repository, with a granted connection", async () => {
    const directory = machineOf("trust")
    const env = { ...stub(directory, {}), CREDSVC_HOME: sandbox.home }
    await sandbox.must(["profile", "create", "team"])
    await sandbox.must(["login", "openai", "--stdin"], {
      input: "sk-proj-0123456789abcdefghij",
      env: { CREDSVC_PROFILE: "team" }
    })
    const trusted = await runOn(directory, "trust", env)
    assert.strictEqual(trusted.code, 0, trusted.stderr)
    assert.match(
      (await sandbox.must(["admin", "trust", "list"])).stdout,
      /^ci +ci +https:\/\/token\.actions.+ openai$/m
    )
  })

  it("installs the nginx configuration for one daemon, with a password", async () => {
    const directory = machineOf("nginx")
    const env = stub(directory, { systemctl: `test "$*" = "reload nginx"` })
    const { code, stderr } = await runOn(directory, "nginx", env, "the password\nthe password\n")
    assert.strictEqual(code, 0, stderr)
    const installed = (name: string) => fs.readFileSync(path.join(directory, "etc", "nginx", name), "utf8")
    // test/e2e/Nginx.test.ts runs nginx with it.
    assert.strictEqual(installed("conf.d/credsvc.conf").trimEnd(), documented("one").trimEnd())
    const [, salt = ""] = /^alice:\$apr1\$(.*)\$.*\n$/.exec(installed("credsvc.htpasswd")) ?? []
    const hash = spawnSync("openssl", ["passwd", "-apr1", "-salt", salt, "the password"], { encoding: "utf8" })
    assert.strictEqual(installed("credsvc.htpasswd"), `alice:${hash.stdout}`)
  })

  it("configures a daemon that serves TLS itself and accepts only signed requests", async () => {
    const directory = machineOf("tls")
    const home = path.join(directory, "home")
    const authority = makeAuthority()
    const { cert, key } = authority.issue(["credsvc.example.com"])
    fs.writeFileSync(path.join(directory, "etc/credsvc/tls/fullchain.pem"), cert)
    fs.writeFileSync(path.join(directory, "etc/credsvc/tls/privkey.pem"), key, { mode: 0o600 })
    const env = stub(directory, { credsvc: `exec "${process.execPath}" "${entry}" "$@" --port 0` })
    const serving = runOn(directory, "tls", env)
    try {
      const port = await until(() => {
        const file = path.join(home, "server", "daemon.json")
        return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")).port as number : undefined
      })
      const statusOf = (target: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          const servername = "credsvc.example.com"
          const options = {
            host: "127.0.0.1",
            port,
            path: target,
            servername,
            ca: authority.caPem,
            agent: false
          } as const
          https.get({ ...options, headers: { host: `${servername}:7998` } }, (answer) => {
            answer.resume()
            resolve(answer.statusCode)
          }).on("error", reject)
        })
      assert.strictEqual(await statusOf("/health"), 200)
      assert.strictEqual(await statusOf("/connections"), 401)
    } finally {
      await killDaemon(home)
      await serving
    }
  })

  it("makes a backup, and restores it over a home that has changed", async () => {
    const backup = run("backup")
    assert.strictEqual(backup.status, 0, backup.stderr)
    const { code } = await sandbox.credsvc(["logout", "demo"])
    assert.strictEqual(code, 0)
    const restore = run("restore")
    assert.strictEqual(restore.status, 0, restore.stderr)
    const exported = await sandbox.credsvc(["export", "demo"])
    assert.include(exported.stdout, sandbox.key, exported.stderr)
    await sandbox.must(["log", "verify"])
  })

  it("monitors the daemon", () => {
    const monitoring = run("monitoring")
    assert.strictEqual(monitoring.status, 0, monitoring.stderr)
    assert.include(monitoring.stdout, "\"status\":\"ok\"")
  })

  it("creates the token of a scraper in a file that only its owner can read", () => {
    const scraping = run("scraping")
    assert.strictEqual(scraping.status, 0, scraping.stderr)
    const file = path.join(sandbox.directory, "metrics.env")
    assert.match(fs.readFileSync(file, "utf8"), /^CREDSVC_METRICS_TOKEN=[0-9a-f]{64}\n$/)
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
  })

  it("starts the daemon with valid options, in the unit and in the container", async () => {
    const [, ofUnit = ""] = /^ExecStart=\/usr\/bin\/credsvc (.*)$/m.exec(read("hosting", "credsvc.service")) ?? []
    const [, ofContainer = "[]"] = /^CMD (\[.*\])$/m.exec(read("hosting", "Containerfile")) ?? []
    for (const args of [ofUnit.split(" "), JSON.parse(ofContainer) as ReadonlyArray<string>]) {
      assert.includeMembers([...args], ["daemon", "serve", "--front-socket"])
      const home = path.join(sandbox.directory, "other-home")
      const { code, stderr } = await sandbox.credsvc([...args, "--port", "0"], { env: { CREDSVC_HOME: home } })
      assert.strictEqual(code, 9, stderr)
      assert.include(stderr, "CREDSVC_SERVER_BASE_URL, the URL of the server in front of it, is not set")
    }
    const [, health = "[]"] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read("hosting", "Containerfile")) ?? []
    const [program, ...check] = JSON.parse(health) as ReadonlyArray<string>
    assert.strictEqual(program, "credsvc")
    await sandbox.must(check)
    const stopped = await sandbox.credsvc(check, { env: { CREDSVC_HOME: path.join(sandbox.directory, "other-home") } })
    assert.strictEqual(stopped.code, 9)
  })

  it("calls kubectl with files that exist and commands that the daemon accepts", async () => {
    const bin = path.join(sandbox.directory, "bin")
    fs.mkdirSync(bin, { recursive: true })
    fs.writeFileSync(
      path.join(bin, "kubectl"),
      `#!/bin/sh
for word in "$@"; do
  case "$word" in --from-file=*|--cert=*|--key=*) test -s "\${word#*=}" ;; *.yaml) test -s "$word" ;; esac || exit 1
done
[ "$1" != exec ] || { shift 4; exec "${process.execPath}" "${entry}" "$@"; }
`,
      { mode: 0o755 }
    )
    const { cert, key } = makeAuthority().issue(["credsvc.example.com"])
    const manifests = read("hosting", "kubernetes.yaml")
    const given = {
      "fullchain.pem": cert,
      "privkey.pem": key,
      "database-url": "postgres:///x",
      "kubernetes.yaml": manifests
    }
    for (const [name, text] of Object.entries(given)) fs.writeFileSync(path.join(sandbox.directory, name), text)
    const { status, stderr, stdout } = run("kubernetes")
    assert.strictEqual(status, 0, stderr)
    assert.match(stdout, /^[0-9a-z]+(?:-[0-9a-z]+){3}$/m)
  })

  it.skipIf(!canAnalyze)("has a unit that systemd accepts and rates as well protected", () => {
    const file = path.join(sandbox.directory, "credsvc.service")
    fs.writeFileSync(file, read("hosting", "credsvc.service").replaceAll("/usr/bin/credsvc", "/bin/true"))
    for (
      const args of [["verify", "--man=no", file], ["security", "--offline=true", "--threshold=30", "--no-pager", file]]
    ) {
      const { status, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" })
      assert.strictEqual(status, 0, stderr)
    }
  })

  it("contains only commands that these tests run", () => {
    const blocks = [...read("hosting.md").matchAll(/^(.*)\n```sh$/gm)].map(([, before = ""]) => before)
    const marks = blocks.map((before) => /^<!-- test: (\w+) -->$/.exec(before)?.[1] ?? before)
    assert.sameMembers(marks, [...used])
  })
})
