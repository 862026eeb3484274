/**
 * The paths that a contained run hides: credential stores, sockets of agents and daemons, and private directories of other programs.
 *
 * The lists below are documented in docs/contained-runs.md. Users add to them with `--hide` and `run.hide` in `config.json`.
 */
import * as fs from "node:fs"
import * as path from "node:path"

/** Settings of Claude Code, which are hidden while they contain a key: its own, or one for an MCP server. */
const CLAUDE_SETTINGS = ".claude.json"
const WITH_KEY = /"primaryApiKey"\s*:\s*"|"(?:env|headers)"\s*:\s*\{\s*"/

/** Hidden paths relative to the home directory. */
const hiddenInHome: ReadonlyArray<string> = [
  // Keys and agents.
  ".ssh",
  ".gnupg",
  ".pki",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/pki",
  ".local/share/kwalletd",
  ".1password",
  ".bitwarden-ssh-agent.sock",
  ".keychain",
  ".vault-token",
  ".step",
  ".tsh",
  // Clouds and clusters.
  ".aws",
  ".azure",
  ".boto",
  ".oci",
  ".s3cfg",
  ".kube",
  ".minikube",
  ".fly",
  ".databrickscfg",
  ".snowflake",
  ".wrangler",
  ".terraform.d/credentials.tfrc.json",
  ".pulumi/credentials.json",
  ".local/share/com.vercel.cli",
  // Containers.
  ".docker",
  ".colima",
  ".lima",
  ".local/share/containers",
  // Package registries.
  ".netrc",
  ".authinfo",
  ".authinfo.gpg",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".gem/credentials",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".composer/auth.json",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".nuget/NuGet/NuGet.Config",
  ".cache/huggingface/token",
  ".cache/huggingface/stored_tokens",
  ".huggingface",
  ".bundle/config",
  ".local/share/gem/credentials",
  ".terraformrc",
  // Agents: their own logins, and those of their MCP servers. Runs give them placeholders.
  CLAUDE_SETTINGS,
  `.claude/${CLAUDE_SETTINGS}`, // with CLAUDE_CONFIG_DIR
  ".claude/.credentials.json",
  ".cline/data/secrets.json",
  ".codex/.credentials.json",
  ".codex/auth.json",
  ".copilot/config.json",
  ".factory/auth.encrypted",
  ".factory/auth.json",
  ".factory/auth.v2.file",
  ".factory/auth.v2.key",
  ".gemini/a2a-oauth-tokens.json",
  ".gemini/gemini-credentials.json",
  ".gemini/mcp-oauth-tokens.json",
  ".gemini/oauth_creds.json",
  ".kimi/credentials",
  ".kimi/mcp-oauth",
  ".local/share/amp/secrets.json",
  ".local/share/crush/crush.json",
  ".local/share/opencode/account.json",
  ".local/share/opencode/auth.json",
  ".local/share/opencode/mcp-auth.json",
  ".local/state/credsvc", // the directories of agents in contained runs
  ".mcp-auth",
  ".qwen/mcp-oauth-tokens-v2.json",
  ".qwen/mcp-oauth-tokens.json",
  ".qwen/oauth_creds.json",
  // git and databases.
  ".git-credentials",
  ".pgpass",
  ".pg_service.conf",
  ".my.cnf",
  ".mylogin.cnf",
  // Browsers and messengers.
  ".mozilla",
  ".thunderbird",
  ".var/app",
  "snap",
  ".local/share/TelegramDesktop",
  // Histories of shells, which contain what was typed.
  ".bash_history",
  ".zsh_history",
  ".local/share/fish/fish_history"
]

