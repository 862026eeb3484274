/**
 * The paths that a contained run hides: credential stores, sockets of agents and daemons, and private directories of other programs.
 *
 * The lists below are documented in docs/contained-runs.md. Users add to them with `--hide` and `run.hide` in `config.json`.
 */
import * as fs from "node:fs"
import * as path from "node:path"

/** Hidden paths relative to the home directory. */
export const hiddenInHome: ReadonlyArray<string> = [
  // Keys and agents.
  ".ssh",
  ".gnupg",
  ".pki",
  ".password-store",
  ".local/share/keyrings",
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
  ".huggingface",
  // git and databases.
  ".git-credentials",
  ".pgpass",
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

/** Hidden paths relative to `$XDG_CONFIG_HOME`. */
export const hiddenInConfig: ReadonlyArray<string> = [
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
  "discord",
  "doctl",
  "gcloud",
  "gh/hosts.yml",
  "git/credentials",
  "glab-cli",
  "google-chrome",
  "google-chrome-beta",
  "google-chrome-unstable",
  "hcloud",
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
export const hiddenInSystem: ReadonlyArray<string> = [
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

/** Variables that name a credential file or a socket. */
const namingVariables = [
  "SSH_AUTH_SOCK",
  "GNUPGHOME",
  "DOCKER_CONFIG",
  "KUBECONFIG",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_CONFIG_FILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CLOUDSDK_CONFIG",
  "AZURE_CONFIG_DIR",
  "NETRC",
  "NPM_CONFIG_USERCONFIG",
  "PASSWORD_STORE_DIR",
  "PGPASSFILE",
  "XDG_RUNTIME_DIR",
  "XAUTHORITY"
]

export type Variables = Readonly<Record<string, string | undefined>>

/** The paths of the lists and of the environment, which may not exist. */
export const candidates = (
  homes: ReadonlyArray<string>,
  credsvcHome: string,
  variables: Variables
): ReadonlyArray<string> => {
  const configs = [variables["XDG_CONFIG_HOME"] ?? "", ...homes.map((home) => path.join(home, ".config"))]
  const named = namingVariables.flatMap((name) => (variables[name] ?? "").split(path.delimiter))
  return [
    credsvcHome,
    ...homes.flatMap((home) => [".credsvc", ...hiddenInHome].map((name) => path.join(home, name))),
    ...configs.flatMap((config) => hiddenInConfig.map((name) => path.join(config, name))),
    ...hiddenInSystem,
    ...named
  ].filter((name) => path.isAbsolute(name))
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

/** The other paths at which the same file is mounted, as with a bind mount of a parent directory. */
export const aliasesOf = (file: string, mounts: ReadonlyArray<MountedTree>): ReadonlyArray<string> => {
  const holder = mounts.findLast(({ target }) =>
    isWithin(target, file) &&
    !mounts.some((other) => other.target.length > target.length && isWithin(other.target, file))
  )
  if (holder === undefined) return []
  const inside = path.join(holder.root, path.relative(holder.target, file))
  return mounts
    .filter(({ device, root, target }) =>
      device === holder.device && isWithin(root, inside) && target !== holder.target
    )
    .map(({ root, target }) => path.join(target, path.relative(root, inside)))
    .filter((alias) => alias !== file)
}

/** A line of `/proc/net/unix`. */
interface UnixSocket {
  readonly inode: string
  /** The path as given to bind(2), which may be relative. */
  readonly name: string
}

/** The named unix sockets in `/proc/net/unix`. Abstract ones are isolated by the network namespace. */
export const parseUnixSockets = (text: string): ReadonlyArray<UnixSocket> =>
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

/** The paths of sockets with relative names, if their processes are still in the directory in which they have bound them. */
const resolved = (sockets: ReadonlyArray<UnixSocket>): ReadonlyArray<string> => {
  if (sockets.length === 0) return []
  const names = new Map(sockets.map(({ inode, name }) => [`socket:[${inode}]`, name]))
  return namesIn("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) =>
    namesIn(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const name = names.get(linkOf(`/proc/${pid}/fd/${descriptor}`))
      const directory = linkOf(`/proc/${pid}/cwd`)
      return name === undefined || directory === "" ? [] : [path.resolve(directory, name)]
    })
  )
}

export const unixSockets = (): ReadonlyArray<string> => {
  const sockets = parseUnixSockets(readText("/proc/net/unix"))
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
