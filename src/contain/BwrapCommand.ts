/**
 * The command lines of bwrap(1) that create the namespaces of a contained run.
 *
 * Two bwrap processes are nested. The outer one creates the network namespace and allows every process in it to open ports below
 * 1024. Only the owner of a network namespace may allow that, and the inner one cannot be the owner: for its terminals (devpts),
 * bwrap creates one more user namespace.
 *
 * Between them, mount(8) stops the propagation of mounts. With bwrap alone, a file system that is mounted on this machine during the
 * run, for example by an automounter, would appear in the run, writable and without hiding any path.
 */
import * as fs from "node:fs"

/** The paths of the programs that create the namespaces. */
export interface NamespaceTools {
  readonly bwrap: string
  readonly setpriv: string
  readonly mount: string
}

const OPEN_LOW_PORTS = "{ echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start; } 2>/dev/null"
const STOP_PROPAGATION = "\"$0\" --make-rprivate / && exec \"$@\""

const words = (text: string): ReadonlyArray<string> => text.split(" ")

/** The program and arguments that run `command` in its namespaces. `options`: further options of bwrap, such as mounts. */
export const inNamespaces = (
  { bwrap, mount }: NamespaceTools,
  options: ReadonlyArray<string>,
  command: ReadonlyArray<string>
): readonly [program: string, ...args: ReadonlyArray<string>] => {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const executable = fs.realpathSync(bwrap)
  return [
    bwrap,
    // CAP_SETFCAP allows the inner bwrap to map the user of the outer one, and CAP_SYS_ADMIN is for mount.
    ...words("--unshare-user --uid 0 --gid 0 --cap-drop ALL --cap-add CAP_NET_ADMIN --cap-add CAP_SETFCAP"),
    ...words("--cap-add CAP_SYS_ADMIN --unshare-net --die-with-parent --dev-bind / /"),
    // Process 1 of the inner namespaces executes bwrap. Root in these namespaces could change the mode of bwrap through
    // /proc/1/exe.
    "--ro-bind",
    executable,
    executable,
    ...words("-- /bin/sh -c"),
    `${OPEN_LOW_PORTS}; ${STOP_PROPAGATION}`,
    mount,
    executable,
    // CAP_SETPCAP is for the program that starts the command. The command has none, so it cannot inspect that program.
    ...words(`--unshare-user --uid ${uid} --gid ${gid} --cap-drop ALL --cap-add CAP_SETPCAP`),
    ...words("--unshare-pid --unshare-ipc --unshare-cgroup-try --die-with-parent"),
    ...options,
    "--",
    ...command
  ]
}

/** The program and arguments that run a command without capabilities. */
export const withoutCapabilities = ({ setpriv }: NamespaceTools): ReadonlyArray<string> => [
  setpriv,
  "--bounding-set=-all",
  "--inh-caps=-all",
  "--ambient-caps=-all",
  "--no-new-privs",
  "--"
]
