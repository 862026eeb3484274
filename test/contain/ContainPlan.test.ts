import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { assert, beforeEach, describe, it, onTestFinished } from "vitest"
import { ContainError, type ContainRequest, hiddenWords, planOf, planOptions } from "../../src/contain/ContainPlan.ts"
import { containTools } from "../../src/contain/ContainSupport.ts"
import { effective, ordered } from "../../src/contain/Mounts.ts"
import { reachable } from "../../src/contain/ReachableFiles.ts"
import { testDirectory } from "../support/TestDirectories.ts"

let root: string
const at = (...names: ReadonlyArray<string>): string => path.join(root, ...names)
const write = (file: string, text = ""): string => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
  return file
}

beforeEach(() => {
  root = testDirectory()
  for (const name of ["person/.ssh", "project", "credsvc", "run", "other"]) fs.mkdirSync(at(name), { recursive: true })
})

const plan = (changes: Partial<ContainRequest> = {}) =>
  planOf({
    directory: at("project"),
    homes: [at("person")],
    credsvcHome: at("credsvc"),
    runDirectory: at("run"),
    program: at("program"),
    programs: [],
    libraries: [],
    replaced: [],
    writableInRun: [],
    own: [],
    write: [],
    hide: [],
    writeIfPresent: [],
    hideIfPresent: [],
    rules: [],
    logins: [],
    variables: {},
    reachable: (files) => files,
    ...changes
  })

const kindOf = (file: string, changes?: Partial<ContainRequest>) => effective(plan(changes).mounts, file)?.kind

const refusal = (changes: Partial<ContainRequest>): string => {
  try {
    plan(changes)
  } catch (error) {
    if (error instanceof ContainError) return `${error.option}: ${error.message}`
    throw error
  }
  throw new Error("the plan was accepted")
}

