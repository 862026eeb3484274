/** The commands of docs/sandboxes.md, executed as they are written there. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { canContain } from "../support/ContainedSandbox.ts"
import { installedPackages } from "../support/InstalledPackages.ts"
import {
  collect,
  demoHost,
  entry,
  filesHolding,
  openSandbox,
  type Outcome,
  repository,
  type Sandbox
} from "../support/Sandbox.ts"
import { random } from "../support/Seed.ts"
import { freePort } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const document = fs.readFileSync(path.join(repository, "docs", "sandboxes.md"), "utf8")

/** The command under `<!-- test: name -->`. */
const recipe = (name: string): string => {
  const found = new RegExp(`<!-- test: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(document)
  if (found === null) throw new Error(`docs/sandboxes.md has no recipe for ${name}`)
  return found[1]!
}

const has = (program: string): boolean =>
  spawnSync("sh", ["-c", `PATH="$PATH:/usr/sbin" command -v ${program}`], { stdio: "ignore" }).status === 0

/** Skips tests loudly where a program is missing. */
const needs = (...programs: ReadonlyArray<string>): boolean => {
  const missing = programs.filter((program) => !has(program))
  if (missing.length > 0) {
    const line = "#".repeat(80)
    console.warn(
      `${line}\nSKIPPED: recipes that need ${missing.join(", ")}; run scripts/setup --test --part=package\n${line}`
    )
  }
  return missing.length === 0
}

const isLinux = process.platform === "linux"
/** Network namespaces with names, and an ssh server that accepts this user, need root. */
const isRoot = process.geteuid?.() === 0

const packages = path.join(installedPackages("sandboxes"), "node_modules", ".bin")
const srt = path.join(packages, "srt")
if (!fs.existsSync(srt)) {
  console.warn(`${"#".repeat(80)}\nSKIPPED: srt is missing; run scripts/setup --part=package\n${"#".repeat(80)}`)
}

/** The processes whose command line contains the text. `program`: only those of this name. */
const processesWith = (text: string, program?: string): ReadonlyArray<number> =>
  fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const args = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
      return pid !== process.pid && args.join(" ").includes(text) &&
        (program === undefined || path.basename(args[0] ?? "") === program)
    } catch {
      return false
    }
  })

/** The process and those that it has started, except for forwarders, which must end by themselves. */
const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
  const children = stdout.trim().split(/\s+/).filter((text) => text !== "").map(Number)
  return [...children.slice(0, 1).flatMap(descendantsOf), pid]
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has already ended.
  }
}

const url = `https://${demoHost}/v1/whoami`

describe.skipIf(!isLinux)("a recipe of docs/sandboxes.md", () => {
  let sandbox: Sandbox
  let work: string
  const running: Array<ChildProcess> = []

  /** Starts `credsvc proxy`, and waits until it listens. */
  const proxy = async (
    ...args: ReadonlyArray<string>
  ): Promise<{ readonly child: ChildProcess; readonly where: string }> => {
    const child = sandbox.spawn(["proxy", ...args])
    running.push(child)
    let errors = ""
    child.stderr!.on("data", (chunk: Buffer) => errors += chunk.toString())
    const where = await new Promise<string>((resolve, reject) => {
      child.stdout!.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()))
      child.once("exit", () => reject(new Error(errors)))
    })
    return { child, where }
  }

  const must = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { stdout } = await sandbox.must(args)
    return stdout
  }

  /** Runs a shell script in the working directory, with `credsvc` in its PATH and the paths of this test's home. */
  const shell = (script: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
    collect(
      spawn(
        "bash",
        ["-c", script.replaceAll("~/.credsvc", sandbox.home).replaceAll("npm test", `sh ${work}/test.sh`)],
        {
          cwd: work,
          env: {
            ...sandbox.env,
            PATH: `${sandbox.directory}/bin:${process.env["PATH"]}:/usr/sbin`,
            ...env
          },
          stdio: ["pipe", "pipe", "pipe"]
        }
      )
    )

  const works = ({ code, stderr, stdout }: Outcome): void => {
    assert.include(stdout, "\"hello\":\"Ada\"", stderr)
    assert.strictEqual(code, 0, stderr)
    assert.notInclude(stdout, sandbox.key)
  }

  beforeAll(async () => {
    // Not below /tmp, which several of the recipes replace.
    const before = process.env["TMPDIR"]
    process.env["TMPDIR"] = path.join(os.homedir(), ".cache")
    sandbox = await openSandbox().finally(() => {
      if (before === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = before
    })
    work = path.join(sandbox.directory, "work")
    fs.mkdirSync(work)
    fs.writeFileSync(path.join(work, "test.sh"), `exec curl -sS ${url}\n`)
    fs.mkdirSync(path.join(sandbox.directory, "bin"))
    fs.writeFileSync(
      path.join(sandbox.directory, "bin", "credsvc"),
      `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`,
      { mode: 0o755 }
    )
    await must("sandbox", "create", "dev", "--provider", "demo", "--unmatched", "deny")
    await must("sandbox", "create", "other", "--provider", "openai", "--unmatched", "deny")
  }, 120_000)
  afterAll(async () => {
    for (const child of running) child.kill("SIGKILL")
    await sandbox?.close()
  })

  describe("with the socket of one sandbox", () => {
    beforeAll(async () => {
      await proxy("--sandbox", "dev")
    }, 60_000)

    it.skipIf(!canContain)("connects bubblewrap", async () => works(await shell(recipe("bubblewrap"))))

    it.skipIf(!needs("unshare", "ip"))(
      "connects a network namespace",
      async () => works(await shell(recipe("network namespace")))
    )

    for (const forwarder of ["socat", "node", "python3", "perl"]) {
      it.skipIf(!canContain || !needs(forwarder))(
        `connects a container without a network, imitated by bubblewrap, with ${forwarder}`,
        async () => {
          // What `docker run --network none` gives the command: its own namespaces, and the two volumes.
          const imitated = recipe("docker").replace(
            /docker run .* node:24/,
            `bwrap --unshare-all --die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib ` +
              `--symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --ro-bind ~/.credsvc/sandboxes/dev/mount /credsvc ` +
              `--ro-bind ${process.execPath} /node --ro-bind "$PWD" "$PWD" --chdir "$PWD" --clearenv --setenv PATH /forwarder:/tools ` +
              "--tmpfs /forwarder --tmpfs /tools"
          )
          const tools = ["sh", "cat", "dirname", "grep", "printf", "sleep", "curl", "env"]
          const links = tools.map((tool) => `--symlink /usr/bin/${tool} /tools/${tool}`).join(" ")
          const program = forwarder === "node"
            ? "/node"
            : fs.existsSync(`/usr/bin/${forwarder}`)
            ? `/usr/bin/${forwarder}`
            : undefined
          assert.isDefined(program)
          const script = imitated.replace(
            "--tmpfs /tools",
            `--tmpfs /tools ${links} --symlink ${program} /forwarder/${forwarder}`
          )
          works(await shell(script))
        }
      )
    }

    it.skipIf(!fs.existsSync(srt) || !needs("bwrap", "socat", "rg"))("connects srt", async () => {
      works(await shell(recipe("srt"), { PATH: `${sandbox.directory}/bin:${packages}:${process.env["PATH"]}` }))
    })

    it.skipIf(!fs.existsSync(srt) || !needs("bwrap", "socat", "rg"))(
      "connects srt with a port, as Claude Code uses it",
      async () => {
        const { where } = await proxy("--sandbox", "dev", "--port", "0")
        fs.writeFileSync(
          path.join(work, "port.json"),
          JSON.stringify({
            network: { allowedDomains: [demoHost], deniedDomains: [], httpProxyPort: Number(where.split(":")[1]) },
            filesystem: { denyRead: [], allowWrite: ["."], denyWrite: [] }
          })
        )
        const script = "(eval \"$(credsvc sandbox env dev)\"; srt --settings port.json npm test)"
        works(await shell(script, { PATH: `${sandbox.directory}/bin:${packages}:${process.env["PATH"]}` }))
      }
    )

    it.skipIf(!canContain)("connects a devcontainer, imitated by bubblewrap", async () => {
      const settings = JSON.parse(await must("sandbox", "env", "dev", "--format", "devcontainer")) as {
        readonly mounts: ReadonlyArray<string>
        readonly containerEnv: Readonly<Record<string, string>>
        readonly postStartCommand: string
      }
      const [, source = "", target = ""] =
        /^source=([^,]+),target=([^,]+),type=bind,readonly$/.exec(settings.mounts[0]!) ?? []
      const env = Object.entries(settings.containerEnv).flatMap(([name, value]) => ["--setenv", name, value])
      const bwrap =
        "--unshare-all --die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib " +
        "--symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --clearenv --setenv PATH /usr/bin --ro-bind"
      const script =
        `${settings.postStartCommand} until curl -sS -o /dev/null http://127.0.0.1:7999; do sleep 0.1; done ` +
        `2>/dev/null; exec curl -sS ${url}`
      const child = spawn("bwrap", [...bwrap.split(" "), source, target, ...env, "sh", "-c", script], {
        stdio: ["pipe", "pipe", "pipe"]
      })
      works(await collect(child))
      assert.notInclude(JSON.stringify(settings), JSON.parse(await must("sandbox", "env", "dev", "--json")).token)
    })

    it.skipIf(!needs("unshare", "ip"))("refuses the token of another sandbox from inside", async () => {
      const token = JSON.parse(await must("sandbox", "env", "other", "--json")).token as string
      const script = recipe("network namespace").replace("exec sh", `exec env CREDSVC_SANDBOX_TOKEN=${token} sh`)
      const { code, stderr, stdout } = await shell(script)
      assert.notStrictEqual(code, 0)
      assert.strictEqual(stdout, "")
      assert.match(stderr, /407/)
    })

    it("leaves no forwarder behind when the command is killed", async () => {
      const marker = `sleep 86${process.pid}`
      const script = recipe("network namespace").replace("npm test", marker)
      const pending = shell(script).catch(() => undefined)
      await until(() => processesWith(marker).length > 0)
      for (const pid of processesWith(marker)) process.kill(pid, "SIGKILL")
      await pending
      await until(() => processesWith(`UNIX-CONNECT:${sandbox.home}`).length === 0)
    })
  })

  describe("with tokens", () => {
    let port: string
    beforeAll(async () => {
      port = (await proxy("--port", "0")).where.split(":")[1]!
    }, 60_000)

    const withPort = (script: string) =>
      script.replaceAll("sandbox env dev", `sandbox env dev --address 127.0.0.1:${port}`)

    it("github-actions: later steps use the proxy, and the runner hides the token", async () => {
      const file = path.join(sandbox.directory, "github-env")
      fs.writeFileSync(file, "")
      const { code, stderr } = await shell(withPort(recipe("github-actions")), { GITHUB_ENV: file })
      assert.strictEqual(code, 0, stderr)
      const lines = fs.readFileSync(file, "utf8").trim().split("\n")
      const env = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
      )
      const token = new URL(env["HTTPS_PROXY"]!).password
      assert.include(stderr, `::add-mask::${token}\n`)
      works(await shell("npm test", env))
    })

    it("the variables of the formats shell, docker and compose work, and the variables of another sandbox fail", async () => {
      works(await shell(`eval "$(${withPort("credsvc sandbox env dev")})"; npm test`))
      const { code, stderr } = await shell(
        `eval "$(credsvc sandbox env other --address 127.0.0.1:${port})"; unset SSL_CERT_FILE; npm test`
      )
      assert.notStrictEqual(code, 0)
      assert.match(stderr, /403/)
      for (const format of ["docker", "compose"]) {
        const script = withPort(
          `credsvc sandbox env dev --format ${format} --directory ~/.credsvc/sandboxes/dev/mount > dev.env`
        )
        works(await shell(`${script}; set -a; . ./dev.env; set +a; npm test`))
      }
    })

    it.skipIf(!isRoot || !needs("setpriv"))(
      "kubernetes: another user on the same network works with the token only",
      async () => {
        // Below /tmp, because the other user cannot enter the directory of this test.
        const shared = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-shared-"))
        onTestFinished(() => fs.rmSync(shared, { recursive: true, force: true }))
        const [, script = ""] = /- -c\n {6}- \|\n([\s\S]*?) {8}exec npx/.exec(document) ?? []
        const prepared = await shell(
          withPort(script).replaceAll("npx credsvc", "credsvc").replaceAll("/shared", shared),
          { CREDSVC_HOME: sandbox.home }
        )
        assert.strictEqual(prepared.code, 0, prepared.stderr)
        const asOther = (command: string) =>
          shell(
            `exec setpriv --reuid=65534 --regid=65534 --clear-groups env -i PATH=/usr/bin:/bin sh -c '${command}'`
          )
        works(await asOther(`set -a; . ${shared}/env; set +a; cd /; exec curl -sS ${url}`))
        const without = await asOther(`cd /; exec curl -sS -x http://127.0.0.1:${port} ${url}`)
        assert.match(without.stderr, /407/)
      }
    )

    it("the daemon limits the sandbox to its providers, and the proxy works again after a restart of the daemon", async () => {
      const script = `eval "$(${withPort("credsvc sandbox env dev")})"; npm test`
      works(await shell(script))
      const runs = await must("whoami", "--json").then((text) => JSON.parse(text) as { readonly daemon_url: string })
      const listed = await fetch(`${runs.daemon_url}/runs`).then((response) => response.text())
      assert.include(listed, "\"providers\":[\"demo\"]")
      await must("daemon", "restart")
      works(await shell(script))
    })

    it("keeps the token out of every file of credsvc and out of its logs", async () => {
      const { token } = JSON.parse(await must("sandbox", "env", "dev", "--json")) as { readonly token: string }
      assert.deepStrictEqual(filesHolding(sandbox.home, token), [])
    })

    it.skipIf(!needs("unshare", "ip"))("20 sandboxes killed at random leave no process behind", async () => {
      const marker = `sleep 85${process.pid}`
      const socket = path.join(sandbox.directory, "random.sock")
      await proxy("--sandbox", "dev", "--socket", socket)
      const script = recipe("network namespace").replace("npm test", marker).replace("exec sh", "exec setsid sh")
      const children = Array.from(
        { length: 20 },
        () =>
          spawn("bash", ["-c", script.replaceAll("~/.credsvc", sandbox.home)], {
            cwd: work,
            env: { ...sandbox.env, PATH: `${process.env["PATH"]}:/usr/sbin`, CREDSVC_SANDBOX_SOCKET: socket },
            stdio: "ignore"
          })
      )
      await Promise.all(children.map(async (child) => {
        const ended = new Promise((resolve) => child.once("exit", resolve))
        await new Promise((resolve) => setTimeout(resolve, random() * 4000))
        for (const pid of descendantsOf(child.pid!)) kill(pid)
        await ended
      }))
      await until(() => processesWith(marker).length === 0 && processesWith(`UNIX-CONNECT:${socket}`).length === 0)
    }, 120_000)

    it("20 proxies killed at random leave no process, and no socket that blocks the next proxy", async () => {
      const directory = path.join(sandbox.directory, "sockets")
      fs.mkdirSync(directory, { mode: 0o700 })
      const children = await Promise.all(Array.from({ length: 20 }, async (_, index) => {
        const child = sandbox.spawn(["proxy", "--socket", path.join(directory, `${index % 4}.sock`)])
        running.push(child)
        setTimeout(() => child.kill("SIGKILL"), random() * 3000)
        await new Promise((resolve) => child.once("exit", resolve))
        return child.pid!
      }))
      for (const index of [0, 1, 2, 3]) {
        const { child, where } = await proxy("--socket", path.join(directory, `${index}.sock`))
        assert.strictEqual(where, path.join(directory, `${index}.sock`))
        child.kill("SIGTERM")
        await new Promise((resolve) => child.once("exit", resolve))
      }
      assert.deepStrictEqual(fs.readdirSync(directory), [])
      for (const pid of children) assert.throws(() => process.kill(pid, 0))
    }, 180_000)
  })

  describe.skipIf(!isRoot || !needs("ip", "nsenter", "node"))("compose, imitated by two network namespaces", () => {
    const names = ["agent", "sidecar"].map((name) => `credsvc-${name}-${process.pid}`)
    const [agent, sidecar] = names as [string, string]
    const ip = (...args: ReadonlyArray<string>) => {
      const { status, stderr } = spawnSync("ip", args, {
        encoding: "utf8",
        env: { PATH: `${process.env["PATH"]}:/usr/sbin` }
      })
      assert.strictEqual(status, 0, stderr)
    }
    beforeAll(() => {
      for (const name of names) ip("netns", "add", name)
      ip("link", "add", "inside0", "netns", agent, "type", "veth", "peer", "name", "inside1", "netns", sidecar)
      for (
        const [name, device, address] of [[agent, "inside0", "10.99.0.1/24"], [
          sidecar,
          "inside1",
          "10.99.0.2/24"
        ]] as const
      ) {
        ip("-n", name, "addr", "add", address, "dev", device)
        ip("-n", name, "link", "set", device, "up")
        ip("-n", name, "link", "set", "lo", "up")
      }
    })
    afterAll(() => {
      for (const name of names) {
        spawnSync("ip", ["netns", "delete", name], { env: { PATH: `${process.env["PATH"]}:/usr/sbin` } })
      }
    })

    it("a sidecar forwards to the socket, and every container needs the token of the sandbox", async () => {
      const socket = path.join(sandbox.directory, "compose.sock")
      await proxy("--socket", socket)
      const forwarder = spawn(
        "ip",
        ["netns", "exec", sidecar, "sh", `${sandbox.home}/sandboxes/dev/mount/enter`, "--forward", "0.0.0.0"],
        {
          env: { PATH: `${process.env["PATH"]}:/usr/sbin`, CREDSVC_SANDBOX_SOCKET: socket },
          stdio: "ignore"
        }
      )
      running.push(forwarder)
      const inAgent = (name: string) =>
        shell(
          `credsvc sandbox env ${name} --format compose --address 10.99.0.2:7999 --directory ~/.credsvc/sandboxes/dev/mount > ${name}.env; ` +
            `set -a; . ./${name}.env; set +a; exec ip netns exec ${agent} npm test`
        )
      await until(() =>
        spawnSync("ip", ["netns", "exec", agent, "bash", "-c", "</dev/tcp/10.99.0.2/7999"], {
          env: { PATH: `${process.env["PATH"]}:/usr/sbin` }
        }).status === 0
      )
      works(await inAgent("dev"))
      const other = await inAgent("other")
      assert.notStrictEqual(other.code, 0)
      assert.match(other.stderr, /403/)
      const without = await shell(`ip netns exec ${agent} curl -sS -x http://10.99.0.2:7999 ${url}`)
      assert.match(without.stderr, /407/)
    })
  })

  describe.skipIf(!isRoot || !needs("sshd", "ssh", "ssh-keygen"))("on another machine, a local sshd", () => {
    let directory: string
    let server: ChildProcess

    beforeAll(async () => {
      directory = path.join(sandbox.directory, "ssh")
      fs.mkdirSync(directory, { mode: 0o700 })
      fs.mkdirSync("/run/sshd", { recursive: true })
      for (const key of ["host", "user"]) {
        spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path.join(directory, key)])
      }
      const port = await freePort()
      fs.writeFileSync(
        path.join(directory, "sshd_config"),
        `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${directory}/host\nAuthorizedKeysFile ${directory}/user.pub\n` +
          "StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin prohibit-password\n"
      )
      fs.writeFileSync(
        path.join(directory, "config"),
        `Host devbox\n  HostName 127.0.0.1\n  Port ${port}\n  User root\n  IdentityFile ${directory}/user\n` +
          `  UserKnownHostsFile ${directory}/known\n  StrictHostKeyChecking no\n  LogLevel ERROR\n`
      )
      // ssh looks up the home directory of its user, not HOME, so it is told about the configuration.
      fs.writeFileSync(
        path.join(sandbox.directory, "bin", "ssh"),
        `#!/bin/sh\nexec /usr/bin/ssh -F ${directory}/config "$@"\n`,
        { mode: 0o755 }
      )
      server = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", path.join(directory, "sshd_config")], { stdio: "ignore" })
      running.push(server)
      await until(() => spawnSync("bash", ["-c", `</dev/tcp/127.0.0.1/${port}`], { stdio: "ignore" }).status === 0)
    }, 60_000)

    const remnants = () =>
      ["/tmp", os.homedir()].flatMap((directory) => fs.readdirSync(directory))
        .filter((name) => /^\.?credsvc-ssh-/.test(name))

    it("credsvc ssh gives a remote command access to the proxy", async () => {
      const script = recipe("credsvc ssh").replace("github-token", "demo")
      works(await shell(script))
      assert.deepStrictEqual(remnants(), [])
    })

    it("credsvc ssh creates its directory where no other user can replace it", async () => {
      const { stdout } = await shell(
        "credsvc ssh --quiet devbox -- 'echo $CREDSVC_SSH_DIRECTORY $SSL_CERT_FILE; ls $SSL_CERT_FILE'"
      )
      const [, directory = ""] = /^(\S+) \1\/bundle.pem\n\1\/bundle.pem\n$/.exec(stdout) ?? []
      assert.strictEqual(path.dirname(directory), os.homedir(), stdout)
    })

    it("credsvc ssh exits with the code of the command, and passes stdin, stdout and arguments", async () => {
      const { code, stderr, stdout } = await shell(
        `echo typed | credsvc ssh --quiet devbox -- 'read -r line; echo "got $line"; echo told >&2; exit 37'`
      )
      assert.deepStrictEqual([code, stdout, stderr], [37, "got typed\n", "told\n"])
    })

    it("credsvc ssh accepts only its own proxy password, although all connections come from the same user", async () => {
      const { stdout } = await shell(
        `credsvc ssh --quiet devbox -- 'curl -sS -o /dev/null -w "%{http_connect}" -x "http://127.0.0.1:\${HTTPS_PROXY##*:}" ${url}'`
      )
      assert.strictEqual(stdout, "407")
    })

    it("credsvc ssh shows its proxy password in no process list", async () => {
      const { stdout } = await shell(
        "credsvc ssh --quiet devbox -- 'user=${HTTPS_PROXY#http://}; list=$(ps axww -o args); " +
          "case $list in *\"${user%@*}\"*) echo shown ;; *sshd*) echo hidden ;; esac'"
      )
      assert.strictEqual(stdout, "hidden\n")
    })

    it("credsvc ssh reports a machine that cannot be reached, with ssh's exit code", async () => {
      const { code, stderr } = await shell("credsvc ssh -o Port=1 devbox -- true")
      assert.strictEqual(code, 255)
      assert.include(stderr, "ssh could not connect to devbox")
    })

    for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
      it(`credsvc ssh leaves nothing behind on either side after ${signal}`, async () => {
        const marker = `sleep 87${process.pid}`
        const child = spawn(process.execPath, [entry, "ssh", "--quiet", "devbox", "--", marker], {
          cwd: work,
          env: { ...sandbox.env, PATH: `${sandbox.directory}/bin:${process.env["PATH"]}` },
          stdio: "ignore"
        })
        running.push(child)
        await until(() => processesWith(marker, "sleep").length > 0)
        child.kill(signal)
        await until(() => processesWith(marker, "sleep").length === 0 && remnants().length === 0)
        await until(() => processesWith("ControlMaster", "ssh").length === 0)
      })
    }

    it("ssh -R connects a command to a sandbox", async () => {
      const { where } = await proxy("--port", "0")
      const target = "/tmp/credsvc-dev"
      onTestFinished(() => fs.rmSync(target, { recursive: true, force: true }))
      const script = recipe("ssh -R").replace("127.0.0.1:7999 devbox", `${where} devbox`)
      works(await shell(script))
    })
  })
})