/** Hidden paths relative to `~/.config`. */
const hiddenInConfig: ReadonlyArray<string> = [
  "1Password",
  "Bitwarden",
  "Bitwarden CLI",
  "BraveSoftware",
  "Code/User/globalStorage",
  "Cursor/User/globalStorage",
  "NuGet/NuGet.Config",
  "Signal",
  "Slack",
  ".wrangler",
  "age",
  "chromium",
  "composer/auth.json",
  "configstore",
  "containers/auth.json",
  "cursor/auth.json",
  "discord",
  "doctl",
  "gcloud",
  "gh/hosts.yml",
  "git/credentials",
  "github-copilot",
  "glab-cli",
  "goose/secrets.yaml",
  "google-chrome",
  "google-chrome-beta",
  "google-chrome-unstable",
  "hcloud",
  "helm/registry",
  "helm/repositories.yaml",
  "heroku",
  "hub",
  "keepassxc",
  "microsoft-edge",
  "netlify",
  "op",
  "opera",
  "rclone",
  "sops",
  "stripe",
  "vivaldi"
]

/** Directories of sockets and temporary files. The run gets private ones. */
export const privateDirectories: ReadonlyArray<string> = ["/tmp", "/var/tmp", "/run", "/var/run"]

/** Hidden absolute paths. Most are readable only by root, who may also start runs. */
const hiddenInSystem: ReadonlyArray<string> = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/kubernetes",
  "/etc/rancher",
  "/etc/ssl/private",
  "/etc/wireguard",
  "/etc/ppp",
  "/etc/NetworkManager/system-connections",
  "/nix/var/nix/daemon-socket",
  "/root",
  "/var/lib/docker",
  "/var/lib/containerd",
  "/var/lib/kubelet",
  "/var/lib/incus",
  "/var/lib/lxd",
  "/var/snap",
  "/var/spool/cron"
]

/** Parts of `/proc` through which root changes the machine. bwrap does not cover all of them. */
export const readOnlyInProc: ReadonlyArray<string> = [
  "/proc/bus",
  "/proc/fs",
  "/proc/irq",
  "/proc/mtrr",
  "/proc/sys",
  "/proc/sysrq-trigger"
]

/** Parts of `/proc` that show the memory, keys and hardware of the machine. */
export const hiddenInProc: ReadonlyArray<string> = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/kcore",
  "/proc/key-users",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats"
]

/** Directories below `/run` that contain programs and libraries (NixOS). */
export const keptInRun: ReadonlyArray<string> = ["/run/current-system", "/run/booted-system", "/run/opengl-driver"]

/** Maps variables to the directory of the home directory that they relocate. Hidden paths below it move with it. */
const relocations: Readonly<Record<string, string>> = {
  AZURE_CONFIG_DIR: ".azure",
  BITWARDENCLI_APPDATA_DIR: ".config/Bitwarden CLI",
  CARGO_HOME: ".cargo",
  CLAUDE_CONFIG_DIR: ".claude",
  CLOUDSDK_CONFIG: ".config/gcloud",
  CODEX_HOME: ".codex",
  COLIMA_HOME: ".colima",
  COMPOSER_HOME: ".composer",
  COPILOT_HOME: ".copilot",
  CURSOR_CONFIG_DIR: ".config/cursor",
  DOCKER_CONFIG: ".docker",
  FLY_CONFIG_DIR: ".fly",
  GH_CONFIG_DIR: ".config/gh",
  GLAB_CONFIG_DIR: ".config/glab-cli",
  GNUPGHOME: ".gnupg",
  GRADLE_USER_HOME: ".gradle",
  HF_HOME: ".cache/huggingface",
  LIMA_HOME: ".lima",
  OP_CONFIG_DIR: ".config/op",
  PASSWORD_STORE_DIR: ".password-store",
  PULUMI_HOME: ".pulumi",
  QWEN_HOME: ".qwen",
  SNOWFLAKE_HOME: ".snowflake",
  STEPPATH: ".step",
  TELEPORT_HOME: ".tsh",
  XDG_CACHE_HOME: ".cache",
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state"
}