describe.runIf(process.platform === "linux")("planOf", () => {
  it("makes the working directory writable and the rest of the machine read-only", () => {
    assert.strictEqual(kindOf(at("project/file")), "writable")
    assert.strictEqual(kindOf(at("run/bundle.pem")), "read-only")
    assert.isUndefined(kindOf("/usr/bin/env"))
  })

  it("hides credential stores, the home of credsvc, and files that variables name", () => {
    write(at("person/.netrc"), "machine example.com")
    const stores = [["gcloud", "credentials.db"], ["mozilla", "firefox", "cookies.sqlite"]]
      .map((names) => write(at("person", ".config", ...names)))
    for (const name of [".supabase/access-token", ".config/neonctl/credentials.json"]) write(at("person", name))
    write(at("elsewhere/key.json"))
    const variables = { GOOGLE_APPLICATION_CREDENTIALS: at("elsewhere/key.json") }
    assert.strictEqual(kindOf(at("person/.ssh/id"), { variables }), "hidden-directory")
    for (const name of [".netrc", ".supabase/access-token", ".config/neonctl/credentials.json"]) {
      assert.strictEqual(kindOf(at("person", name), { variables }), "hidden-file", name)
    }
    for (const store of stores) assert.strictEqual(kindOf(store, { variables }), "hidden-directory", store)
    assert.strictEqual(kindOf(at("credsvc/server/master.key"), { variables }), "hidden-directory")
    assert.strictEqual(kindOf(at("elsewhere/key.json"), { variables }), "hidden-file")
  })

  it("makes the rules file of the run read-only, because it may limit the next run", () => {
    const file = write(at("project/a/b/rules.json"))
    const kinds = (rules: string, changes?: Partial<ContainRequest>) =>
      [file, at("project/a/b"), at("project/a"), at("project")]
        .map((each) =>
          ordered(plan({ rules: [["--rules", rules]], ...changes }).mounts).find(({ target }) => target === each)?.kind
        )
    const kept = ["read-only", "writable", "writable", "writable"] as const
    assert.deepStrictEqual(kinds("a/b/rules.json"), [...kept])
    assert.deepStrictEqual(kinds(file), [...kept])
    assert.deepStrictEqual(kinds(file, { write: [file] })[0], "writable")
    assert.deepStrictEqual(kinds(file, { variables: { KUBECONFIG: at("project/a") } }).slice(0, 3), [
      undefined,
      undefined,
      "hidden-directory"
    ])
    const other = write(at("other/rules.json"))
    assert.deepStrictEqual(kinds(other), [undefined, undefined, undefined, "writable"])
    assert.isUndefined(kindOf(at("other/file"), { rules: [["--rules", other]], write: [other] }))
    fs.symlinkSync("b", at("project/a/link"))
    assert.include(
      refusal({ rules: [["--record", "a/link/rules.json"]] }),
      `--record: ${at("project/a/link/rules.json")} is reached`
    )
    fs.symlinkSync(at("other/rules.json"), at("project/rules.json"))
    assert.include(refusal({ rules: [["--rules", "rules.json"]] }), `name ${at("other/rules.json")}`)
    fs.symlinkSync(at("other"), at("person/link"))
    assert.include(kinds(at("person/link/rules.json")), "writable")
    // A recording is written there at the end of the run.
    assert.deepStrictEqual(kinds("a/b/missing.json"), [undefined, "writable", "writable", "writable"])
    assert.include(refusal({ rules: [["--record", "a/link/missing.json"]] }), `name ${at("project/a/b/missing.json")}`)
    assert.include(kinds("missing/missing.json"), "writable")
  })

  it("makes credsvc itself read-only", () => {
    const program = path.dirname(write(at("project/node_modules/credsvc/dist/main.js")))
    const kinds = (...names: ReadonlyArray<string>) => kindOf(at("project", "node_modules", ...names), { program })
    assert.strictEqual(kinds("credsvc", "dist", "main.js"), "read-only")
    assert.strictEqual(kinds("credsvc", "other.js"), "writable")
    const { mounts } = plan({ program })
    for (const kept of ["node_modules", "node_modules/credsvc"]) {
      assert.include(mounts.map(({ target }) => target), at("project", kept))
    }
  })

  it("makes the libraries of credsvc read-only, and no other library can precede them", () => {
    const inPackage = (...names: ReadonlyArray<string>) => at("project", "node_modules", "credsvc", ...names)
    const program = path.dirname(write(inPackage("dist", "main.js")))
    const library = write(at("project/node_modules/@scope/library/index.js"))
    const libraries = [
      inPackage("dist", "node_modules"),
      inPackage("node_modules"),
      at("project/node_modules/@scope")
    ]
    const { mountPoints, mounts } = plan({ libraries, program })
    assert.strictEqual(effective(mounts, library)?.kind, "read-only")
    assert.strictEqual(effective(mounts, inPackage("node_modules", "@scope"))?.kind, "hidden-directory")
    assert.deepStrictEqual(mountPoints.map((point) => path.relative(inPackage(), point.path)), [
      "node_modules",
      "../../.git"
    ])
  })

  it("prevents the command from creating the directories of a missing library", () => {
    // Another run has created it, and removes it when it ends, unless this run uses it, too.
    fs.mkdirSync(at("project/shared"))
    const libraries = [at("project/cache/compiled/code"), "other/", at("project/shared")]
    const { mountPoints, mounts } = plan({ libraries })
    for (const missing of ["cache", "other", "shared"]) {
      assert.strictEqual(effective(mounts, at("project", missing))?.kind, "hidden-directory")
      assert.include(mountPoints.map((point) => point.path), at("project", missing))
    }
  })

  const moved: ReadonlyArray<readonly [variable: string, directory: string, file: string]> = [
    ["XDG_CONFIG_HOME", "config", "config/rclone/rclone.conf"],
    ["XDG_DATA_HOME", "data", "data/keyrings/login.keyring"],
    ["XDG_CACHE_HOME", "cache", "cache/huggingface/token"],
    ["CARGO_HOME", "cargo", "cargo/credentials.toml"],
    ["GNUPGHOME", "gnupg", "gnupg/trustdb.gpg"],
    ["GH_CONFIG_DIR", "gh", "gh/hosts.yml"],
    ["CLAUDE_CONFIG_DIR", "claude", "claude/.credentials.json"],
    ["COPILOT_HOME", "copilot", "copilot/config.json"],
    ["CURSOR_CONFIG_DIR", "cursor", "cursor/auth.json"],
    ["GEMINI_CLI_HOME", "gemini", "gemini/.gemini/oauth_creds.json"],
    ["QWEN_HOME", "qwen", "qwen/oauth_creds.json"],
    ["KAGGLE_CONFIG_DIR", "kaggle", "kaggle/kaggle.json"],
    ["ANSIBLE_VAULT_PASSWORD_FILE", "password", "password"],
    ["CREDSVC_ID_TOKEN_FILE", "token", "token"],
    ["RCLONE_CONFIG", "my.conf", "my.conf"],
    ["npm_config_userconfig", "npmrc", "npmrc"],
    ["NPM_CONFIG_USERCONFIG", "npmrc", "npmrc"]
  ]
  for (const [variable, directory, file] of moved) {
    it(`hides files that ${variable} moves out of the home directory`, () => {
      const store = write(at("moved", ...file.split("/")))
      assert.isUndefined(kindOf(store))
      assert.match(String(kindOf(store, { variables: { [variable]: at("moved", directory) } })), /^hidden-/)
    })
  }

  it("hides files that a variable names in a list, by a relative path or with ~", () => {
    write(at("project/cluster.yaml"))
    write(at("person/other.yaml"))
    const variables = { KUBECONFIG: "cluster.yaml:~/other.yaml:missing.yaml" }
    assert.strictEqual(kindOf(at("project/cluster.yaml"), { variables }), "hidden-file")
    assert.strictEqual(kindOf(at("person/other.yaml"), { variables }), "hidden-file")
  })

  it("hides the file with the master key, even behind a link, and the credentials of a systemd unit", () => {
    write(at("volume/..data/key"))
    fs.symlinkSync(path.join("..data", "key"), at("volume/key"))
    write(at("credentials/key"))
    const variables = { CREDSVC_MASTER_KEY_FILE: at("volume/key"), CREDENTIALS_DIRECTORY: at("credentials") }
    assert.strictEqual(kindOf(at("volume/..data/key"), { variables }), "hidden-file")
    assert.strictEqual(kindOf(at("credentials/key"), { variables }), "hidden-directory")
  })

  it("does not hide a device that a variable names", () => {
    const variables = { KUBECONFIG: "/dev/null", NPM_CONFIG_USERCONFIG: "/dev/null" }
    assert.isUndefined(kindOf("/dev/null", { variables }))
  })

  const keys: ReadonlyArray<readonly [content: string, hidden: boolean, what: string]> = [
    [`{"primaryApiKey": "sk-ant-1"}`, true, "with a key of its own"],
    [`{"mcpServers": {"a": {"env": {"TOKEN": "t"}}}}`, true, "with a variable of an MCP server"],
    [`{"mcpServers": {"a": {"headers":{"Authorization": "Bearer t"}}}}`, true, "with a header field of an MCP server"],
    [`{"numStartups": 3, "mcpServers": {"a": {"env": {}}}}`, false, "without a key"]
  ]
  for (const [content, isHidden, what] of keys) {
    it(`${isHidden ? "hides" : "shows"} settings of Claude Code ${what}`, () => {
      const variables = { CLAUDE_CONFIG_DIR: at("moved") }
      for (const directory of ["person", "person/.claude", "moved"]) {
        const kind = kindOf(write(at(...directory.split("/"), ".claude.json"), content), { variables })
        assert.strictEqual(kind, isHidden ? "hidden-file" : undefined, directory)
      }
    })
  }

  it("hides the logins of agents and command lines, but not their other files", () => {
    for (
      const login of [
        ".augment/session.json",
        ".codex/auth.json",
        ".config/cursor/auth.json",
        ".config/io.datasette.llm/keys.json",
        ".copilot/config.json",
        ".local/share/opencode/mcp-auth.json",
        ".qwen/oauth_creds.json",
        ".slack/credentials.json"
      ]
    ) assert.strictEqual(kindOf(write(at("person", ...login.split("/")))), "hidden-file", login)
    write(at("person/.claude/.credentials.json"))
    const changes = { write: [at("person/.claude")] }
    assert.strictEqual(kindOf(at("person/.claude/.credentials.json"), changes), "hidden-file")
    assert.strictEqual(kindOf(at("person/.claude/settings.json"), changes), "writable")
  })

  it("hides the target of a link to a credential store", () => {
    fs.rmdirSync(at("person/.ssh"))
    write(at("data/ssh/id"))
    fs.symlinkSync(at("data/ssh"), at("person/.ssh"))
    assert.strictEqual(kindOf(at("data/ssh/id")), "hidden-directory")
  })

  it("refuses a link to a hidden file that the command could replace, unless --hide names the file", () => {
    write(at("project/cluster.yaml"))
    write(at("data/cluster.yaml"))
    fs.symlinkSync("cluster.yaml", at("project/inside"))
    fs.symlinkSync(at("data"), at("project/directory"))
    fs.symlinkSync(at("project/directory"), at("person/above"))
    const rows = [
      ["inside", "inside", at("project/cluster.yaml")],
      ["directory/cluster.yaml", "directory", at("data/cluster.yaml")],
      ["~/above/cluster.yaml", "directory", at("data/cluster.yaml")]
    ] as const
    for (const [name, link, file] of rows) {
      const variables = { KUBECONFIG: name }
      const reason = `${
        at("project", link)
      } is a symbolic link, which the command could replace to make ${file} visible`
      assert.isTrue(refusal({ variables }).startsWith(`--contain: ${reason}`), refusal({ variables }))
      assert.strictEqual(kindOf(file, { variables, hide: [file] }), "hidden-file")
      assert.match(refusal({ hide: [name] }), /^--hide: .* is reached by a symbolic link/)
    }
    // Another name leads to the same file.
    const variables = { KUBECONFIG: `inside:${at("project/cluster.yaml")}` }
    assert.strictEqual(kindOf(at("project/cluster.yaml"), { variables }), "hidden-file")
    fs.symlinkSync(at("project"), at("person/link"))
    assert.strictEqual(
      kindOf(at("project/cluster.yaml"), { variables: { KUBECONFIG: "~/link/cluster.yaml" } }),
      "hidden-file"
    )
  })

  it("hides sockets wherever they are, unless --write names one", async () => {
    fs.mkdirSync(at("project/sub"))
    const file = at("project/sub/an agent.sock")
    // As ssh does, so that the socket is complete when it appears.
    const server = net.createServer().listen(`${file}.new`)
    // It has no file, and the network namespace of the run hides it.
    const abstract = net.createServer().listen(`\0${at("project/abstract.sock")}`)
    await Promise.all([once(server, "listening"), once(abstract, "listening")])
    fs.renameSync(`${file}.new`, file)
    try {
      assert.strictEqual(kindOf(file), "hidden-file")
      assert.strictEqual(kindOf(at("project/abstract.sock")), "writable")
      assert.strictEqual(kindOf(file, { write: [file] }), "writable")
    } finally {
      server.close()
      abstract.close()
    }
  })

  it("hides sockets that a program has bound by a relative path", async () => {
    fs.mkdirSync(at("project/sub"))
    const listening = "net.createServer().listen('sub/relative.sock', () => console.log('ready'))"
    const child = spawn(process.execPath, ["-e", listening], {
      cwd: at("project"),
      stdio: ["ignore", "pipe", "inherit"]
    })
    onTestFinished(() => void child.kill())
    await once(child.stdout, "data")
    assert.strictEqual(kindOf(at("project/sub/relative.sock")), "hidden-file")
  })

  it.runIf(process.getuid?.() === 0)("hides other users' sockets that a command run by root could reach", async () => {
    const sockets: Array<net.Server> = []
    const listen = async (name: string, uid: number, mode: number): Promise<string> => {
      fs.mkdirSync(at("project", name))
      const file = at("project", name, "x.sock")
      const server = net.createServer().listen(file)
      sockets.push(server)
      await once(server, "listening")
      fs.chownSync(at("project", name), uid, uid)
      fs.chmodSync(at("project", name), mode)
      return file
    }
    try {
      const files = {
        open: await listen("open", 65534, 0o711),
        closed: await listen("closed", 65534, 0o700),
        mine: await listen("mine", 0, 0o700),
        // The command could change the mode.
        sealed: await listen("sealed", 0, 0)
      }
      const all = Object.values(files)
      assert.deepStrictEqual(reachable(containTools(), all), [files.open, files.mine, files.sealed])
      assert.strictEqual(
        kindOf(files.closed, { reachable: (found) => found.filter((file) => file !== files.closed) }),
        "writable"
      )
      assert.strictEqual(kindOf(files.closed), "hidden-file")
    } finally {
      for (const server of sockets) server.close()
    }
  })

  it("keeps hidden paths inside a --write directory hidden, and hides paths of --hide even in the working directory", () => {
    write(at("person/conf/x"))
    write(at("project/secret/x"))
    write(at("other/secret"))
    fs.mkdirSync(at("person/.aws"))
    assert.strictEqual(kindOf(at("person/conf/x"), { write: [at("person/conf")] }), "writable")
    assert.strictEqual(kindOf(at("person/.aws/x"), { write: [at("person/conf")] }), "hidden-directory")
    assert.strictEqual(kindOf(at("person/.aws/x"), { write: [at("person/.aws")] }), "writable")
    assert.strictEqual(kindOf(at("project/secret/x"), { hide: ["secret"] }), "hidden-directory")
    assert.strictEqual(kindOf(at("other/secret"), { write: [at("other")], hide: [at("other/secret")] }), "hidden-file")
  })

  it("expands ~ and ignores missing paths of the configuration, but not of the command line", () => {
    fs.mkdirSync(at("person/.npm"))
    assert.strictEqual(kindOf(at("person/.npm/x"), { writeIfPresent: ["~/.npm", "~/missing"] }), "writable")
    assert.strictEqual(refusal({ write: ["missing"] }), "--write: missing does not exist")
    assert.strictEqual(refusal({ hide: ["missing"] }), "--hide: missing does not exist")
  })

  it("keeps programs in hidden directories executable", () => {
    const program = write(at("person/.ssh/bin/node"))
    assert.strictEqual(kindOf(program, { programs: [program] }), "read-only")
    assert.strictEqual(kindOf(at("person/.ssh/bin/key"), { programs: [program] }), "hidden-directory")
  })

  it("refuses a working directory that is or contains the home directory or the home of credsvc", () => {
    for (const directory of [at("person"), root, "/"]) {
      assert.match(refusal({ directory }), /^--contain: the working directory .* contains /)
    }
    const nothing = { credsvcHome: "/nonexistent", homes: [] }
    for (const directory of ["/proc", "/proc/self", "/proc/sys/kernel", "/sys", "/sys/class", "/dev", "/dev/shm"]) {
      assert.match(
        refusal({ directory, ...nothing }),
        /^--contain: the working directory .* is a directory of the system/
      )
      assert.match(refusal({ write: [directory], ...nothing }), /^--write: .* is a directory of the system/)
    }
    assert.match(refusal({ directory: at("credsvc") }), /is part of the home of credsvc/)
    fs.symlinkSync(at("person"), at("link"))
    assert.match(refusal({ directory: at("link"), credsvcHome: "/nonexistent" }), /contains your home directory/)
  })

  it("refuses a home of credsvc that is or contains the home directory, because the run could not hide it", () => {
    for (const credsvcHome of [at("person"), at("data")]) {
      const homes = [at("data/person"), at("person")]
      fs.mkdirSync(at("data/person"), { recursive: true })
      assert.match(
        refusal({ credsvcHome, homes }),
        /^--contain: the home of credsvc .* must not contain your home directory: move CREDSVC_HOME/
      )
    }
  })

  it("refuses a working directory in a credential store", () => {
    assert.include(refusal({ directory: at("person/.ssh") }), `is in ${at("person/.ssh")}, which contained runs hide`)
  })

  it("refuses to make the home directories or system directories writable", () => {
    assert.match(refusal({ write: [at("person")] }), /^--write: .* contains your home directory/)
    assert.match(refusal({ write: [at("credsvc")] }), /^--write: .* is part of the home of credsvc/)
    assert.match(refusal({ write: [root], homes: ["/nonexistent"] }), /^--write: .* contains the home of credsvc/)
    assert.match(refusal({ write: ["/tmp"], credsvcHome: "/nonexistent", homes: [] }), /directory of the system/)
  })
})

