/** Detects whether this machine can contain runs, and what to do if it cannot. */
import { builtins } from "../platform/builtins.ts"
import { findProgram, systemDirectories } from "../platform/files/FindProgram.ts"
import { textOf } from "../platform/files/ReadOrEmpty.ts"
import { inNamespaces, type NamespaceTools, withoutCapabilities } from "./BwrapCommand.ts"
import { ContainError } from "./ContainPlan.ts"
import { mountArguments } from "./Mounts.ts"
import { type Architecture, isSupported } from "./SystemCallFilter.ts"

export interface ContainTools extends NamespaceTools {
  readonly architecture: Architecture
}

const find = (name: string): string | undefined => findProgram(name, systemDirectories)

const refuse = (message: string): never => {
  throw new ContainError({ option: "--contain", message })
}

/** Finds the programs that a contained run needs. Throws a `ContainError` that says what to install. */
export const containTools = (): ContainTools => {
  if (process.platform !== "linux") {
    return refuse("needs Linux; on this system a run cannot be contained. Use a virtual machine or a container")
  }
  const architecture: string = process.arch
  if (!isSupported(architecture)) return refuse(`needs an x64 or arm64 machine; this one is ${architecture}`)
  const bwrap = find("bwrap")
  if (bwrap === undefined) {
    return refuse("needs bubblewrap, which is not installed. Install it, for example with: sudo apt install bubblewrap")
  }
  const [setpriv, mount] = [find("setpriv"), find("mount")]
  if (setpriv === undefined || mount === undefined) {
    return refuse("needs setpriv and mount of util-linux, which are not installed. Install util-linux and mount")
  }
  return { bwrap, setpriv, mount, architecture }
}

/** An AppArmor profile that allows only bwrap to create user namespaces. */
const appArmorProfile = (bwrap: string): string =>
  `abi <abi/4.0>,
include <tunables/global>
profile bwrap ${bwrap} flags=(unconfined) {
  userns,
}`

/** Explains the kernel's refusal and what to do. `output`: the error message of bwrap. */
const remedyOf = (output: string, bwrap: string): string => {
  if (!/namespace|uid map|setgroups|Permission denied|Operation not permitted|loopback/i.test(output)) {
    return "Reinstall or update bubblewrap"
  }
  if (textOf("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").trim() === "1") {
    return "AppArmor allows only listed programs to create user namespaces, as on Ubuntu 24.04. Allow it for bwrap alone: save " +
      `the following as /etc/apparmor.d/bwrap and run sudo apparmor_parser -r /etc/apparmor.d/bwrap\n${
        appArmorProfile(bwrap)
      }`
  }
  if (textOf("/proc/sys/user/max_user_namespaces").trim() === "0") {
    return "The limit user.max_user_namespaces is 0. Ask the administrator of this machine to allow user namespaces"
  }
  if (textOf("/proc/sys/kernel/unprivileged_userns_clone").trim() === "0") {
    return "This kernel allows only root to create user namespaces. Install a bwrap that is setuid root, or ask the administrator"
  }
  return "User namespaces are not allowed here. In a container, run credsvc on the machine outside of it, or give the " +
    "container a seccomp profile that allows them"
}

/**
 * Creates the namespaces of a contained run as a test, and closes them. Returns the `problem` that prevents this, if any, and whether
 * ports from 53 can be opened, without which programs that use no proxy reach no host (`opensLowPorts`).
 */
export const tryNamespaces = (tools: ContainTools) => {
  const firstPort = "/proc/sys/net/ipv4/ip_unprivileged_port_start"
  const [program, ...args] = inNamespaces(tools, mountArguments([], ""), [
    ...withoutCapabilities(tools),
    "cat",
    firstPort
  ])
  const { error, status, stderr, stdout } = builtins.childProcess.spawnSync(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin" },
    timeout: 10_000
  })
  if (status === 0) return { problem: undefined, opensLowPorts: Number(stdout) <= 53 }
  const output = (stderr ?? "").trim().split("\n").at(-1) ?? ""
  const said = output === "" ? error?.message ?? `exit code ${status}` : output
  const message = `bwrap cannot create the namespaces (${said}). ${remedyOf(said, tools.bwrap)}`
  return { problem: new ContainError({ option: "--contain", message }), opensLowPorts: false }
}