/** Where a path of the home directory is with these variables. */
export const relocated = (file: string, home: string, variables: Variables): string => {
  const name = path.relative(home, file)
  const [moved] = Object.entries(relocations)
    .filter(([variable, from]) => isWithin(from, name) && (variables[variable] ?? "") !== "")
    .toSorted(([, one], [, other]) => other.length - one.length)
  return moved === undefined ? file : path.resolve(variables[moved[0]]! + name.slice(moved[1].length))
}

/** Variables that name credential files or sockets, in lists separated by colons. */
const namingVariables: ReadonlySet<string> = new Set([
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AZURE_FEDERATED_TOKEN_FILE",
  "BOTO_CONFIG",
  "BOTO_PATH",
  "BUNDLE_USER_CONFIG",
  "CREDENTIALS_DIRECTORY",
  "CREDSVC_DATABASE_URL_FILE",
  "CREDSVC_MASTER_KEY_FILE",
  "CREDSVC_TLS_KEY_FILE",
  "DATABRICKS_CONFIG_FILE",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "HCLOUD_CONFIG",
  "HELM_REGISTRY_CONFIG",
  "HELM_REPOSITORY_CONFIG",
  "HF_TOKEN_PATH",
  "HISTFILE",
  "KUBECONFIG",
  "MYSQL_TEST_LOGIN_FILE",
  "NETRC",
  "OCI_CLI_CONFIG_FILE",
  "OCI_CLI_KEY_FILE",
  "PGPASSFILE",
  "PGSERVICEFILE",
  "PGSSLKEY",
  "PULUMI_CREDENTIALS_PATH",
  "RCLONE_CONFIG",
  "REGISTRY_AUTH_FILE",
  "SOPS_AGE_KEY_FILE",
  "SSH_AUTH_SOCK",
  "TF_CLI_CONFIG_FILE",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR"
])

/** npm reads its variables in any spelling. */
const isNaming = (name: string): boolean => namingVariables.has(name) || /^npm_config_userconfig$/i.test(name)

export type Variables = Readonly<Record<string, string | undefined>>

/** The paths of the lists and of the environment. They may not exist, and those of variables may be relative. */
export const candidates = (
  homes: ReadonlyArray<string>,
  credsvcHome: string,
  variables: Variables
): ReadonlyArray<string> => {
  const inHome = [...hiddenInHome, ...hiddenInConfig.map((name) => path.join(".config", name))]
  const moved = Object.entries(relocations).flatMap(([variable, from]) => {
    const to = variables[variable] ?? ""
    return to === "" ? [] : inHome.filter((name) => isWithin(from, name)).map((name) => to + name.slice(from.length))
  })
  const named = Object.entries(variables).flatMap(([name, value = ""]) =>
    isNaming(name) ? value.split(path.delimiter).filter((file) => file !== "") : []
  )
  // Gemini CLI has its own home directory in that of the variable.
  const above = [...homes, ...[variables["GEMINI_CLI_HOME"] ?? ""].filter((home) => home !== "")]
  return [
    credsvcHome,
    ...above.flatMap((home) => [".credsvc", ...inHome].map((name) => path.join(home, name))),
    ...hiddenInSystem,
    ...moved,
    ...named
  ].filter((file) => path.basename(file) !== CLAUDE_SETTINGS || WITH_KEY.test(readText(file)))
}

/** One line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)). */
export interface MountedTree {
  readonly device: string
  /** The directory in the file system that is mounted. */
  readonly root: string
  readonly target: string
}

/** Decodes the octal escapes of the kernel, such as `\040`. */
const decoded = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

export const parseMountInfo = (text: string): ReadonlyArray<MountedTree> =>
  text.split("\n").flatMap((line) => {
    const [, , device = "", root = "", target = ""] = line.split(" ")
    return target === "" ? [] : [{ device, root: decoded(root), target: decoded(target) }]
  })