describe.runIf(process.platform === "linux")("planOf for a git repository", () => {
  const repository = (directory: string): void => {
    for (const name of ["objects", "refs", "hooks"]) fs.mkdirSync(path.join(directory, name), { recursive: true })
    write(path.join(directory, "HEAD"), "ref: refs/heads/main\n")
    write(path.join(directory, "config"))
  }

  it("protects hooks and configuration, and leaves the rest writable", () => {
    repository(at("project/.git"))
    assert.strictEqual(kindOf(at("project/.git/hooks/pre-commit")), "read-only")
    assert.strictEqual(kindOf(at("project/.git/config")), "read-only")
    assert.strictEqual(kindOf(at("project/.git/index")), "writable")
    // A mount point, which cannot be renamed.
    assert.strictEqual(effective(plan().mounts, at("project/.git"))?.target, at("project/.git"))
    assert.strictEqual(kindOf(at("project/.git/hooks/x"), { write: [at("project/.git/hooks")] }), "writable")
  })

  it("protects hooks and repositories that do not exist yet", () => {
    repository(at("project/.git"))
    fs.rmdirSync(at("project/.git/hooks"))
    assert.deepStrictEqual(plan().mountPoints, [
      { path: at("project/.git/commondir"), content: ".\n" },
      { path: at("project/.git/config.worktree"), content: "" },
      { path: at("project/.git/hooks") }
    ])
    for (const name of ["commondir", "config.worktree", "hooks/x"]) {
      assert.strictEqual(kindOf(at("project", ".git", name)), "read-only", name)
    }
    fs.rmSync(at("project/.git"), { recursive: true })
    assert.deepStrictEqual(plan().mountPoints, [{ path: at("project/.git") }])
    // As the mount point of another run.
    fs.mkdirSync(at("project/.git"))
    assert.strictEqual(kindOf(at("project/.git/hooks/x")), "hidden-directory")
    fs.rmdirSync(at("project/.git"))
    assert.strictEqual(kindOf(at("project/.git/hooks/x")), "hidden-directory")
    assert.deepStrictEqual(plan({ write: [".git"] }).mountPoints, [])
    assert.strictEqual(kindOf(at("project/.git/hooks/x"), { write: [".git"] }), "writable")
  })

  it("resolves paths from config.json to absolute mounts", () => {
    for (const flag of ["write", "hide"] as const) {
      const fromSettings = { [`${flag}IfPresent`]: [".git", "~/absent/.git", "absent"] }
      const targets = plan(fromSettings).mounts.map(({ target }) => target)
      assert.deepStrictEqual(targets.filter((target) => !path.isAbsolute(target)), [])
      assert.notInclude(planOptions(plan(fromSettings), 4), ".git")
    }
    assert.deepStrictEqual(plan({ writeIfPresent: [".git"] }).mountPoints, [])
    assert.strictEqual(kindOf(at("project/.git/hooks/x"), { writeIfPresent: [".git"] }), "writable")
    assert.deepStrictEqual(plan({ hideIfPresent: [".git"] }).mountPoints, [{ path: at("project/.git") }])
    repository(at("project/.git"))
    assert.strictEqual(kindOf(at("project/.git/config"), { hideIfPresent: [".git"] }), "hidden-directory")
  })

  it("reports the words of the command that name files hidden from it", () => {
    write(at("person/.ssh/id"))
    write(at("project/.env"))
    const made = plan({ hide: [".env"] })
    const hidden = (...command: ReadonlyArray<string>) =>
      hiddenWords(made, command).map((notice) => /does not see (.*), because (.*);/.exec(notice)?.slice(1))
    const ssh = at("person/.ssh")
    assert.deepStrictEqual(hidden("cat", path.join(ssh, "id"), `../person/.ssh`), [
      [path.join(ssh, "id"), `contained runs hide ${ssh}`],
      ["../person/.ssh", `contained runs hide ${ssh}`]
    ])
    assert.deepStrictEqual(hidden("curl", `--data=@${ssh}/id`, "-d", `@.env`), [
      [`${ssh}/id`, `contained runs hide ${ssh}`],
      [".env", `contained runs hide ${at("project/.env")}`]
    ])
    fs.writeFileSync(path.join("/tmp", path.basename(root)), "")
    const temporary = path.join("/tmp", path.basename(root))
    onTestFinished(() => fs.rmSync(temporary))
    assert.deepStrictEqual(hidden("node", temporary), [[temporary, "a contained run has a /tmp of its own"]])
    assert.deepStrictEqual(hidden("node", "/tmp/absent.js", "/etc/passwd", ".", "", at("project"), "-e", "1/2"), [])
  })

  it("protects nested repositories, submodules and linked worktrees", () => {
    repository(at("project/.git"))
    repository(at("project/.git/modules/a/b"))
    write(at("project/.git/worktrees/w/config.worktree"))
    repository(at("project/.git/worktrees/w/modules/c"))
    repository(at("project/nested/deeper/.git"))
    write(at("project/sub/.git"), "gitdir: ../.git/modules/a/b\n")
    const deep = "node_modules/1/2/3/4"
    write(at("project/.git/modules/a/b/config"), `[core]\n\tworktree = ../../../../${deep}\n`)
    write(at("project", deep, ".git"), "gitdir: ../../../../../.git/modules/a/b\n")
    // As many directories as a command may create to hide a repository from the search.
    for (let number = 0; number < 3000; number++) fs.mkdirSync(at("project", `${number}`))
    repository(at("project/vendor/.git"))
    const cases = [
      [".git", "modules", "a", "b", "hooks", "x"],
      [".git", "modules", "a", "b", "config"],
      [".git", "modules", "a", "b", "commondir"],
      [".git", "worktrees", "w", "config.worktree"],
      [".git", "worktrees", "w", "commondir"],
      [".git", "worktrees", "w", "modules", "c", "config"],
      ["node_modules", "1", "2", "3", "4", ".git"],
      ["vendor", ".git", "config"],
      ["nested", "deeper", ".git", "hooks", "x"],
      ["nested", "deeper", ".git", "config"],
      ["sub", ".git"]
    ]
    const { mounts } = plan()
    for (const file of cases) {
      assert.strictEqual(effective(mounts, at("project", ...file))?.kind, "read-only", file.join("/"))
    }
    // Mount points, which cannot be renamed.
    const kept = ["modules", "modules/a", "modules/a/b", "worktrees", "worktrees/w"].map((name) => `.git/${name}`)
    for (const name of [...kept, "nested", "nested/deeper", "sub", deep]) {
      const directory = at("project", name)
      assert.strictEqual(effective(mounts, directory)?.target, directory)
      assert.strictEqual(effective(mounts, path.join(directory, "file"))?.kind, "writable")
    }
  })

  it("shows no repository in a hidden directory", () => {
    repository(at("project/store/.git"))
    assert.strictEqual(kindOf(at("project/store/.git/config")), "read-only")
    const variables = { PASSWORD_STORE_DIR: at("project/store") }
    assert.strictEqual(kindOf(at("project/store/.git/config"), { variables }), "hidden-directory")
    assert.notInclude(JSON.stringify(plan({ variables }).mountPoints), "store")
  })

  it("does not follow a link in a writable directory to a path of --write or --hide", () => {
    const keys = at("person/.ssh")
    fs.symlinkSync(keys, at("project/cache"))
    fs.symlinkSync(at("person"), at("project/directory"))
    for (const name of ["cache", "directory/.ssh"]) {
      const reason = `${name} is reached by a symbolic link, which the command could replace: name ${keys}`
      for (const changes of [{ write: [name] }, { writeIfPresent: [name] }]) {
        assert.strictEqual(refusal(changes), `--write: ${reason}`)
      }
      assert.strictEqual(refusal({ hide: [name] }), `--hide: ${reason}`)
    }
    fs.symlinkSync(keys, at("project/.git"))
    assert.strictEqual(kindOf(path.join(keys, "id"), { write: [".git"] }), "hidden-directory")
    fs.rmSync(at("project/.git"))
    fs.symlinkSync(at("other"), at("person/link"))
    assert.strictEqual(kindOf(at("other/file"), { write: [at("person/link")] }), "writable")
  })

  const links: ReadonlyArray<readonly [link: string, target: string]> = [
    ["project/.git", "repository"],
    ["project/nested/.git", "repository"],
    ["project/.git/hooks", "directory"],
    ["project/.git/config", "file"],
    ["project/.git/config.worktree", "file"],
    ["project/.git/commondir", "file"],
    ["project/.git/modules", "directory"],
    ["project/.git/modules/a", "repository"],
    ["project/.git/worktrees", "directory"],
    ["project/.git/worktrees/w", "directory"],
    ["project/.git/hooks", "missing"]
  ]
  for (const [link, target] of links) {
    it(`refuses ${link} as a symbolic link to a ${target}, unless --write names .git`, () => {
      repository(at("repository"))
      fs.mkdirSync(at("directory"))
      write(at("file"))
      if (link !== "project/.git") repository(at("project/.git"))
      fs.mkdirSync(path.dirname(at(link)), { recursive: true })
      fs.rmSync(at(link), { recursive: true, force: true })
      fs.symlinkSync(at(target), at(link))
      const git = at(link).replace(/(\/\.git)\/.*$/, "$1")
      const message = refusal({})
      assert.isTrue(message.startsWith(`--contain: ${at(link)} is a symbolic link`), message)
      assert.isTrue(message.endsWith(`accept the risk with --write ${git}`), message)
      const name = path.relative(at("project"), git)
      for (const changes of [{ write: [name] }, { writeIfPresent: [name] }]) {
        assert.strictEqual(kindOf(at("project/file"), changes), "writable")
      }
      assert.match(refusal({ write: [at("project")] }), /is a symbolic link/)
    })
  }

  it("protects a bare repository", () => {
    repository(at("other"))
    assert.strictEqual(kindOf(at("other/hooks/x"), { write: [at("other")] }), "read-only")
    assert.strictEqual(kindOf(at("other/config"), { write: [at("other")] }), "read-only")
  })
})
