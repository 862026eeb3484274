import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import * as net from "node:net"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { canContain, type ContainedSandbox, openContainedSandbox } from "../support/ContainedSandbox.ts"
import { collect, demoDefinition, demoHost, entry } from "../support/Sandbox.ts"
import { random } from "../support/Seed.ts"

const OTHER = "other.demo.test"
const PLAIN = "plain.demo.test"
const url = `https://${demoHost}/v1/whoami`

/** Removes what a run sets for clients of its proxy, except for certificates. */
const withoutProxy = "env -u HTTPS_PROXY -u https_proxy -u HTTP_PROXY -u http_proxy -u NODE_USE_ENV_PROXY " +
  "-u NODE_OPTIONS -u GIT_CONFIG_COUNT"

const clients: ReadonlyArray<string> = [
  `curl -sS ${url}`,
  `python3 -c 'import urllib.request as r; print(r.urlopen("${url}").read().decode())'`,
  `"$NODE" -e 'fetch("${url}").then((r) => r.text()).then(console.log)'`
]

describe.skipIf(!canContain)("run --contain", () => {
  let sandbox: ContainedSandbox
  const servers: Array<net.Server> = []

  const listen = async (server: net.Server): Promise<number> => {
    servers.push(server.listen(0, "127.0.0.1"))
    await once(server, "listening")
    return (server.address() as net.AddressInfo).port
  }

  beforeAll(async () => {
    sandbox = await openContainedSandbox()
    const plain = await listen(
      http.createServer((request, response) => response.end(`plain ${request.headers.host} ${request.url}`))
    )
    const file = path.join(sandbox.home, "config.json")
    const config = JSON.parse(fs.readFileSync(file, "utf8"))
    config.upstream.resolve[`${OTHER}:443`] = `127.0.0.1:${sandbox.api.port}`
    config.upstream.resolve[`${PLAIN}:80`] = `127.0.0.1:${plain}`
    fs.writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
  })
  afterAll(async () => {
    for (const server of servers) server.close()
    await sandbox?.close()
  })

  it("gives curl, python and node the credential, with and without proxy variables", async () => {
    const commands = clients.flatMap((command) => [command, `${withoutProxy} ${command}`])
    const { code, stderr, stdout } = await sandbox.contained(commands.join(" && "), ["--unmatched", "deny"], {
      env: { NODE: sandbox.seen.node }
    })
    assert.strictEqual(code, 0, stderr)
    assert.lengthOf(stdout.match(/"hello":"Ada"/g)!, commands.length)
  })

  it("gets the credential of a connection for contained runs only, and other runs do not get it", async () => {
    const login = await sandbox.credsvc(["login", "demo", "--stdin", "--connection", "inside", "--contained-only"], {
      input: sandbox.key
    })
    assert.strictEqual(login.code, 0, login.stderr)
    const options = ["--connection", "demo=inside"]
    const contained = await sandbox.contained(`curl -sS ${url}`, options)
    assert.include(contained.stdout, "\"hello\":\"Ada\"", contained.stderr)
    const run = { cwd: sandbox.work, env: sandbox.env }
    const nested = [process.execPath, entry, "run", "--contain", "--quiet", ...options, "--", "curl", "-sS", url]
    for (const command of [["curl", "-sS", url], nested]) {
      const { stderr, stdout } = await sandbox.credsvc(["run", "--quiet", ...options, "--", ...command], run)
      assert.include(stdout, "is for contained runs only, so it is not used here", stderr)
    }
  })

  it("serves the cloud metadata endpoint at an address that does not exist outside of the run", async () => {
    const hosts = { api_url: "https://cloudy.test", hosts: ["cloudy.test"] }
    const cloud = { ...demoDefinition, ...hosts, name: "cloudy", export: { cloud_identity: { google: true } } }
    const file = sandbox.define(cloud)
    await sandbox.must(["register", file, "--yes"])
    await sandbox.must(["login", "cloudy", "--stdin"], { input: "k".repeat(20) })
    const address = "http://$GCE_METADATA_HOST/computeMetadata/v1/instance/service-accounts/default/token"
    const { stderr, stdout } = await sandbox.contained(
      `echo $GCE_METADATA_HOST; curl -sS --noproxy '*' -H 'Metadata-Flavor: Google' ${address}`,
      ["--provider", "cloudy"]
    )
    const [host = "", body = ""] = stdout.split("\n")
    assert.strictEqual(JSON.parse(body).access_token, "credsvc-proxy-managed", stderr)
    const outside = net.connect(Number(host.split(":")[1]), "127.0.0.1")
    const [error] = await once(outside, "error") as [NodeJS.ErrnoException]
    assert.strictEqual(error.code, "ECONNREFUSED")
    const other = await sandbox.contained("echo $GCE_METADATA_HOST", ["--provider", "demo"])
    assert.strictEqual(other.stdout, "\n", other.stderr)
  })

  it("allows git to reach a host of a provider without proxy variables, and to work in a repository", async () => {
    const repository = path.join(sandbox.work, "repository")
    execFileSync("git", ["init", "-q", repository])
    const script = `${withoutProxy} git ls-remote https://${demoHost}/x.git; git -c user.name=a -c user.email=a@b.c ` +
      "commit -q --allow-empty -m first && git log --format=%s; ls .git/hooks >/dev/null && echo x >.git/hooks/pre-push"
    const { stderr, stdout } = await sandbox.contained(script, [], { cwd: repository })
    // The API has no repositories. Its response shows that git has reached it and trusts the certificate.
    assert.match(stderr, /info\/refs not valid/)
    assert.strictEqual(stdout, "first\n")
    assert.match(stderr, /pre-push: Read-only file system/)
  })

  it("protects the configuration that git uses later, and removes its mount points", async () => {
    const repository = path.join(sandbox.work, "protected")
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
        cwd: repository,
        encoding: "utf8"
      })
    fs.mkdirSync(repository)
    git("init", "-q", ".")
    fs.mkdirSync(path.join(repository, ".git", "modules"))
    git("init", "-q", "--separate-git-dir", ".git/modules/sub", "sub")
    git("commit", "-q", "--allow-empty", "-m", "first")
    git("worktree", "add", "-q", "../linked")
    git("config", "extensions.worktreeConfig", "true")
    const before = fs.readdirSync(path.join(repository, ".git"))

    const attempts = {
      "another common directory": "echo evil >.git/commondir",
      "no common directory": "mv -f .git/evil/commondir .git/commondir || rm -f .git/commondir",
      "configuration of the work tree": "cp .git/evil/config .git/config.worktree",
      "configuration of a linked worktree": "cp .git/evil/config .git/worktrees/linked/config.worktree",
      "the common directory of a linked worktree": "echo ../../evil >.git/worktrees/linked/commondir",
      "a linked worktree": "move .git/worktrees/linked",
      "all linked worktrees": "move .git/worktrees",
      "a submodule": "move .git/modules/sub",
      "all submodules": "move .git/modules"
    }
    // mv copies what it cannot rename.
    const script =
      "move() { python3 -c 'import os, sys; os.rename(sys.argv[1], sys.argv[2])' \"$1\" \"$1.old\"; }; mkdir .git/evil; cp -r .git/objects .git/refs .git/HEAD .git/evil; echo evil >.git/evil/commondir; " +
      "printf '[core]\\n\\tfsmonitor = \"touch ../executed; false\"\\n' >.git/evil/config; " +
      Object.entries(attempts).map(([name, command]) => `{ ${command}; } 2>/dev/null && echo 'succeeded: ${name}'; `)
        .join("") +
      "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c; " +
      "rm -r .git/evil; git commit -q --allow-empty -m second && git gc -q && git branch other && " +
      "git worktree add -q new && git log --format=%s"
    const { stderr, stdout } = await sandbox.contained(script, [], { cwd: repository })
    assert.strictEqual(stdout, "second\nfirst\n", stderr)
    for (const directory of [".", "sub", "../linked"]) git("-C", directory, "status")
    assert.isFalse(fs.existsSync(path.join(sandbox.work, "executed")))
    const added = fs.readdirSync(path.join(repository, ".git")).filter((name) => !before.includes(name))
    assert.notIncludeMembers(added, ["commondir", "config.worktree"])
    assert.isFalse(fs.existsSync(path.join(repository, ".git", "worktrees", "linked", "config.worktree")))
    assert.isTrue(fs.existsSync(path.join(repository, ".git", "worktrees", "linked", "commondir")))
  })

  const linkedWorktree = (name: string) => {
    const [main, tree] = [`${name}-main`, `${name}-tree`].map((each) => path.join(sandbox.person, each)) as [
      string,
      string
    ]
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: main, encoding: "utf8" })
    fs.mkdirSync(main)
    git("init", "-q", ".")
    git("commit", "-q", "--allow-empty", "-m", "first")
    git("branch", "old")
    git("pack-refs", "--all")
    git("worktree", "add", "-q", tree)
    git("worktree", "add", "-q", `${tree}-other`)
    fs.rmSync(path.join(main, ".git", "info"), { recursive: true })
    return { main, tree, git }
  }
  const identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c; "

  it("allows git to commit in a linked worktree, and protects the rest of its repository", async () => {
    const { git, main, tree } = linkedWorktree("linked")
    const common = path.join(main, ".git")
    const before = fs.readdirSync(common)
    const work =
      "echo x >file && git add file && git commit -q -m second && git branch -q new && git branch -q -D old && " +
      "git repack -qad && git pack-refs --all && git stash list && git log --format=%s; "
    const attempts = {
      "a hook": `echo x >"${common}/hooks/pre-commit"`,
      "configuration": `git config core.fsmonitor evil`,
      "attributes": `mkdir -p "${common}/info" && echo x >"${common}/info/attributes"`,
      "another common directory": `echo x >"${common}/commondir"`,
      "the head of the main worktree": `echo x >"${common}/HEAD"`,
      "another worktree": `echo x >"${common}/worktrees/linked-tree-other/HEAD"`,
      "a new worktree": `mkdir "${common}/worktrees/evil"`,
      "a submodule": `mkdir "${common}/modules/evil"`,
      "the pointer back": `echo x >"${common}/worktrees/linked-tree/gitdir"`,
      "the pointer to the repository": `echo x >"${common}/worktrees/linked-tree/commondir"`,
      "the pointer to the worktree": "echo x >.git",
      "the references": `mv "${common}/refs" "${common}/refs.old"`,
      "the main worktree": `echo x >"${main}/file"`
    }
    const script = identity + work +
      Object.entries(attempts).map(([name, command]) => `(${command}) 2>/dev/null && echo 'succeeded: ${name}'; `).join(
        ""
      )
    const { stderr, stdout } = await sandbox.contained(script, [], { cwd: tree })
    assert.strictEqual(stdout, "second\nfirst\n", stderr)
    assert.strictEqual(git("log", "--format=%s", "linked-tree"), "second\nfirst\n")
    assert.strictEqual(git("branch", "--format=%(refname:short)"), "linked-tree\nlinked-tree-other\nmaster\nnew\n")
    assert.deepStrictEqual(fs.readdirSync(common).toSorted(), before.toSorted(), "no mount point is left")
    git("fsck")
  })

  it("makes a repository writable only for a worktree that the repository itself lists", async () => {
    const { main, tree } = linkedWorktree("stranger")
    const own = path.join(main, ".git", "worktrees", "stranger-tree")
    const stranger = path.join(sandbox.person, "forged")
    fs.mkdirSync(stranger)
    fs.writeFileSync(path.join(stranger, ".git"), `gitdir: ${own}\n`)
    const commit = `${identity} git commit -q --allow-empty -m evil`
    const { code, stderr } = await sandbox.contained(commit, [], { cwd: stranger })
    assert.notStrictEqual(code, 0)
    assert.include(stderr, "Read-only file system")
    assert.strictEqual((await sandbox.contained(commit, [], { cwd: tree })).code, 0, "the worktree itself may")
    const hidden = await sandbox.contained(commit, ["--hide", path.join(main, ".git")], { cwd: tree })
    assert.notStrictEqual(hidden.code, 0)
  })

  it("creates no mount points in a repository on a read-only file system", async () => {
    const repository = path.join(sandbox.work, "fixed")
    execFileSync("git", ["init", "-q", repository])
    const git = path.join(repository, ".git")
    fs.rmSync(path.join(git, "hooks"), { recursive: true })
    const options = ["--dev-bind", "/", "/", "--ro-bind", git, git]
    const command = [process.execPath, entry, "run", "--contain", "--quiet", "--", "git", "status", "--short"]
    const child = spawn("bwrap", [...options, "--", ...command], {
      cwd: repository,
      env: sandbox.env,
      stdio: ["pipe", "pipe", "pipe"]
    })
    assert.deepStrictEqual(await collect(child), { code: 0, stdout: "", stderr: "" })
  })

  it("withholds tokens of CI jobs, the user's proxy, and keys that no placeholder replaces, and names these keys", async () => {
    const ofJob = { ACTIONS_ID_TOKEN_REQUEST_TOKEN: "canary-job-token", HTTPS_PROXY: "http://me:canary@127.0.0.1:9" }
    const names = ["ACTIONS_ID_TOKEN_REQUEST_TOKEN", "CREDSVC_PARENT_PROXY", "GROQ_API_KEY", "OTHER_TOKEN"]
    const command = [entry, "run", "--contain", "--", "printenv", ...names]
    const env = { ...sandbox.env, ...ofJob, GROQ_API_KEY: "gsk_canary-groq-key", OTHER_TOKEN: "canary-other-token" }
    const { stderr, stdout } = await collect(spawn(process.execPath, command, { cwd: sandbox.work, env }))
    assert.strictEqual(stdout, "canary-other-token\n")
    assert.include(stderr, "does not get these keys from the environment: GROQ_API_KEY.")
  })

  it("hides sockets, and files of hidden directories, even where bind mounts show them elsewhere", async () => {
    const [keys, mounted] = [path.join(sandbox.person, ".ssh", "keys"), path.join(sandbox.directory, "mounted")]
    const [sockets, other] = [path.join(sandbox.person, "sockets"), path.join(sandbox.directory, "other-sockets")]
    for (const directory of [keys, mounted, sockets, other]) fs.mkdirSync(directory)
    fs.writeFileSync(path.join(keys, "key"), "a key\n")
    servers.push(net.createServer().listen(path.join(sockets, "x.sock")))
    const mounts = ["--dev-bind", "/", "/", "--bind", keys, mounted, "--bind", sockets, other]
    const script = `cat ${mounted}/key; if [ -S ${other}/x.sock ]; then echo a socket; fi`
    const read = (...flags: ReadonlyArray<string>) => {
      const command = [process.execPath, entry, "run", "--quiet", ...flags, "--", "sh", "-c", script]
      return collect(spawn("bwrap", [...mounts, "--", ...command], {
        cwd: sandbox.work,
        env: sandbox.env,
        stdio: ["pipe", "pipe", "pipe"]
      }))
    }
    assert.strictEqual((await read()).stdout, "a key\na socket\n")
    assert.strictEqual((await read("--contain")).stdout, "")
    fs.rmSync(keys, { recursive: true })
  })

  it.runIf(process.getuid?.() === 0)("does not see file systems that are mounted during the run", async () => {
    const media = path.join(sandbox.directory, "media")
    fs.mkdirSync(media)
    const inside = `touch ready; until [ -e go ]; do sleep 0.1; done; ls ${media}; echo written >${media}/new; true`
    const script = `mount --make-rshared /; "$@" & until [ -e ready ]; do sleep 0.1; done
      mount -t tmpfs none ${media}; touch ${media}/file go; wait; ls ${media}; umount ${media}; rm ready go`
    const run = (...flags: ReadonlyArray<string>) => {
      const command = [process.execPath, entry, "run", "--quiet", ...flags, "--", "sh", "-c", inside]
      const args = ["--mount", "--propagation", "unchanged", "sh", "-c", script, "sh", ...command]
      return collect(spawn("unshare", args, { cwd: sandbox.work, env: sandbox.env, stdio: ["pipe", "pipe", "pipe"] }))
    }
    assert.strictEqual((await run()).stdout, "file\nfile\nnew\n")
    assert.strictEqual((await run("--contain")).stdout, "file\n")
  })

  it("tunnels programs without a proxy to other hosts by name, unless --unmatched denies that", async () => {
    const script =
      `${withoutProxy} sh -c 'curl -skS https://${OTHER}/v1/whoami; echo; curl -sS http://${PLAIN}/path?x=1'`
    const allowed = await sandbox.contained(script)
    assert.include(allowed.stdout, "unknown key")
    assert.include(allowed.stdout, `plain ${PLAIN} /path?x=1`)
    const denied = await sandbox.contained(script, ["--unmatched", "deny"])
    assert.include(denied.stderr, "access denied")
    assert.notInclude(denied.stdout, "unknown key")
    assert.include(denied.stdout, `${PLAIN} does not belong to a provider of this run`)
  })

  it("closes TLS connections that name no server", async () => {
    const script = `curl -skS --noproxy '*' https://127.7.9.98/`
    const { stderr } = await sandbox.contained(script)
    assert.include(stderr, "access denied")
  })

  it("opens only the ports of --allow-port", async () => {
    const port = await listen(net.createServer((socket) => socket.end("service\n")))
    const script = `bash -c 'cat </dev/tcp/127.0.0.1/${port}'`
    assert.strictEqual((await sandbox.contained(script, ["--allow-port", String(port)])).stdout, "service\n")
    const refused = await sandbox.contained(script)
    assert.include(refused.stderr, "Connection refused")
  })

  it("can change only the working directory and the paths of --write, and has a private /tmp", async () => {
    const other = path.join(sandbox.directory, "other")
    fs.mkdirSync(other)
    const script =
      `echo 1 >here; echo 2 >../other/there; echo 3 >/tmp/temporary && cat here ../other/there /tmp/temporary`
    const { stderr, stdout } = await sandbox.contained(script, ["--write", "../other"])
    assert.strictEqual(stdout, "1\n2\n3\n", stderr)
    const { stderr: refused } = await sandbox.contained("echo 4 >../other/more")
    assert.include(refused, "Read-only file system")
    assert.isFalse(fs.existsSync(path.join(other, "more")))
    assert.isFalse(fs.existsSync("/tmp/temporary"))
  })

  it("cannot add programs to the wrappers, which are first in PATH of the next run", async () => {
    const script = "echo true > ~/.local/share/credsvc/bin/program; mv ~/.local/share/credsvc ~/.local/share/other"
    for (const existing of ["", "share", "share/credsvc/bin"]) {
      fs.mkdirSync(path.join(sandbox.person, ".local", existing), { recursive: true })
      const { code, stderr } = await sandbox.contained(script, ["--hook", "mcp", "--write", "~/.local"])
      assert.notStrictEqual(code, 0, stderr)
      assert.isFalse(fs.existsSync(path.join(sandbox.person, ".local/share/credsvc/bin/program")))
    }
  })

  it("cannot replace the compiled code that Node executes later", async () => {
    const cache = path.join(sandbox.work, "compiled")
    fs.mkdirSync(cache, { recursive: true })
    const { code, stderr } = await sandbox.contained("echo code > compiled/code", [], {
      env: { NODE_COMPILE_CACHE: cache }
    })
    assert.notStrictEqual(code, 0, stderr)
    assert.isFalse(fs.existsSync(path.join(cache, "code")))
  })

  it("does not change the rules of the next run", async () => {
    const rules = path.join(sandbox.work, "rules", "rules.json")
    const text = JSON.stringify({ allow: [`GET ${demoHost}/v1/whoami`] })
    fs.mkdirSync(path.dirname(rules))
    fs.writeFileSync(rules, text)
    const script =
      "mv rules other; mkdir -p rules; rm rules/rules.json; echo '{}' > rules/rules.json; touch rules/x && echo writable"
    for (const option of ["--rules", "--record"]) {
      const { stdout } = await sandbox.contained(script, [option, "rules/rules.json"])
      assert.strictEqual(stdout, "writable\n", option)
      assert.strictEqual(fs.readFileSync(rules, "utf8"), text, option)
    }
    const replacing = `curl -s ${url}; for file in .new.json*; do rm -f $file; echo '{}' > $file; done`
    await sandbox.contained(replacing, ["--record", "new.json"])
    assert.include(fs.readFileSync(path.join(sandbox.work, "new.json"), "utf8"), "/v1/whoami")
  })

  it("hides credential files and the paths of --hide, even in the working directory", async () => {
    fs.writeFileSync(path.join(sandbox.work, ".env"), "SECRET=1")
    const { stderr, stdout } = await sandbox.contained("cat .env ~/.netrc; ls -A ~/.ssh", ["--hide", ".env"])
    assert.deepStrictEqual([stdout, stderr], ["", ""])
    assert.include((await sandbox.contained("cat .env")).stdout, "SECRET=1")

    const [directory, hide] = [path.join(sandbox.work, "conf", "deep"), ["--hide", "conf/deep/key"]]
    fs.mkdirSync(directory, { recursive: true })
    fs.writeFileSync(path.join(directory, "key"), "a key")
    const moving = await sandbox.contained("mv conf moved && mkdir -p conf/deep && touch conf/deep/key", hide)
    assert.include(moving.stderr, "busy")
    assert.strictEqual((await sandbox.contained("cat */deep/key", hide)).stdout, "")
    assert.strictEqual((await sandbox.contained("cat */deep/key")).stdout, "a key")
  })

  it.runIf(process.getuid?.() === 0)("starts as root although another user listens in a private folder", async () => {
    const directory = path.join(sandbox.directory, "private")
    fs.mkdirSync(directory)
    const server = net.createServer()
    servers.push(server.listen(path.join(directory, "x.sock")))
    await once(server, "listening")
    fs.chmodSync(directory, 0o700)
    fs.chownSync(directory, 65534, 65534)
    const { stderr, stdout } = await sandbox.contained("echo started; ls ../private")
    assert.strictEqual(stdout, "started\n", stderr)
    assert.include(stderr, "Permission denied")
    server.close()
  })

  it("uses run.contain, run.write, run.hide and run.allow_ports of config.json, unless --no-contain is given", async () => {
    const file = path.join(sandbox.home, "config.json")
    const before = fs.readFileSync(file, "utf8")
    const port = await listen(net.createServer((socket) => socket.end("service\n")))
    fs.mkdirSync(path.join(sandbox.person, "cache"))
    fs.writeFileSync(path.join(sandbox.work, "secret"), "secret\n")
    const run = { contain: true, write: ["~/cache", "~/missing"], hide: ["secret"], allow_ports: [port] }
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(before), run }))
    onTestFinished(() => fs.writeFileSync(file, before))
    const script =
      `cat secret; touch ~/cache/x && echo written; bash -c 'cat </dev/tcp/127.0.0.1/${port}'; ls -A ~/.ssh`
    const command = (flags: ReadonlyArray<string>) =>
      sandbox.credsvc(["run", "--quiet", ...flags, "--", "sh", "-c", script], {
        cwd: sandbox.work,
        env: sandbox.env
      })
    assert.strictEqual((await command([])).stdout, "written\nservice\n")
    assert.strictEqual((await command(["--no-contain"])).stdout, "secret\nwritten\nservice\nid_ed25519\n")
  })

  it("sends requests to --base-url addresses through the proxy of the run", async () => {
    const script = `curl -sS $CREDSVC_BASE_URL/${demoHost}/v1/whoami; printenv HTTPS_PROXY all_proxy`
    const env = { HTTPS_PROXY: "http://me:canary@127.0.0.1:9", all_proxy: "http://me:canary@127.0.0.1:9" }
    const { stderr, stdout } = await sandbox.contained(script, ["--base-url"], { env })
    assert.match(stdout, /"hello":"Ada"[^}]*\}\s*$/, `${stdout}${stderr}`)
  })

  it("exits with the same codes as other runs", async () => {
    const codes: Array<number> = []
    for (const script of ["exit 3", "kill -KILL $$", "kill -INT $$"]) codes.push((await sandbox.contained(script)).code)
    assert.deepStrictEqual(codes, [3, 137, 130])
    const missing = await sandbox.credsvc(["run", "--contain", "--quiet", "--", "no-such-command"], {
      cwd: sandbox.work
    })
    assert.deepStrictEqual(missing, { code: 127, stdout: "", stderr: "credsvc: no-such-command: command not found\n" })
    fs.writeFileSync(path.join(sandbox.work, "plain"), "text", { mode: 0o644 })
    for (const command of ["./plain", "/etc"]) {
      const { code, stderr } = await sandbox.credsvc(["run", "--contain", "--quiet", "--", command], {
        cwd: sandbox.work
      })
      assert.strictEqual(code, 126)
      assert.strictEqual(stderr, `credsvc: ${command}: cannot be executed (EACCES)\n`)
    }
  })

  it("tells the command line that it cannot reach a daemon", async () => {
    const { code, stderr } = await sandbox.contained(`'${sandbox.seen.node}' '${sandbox.seen.entry}' list`)
    assert.strictEqual(code, 9)
    assert.strictEqual(stderr, "error: A contained run cannot reach the daemon. Run credsvc outside of the run\n")
  })

  it("refuses to start where it cannot contain the command, and says what to do", async () => {
    const within = async (options: ReadonlyArray<string>, args: ReadonlyArray<string>) => {
      const child = spawn("bwrap", ["--dev-bind", "/", "/", ...options, "--", process.execPath, entry, ...args], {
        cwd: sandbox.work,
        env: sandbox.env,
        stdio: ["pipe", "pipe", "pipe"]
      })
      return collect(child)
    }
    const bwrap = execFileSync("sh", ["-c", "readlink -f \"$(command -v bwrap)\""], { encoding: "utf8" }).trim()
    const command = ["run", "--contain", "--", "sh", "-c", "echo started"]
    const missing = await within(["--ro-bind", "/dev/null", bwrap], command)
    assert.deepStrictEqual([missing.code, missing.stdout], [2, ""])
    assert.include(missing.stderr, "--contain: needs bubblewrap, which is not installed. Install it")

    const directory = fs.openSync(sandbox.person, "r")
    const socket = net.connect(sandbox.api.port, "127.0.0.1")
    await once(socket, "connect")
    for (const [input, kind] of [[directory, "directory"], [socket, "network socket"]] as const) {
      const { code, stderr } = await collect(
        spawn(process.execPath, [entry, ...command], {
          cwd: sandbox.work,
          env: sandbox.env,
          stdio: [input, "pipe", "pipe"]
        })
      )
      assert.strictEqual(code, 2)
      assert.include(stderr, `--contain: the standard input is a ${kind}`)
    }
    fs.closeSync(directory)
    socket.destroy()

    const forbidden = ["--unshare-user", "--disable-userns"]
    const refused = await within(forbidden, command)
    assert.deepStrictEqual([refused.code, refused.stdout], [2, ""])
    assert.match(refused.stderr, /--contain: bwrap cannot create the namespaces \(.*\)\. /)
    const doctor = await within(forbidden, ["doctor", "--contain", "--json"])
    assert.strictEqual(doctor.code, 1)
    assert.include(JSON.parse(doctor.stdout), { status: "failed", opens_low_ports: false })
  })

  it("is previewed by doctor --contain, with its writable and its hidden paths", async () => {
    const { code, stdout } = await sandbox.credsvc(["doctor", "--contain", "--json"], {
      cwd: sandbox.work,
      env: sandbox.env
    })
    const report = JSON.parse(stdout)
    assert.strictEqual(code, 0)
    assert.deepInclude(report, { status: "ok", problem: null, opens_low_ports: true })
    assert.include(report.writable, sandbox.work)
    assert.includeMembers(report.hidden, [sandbox.home, path.join(sandbox.person, ".ssh")])
  })

  it("shows no control characters in the paths that doctor --contain lists, such as the sockets of other users", async () => {
    const file = path.join(sandbox.person, "socket\u001b]0;title\u0007")
    const server = net.createServer().listen(file)
    await once(server, "listening")
    const { stdout } = await sandbox.credsvc(["doctor", "--contain"], { cwd: sandbox.work, env: sandbox.env })
    server.close()
    assert.include(stdout, `${path.join(sandbox.person, "socket]0;title")}\n`)
  })

  it("refuses options of contained runs without --contain, and --allow-port with the daemon's port", async () => {
    const run = (flags: ReadonlyArray<string>) =>
      sandbox.credsvc(["run", ...flags, "--", "true"], { cwd: sandbox.work, env: sandbox.env })
    for (const flags of [["--write", "."], ["--hide", "."], ["--allow-port", "5432"]]) {
      const { code, stderr } = await run(flags)
      assert.strictEqual(code, 2)
      assert.include(stderr, `${flags[0]}: requires --contain`)
    }
    const { url } = JSON.parse((await sandbox.credsvc(["daemon", "status"])).stdout) as { url: string }
    const { stderr } = await run(["--contain", "--allow-port", new URL(url).port])
    assert.include(stderr, "is the port of the daemon")
    assert.include((await run(["--contain", "--no-contain"])).stderr, "cannot be combined with --contain")
  })

  it("allows the command to use a service of another contained run through a socket that --write names", async () => {
    const service = sandbox.spawn(
      [
        "run",
        "--contain",
        "--quiet",
        "--provider",
        "demo",
        "--",
        "python3",
        "-c",
        "import os, socket, subprocess\n" +
        "server = socket.socket(socket.AF_UNIX); server.bind('service.sock'); server.listen(); print('ready', flush=True)\n" +
        `server.accept()[0].sendall(subprocess.check_output(['curl', '-sS', '${url}']))`
      ],
      { cwd: sandbox.work, env: sandbox.env }
    )
    const ended = once(service, "exit")
    await once(service.stdout!, "data")
    const ask = "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"service.sock\"); " +
      "print(s.recv(4096).decode())'"
    const refused = await sandbox.contained(ask)
    assert.match(refused.stderr, /ConnectionRefusedError|PermissionError/)
    const { stderr, stdout } = await sandbox.contained(ask, ["--write", "service.sock"])
    assert.include(stdout, "\"hello\":\"Ada\"", stderr)
    await ended
    fs.rmSync(path.join(sandbox.work, "service.sock"))
  })

  // Killed runs whose remnants are counted. CI kills few, because each takes a second.
  const kills = Number(process.env["CREDSVC_TEST_KILLS"] ?? 8)

  /** Processes that belong to a run in the sandbox: by their arguments, working directory or environment. */
  const processesOfRuns = (): ReadonlyArray<string> => {
    const read = (file: () => string): string => {
      try {
        return file()
      } catch {
        return ""
      }
    }
    return fs.readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid).flatMap((pid) => {
      const texts = [
        read(() => fs.readlinkSync(`/proc/${pid}/cwd`)),
        read(() => fs.readFileSync(`/proc/${pid}/environ`, "latin1")),
        read(() => fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " "))
      ]
      const [, , command = ""] = texts
      const isOfRun = texts.some((text) => text.includes(sandbox.directory))
      return isOfRun && !command.includes("daemon serve") ? [`${pid} ${command}`] : []
    })
  }

  it("leaves nothing behind when runs are killed: no process, namespace, socket or file", async () => {
    const sockets = () =>
      fs.readFileSync("/proc/net/unix", "latin1").split("\n").filter((line) => line.includes(sandbox.directory))
        .map((line) => line.split(" ").at(-1)).toSorted()
    const before = { files: fs.readdirSync(sandbox.work), sockets: sockets() }
    for (let round = 0; round < kills; round++) {
      const child = sandbox.spawn(["run", "--contain", "--quiet", "--", "sh", "-c", "echo ready; exec sleep 1000"], {
        cwd: sandbox.work,
        env: sandbox.env
      })
      const ended = once(child, "exit")
      if (round % 4 === 0) await once(child.stdout!, "data")
      else await new Promise((resolve) => setTimeout(resolve, random() * 800))
      child.kill("SIGKILL")
      await ended
    }
    // The next run cleans up after those that were killed.
    const { code } = await sandbox.contained("true")
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(fs.readdirSync(sandbox.work), before.files)
    assert.deepStrictEqual(fs.readdirSync(path.join(sandbox.home, "runs")), [])
    assert.deepStrictEqual(sockets(), before.sockets)
    // Namespaces exist as long as a process in them.
    for (let tries = 0; processesOfRuns().length > 0 && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.deepStrictEqual(processesOfRuns(), [])
  }, 20_000 + kills * 10_000)
})