export const isWithin = (directory: string, file: string): boolean =>
  file === directory || file.startsWith(directory.endsWith("/") ? directory : directory + "/")

/** A path that shows the same content as a hidden path, or as one below it. */
export interface Alias {
  readonly file: string
  readonly alias: string
}

/** Other paths of a file or of its content: by bind mounts of a directory above it, of itself, or of a part of it. */
export const aliasesOf = (file: string, mounts: ReadonlyArray<MountedTree>): ReadonlyArray<Alias> => {
  const holder = mounts.findLast(({ target }) =>
    isWithin(target, file) &&
    !mounts.some((other) => other.target.length > target.length && isWithin(other.target, file))
  )
  if (holder === undefined) return []
  const inside = path.join(holder.root, path.relative(holder.target, file))
  return mounts
    .filter(({ device }) => device === holder.device)
    .flatMap(({ root, target }): ReadonlyArray<Alias> => {
      if (isWithin(root, inside)) return [{ file, alias: path.join(target, path.relative(root, inside)) }]
      if (isWithin(inside, root)) return [{ file: path.join(file, path.relative(inside, root)), alias: target }]
      return []
    })
    .filter(({ alias }) => !isWithin(file, alias))
}

/** A line of `/proc/net/unix`. */
interface UnixSocket {
  readonly inode: string
  /** The path as given to bind(2), which may be relative. */
  readonly name: string
}

/** The named unix sockets in `/proc/net/unix`. Abstract ones are isolated by the network namespace. */
const parseUnixSockets = (text: string): ReadonlyArray<UnixSocket> =>
  text.split("\n").flatMap((line) => {
    const [, inode = "", name = ""] = /^(?:\S+ +){6}(\d+) ([^@].*)$/.exec(line) ?? []
    return name === "" ? [] : [{ inode, name }]
  })

const readText = (file: string): string => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

export const mountedTrees = (): ReadonlyArray<MountedTree> => parseMountInfo(readText("/proc/self/mountinfo"))

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(directory)
  } catch {
    // The process has ended, or belongs to another user.
    return []
  }
}

const linkOf = (file: string): string => {
  try {
    return fs.readlinkSync(file)
  } catch {
    return ""
  }
}

const processes = (): ReadonlyArray<string> => namesIn("/proc").filter((name) => /^\d+$/.test(name))

/** The tables of unix sockets of all network namespaces whose processes this one may inspect. */
const socketTables = (): ReadonlyArray<string> => {
  const own = linkOf("/proc/self/ns/net")
  const others = new Map(processes().map((pid) => [linkOf(`/proc/${pid}/ns/net`), pid]))
  for (const covered of ["", own]) others.delete(covered)
  return [readText("/proc/net/unix"), ...[...others.values()].map((pid) => readText(`/proc/${pid}/net/unix`))]
}

/** The paths of sockets with relative names, if their processes are still in the directory in which they have bound them. */
const resolved = (sockets: ReadonlyArray<UnixSocket>): ReadonlyArray<string> => {
  if (sockets.length === 0) return []
  const names = new Map(sockets.map(({ inode, name }) => [`socket:[${inode}]`, name]))
  return processes().flatMap((pid) =>
    namesIn(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const name = names.get(linkOf(`/proc/${pid}/fd/${descriptor}`))
      const directory = linkOf(`/proc/${pid}/cwd`)
      return name === undefined || directory === "" ? [] : [path.resolve(directory, name)]
    })
  )
}

export const unixSockets = (): ReadonlyArray<string> => {
  const sockets = socketTables().flatMap(parseUnixSockets)
  const absolute = sockets.flatMap(({ name }) => path.isAbsolute(name) ? [name] : [])
  const files = [...absolute, ...resolved(sockets.filter(({ name }) => !path.isAbsolute(name)))]
  return [...new Set(files)].filter((file) => {
    try {
      return fs.lstatSync(file).isSocket()
    } catch {
      return false
    }
  })
}
