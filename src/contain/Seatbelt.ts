/**
 * The profile of sandbox-exec(1) that contains a run on macOS, from the same plan as on Linux.
 *
 * Untested: it has never run on macOS. Later rules override earlier ones. Where Linux gives the command an empty file or
 * directory, macOS denies access to it, and the network is that of the machine, limited to a few ports.
 */
import type { ContainPlan } from "./ContainPlan.ts"
import { type Mount, ordered } from "./Mounts.ts"

/** With the value `1`, `run --contain` uses the profile on macOS. */
export const SEATBELT_VARIABLE = "CREDSVC_EXPERIMENTAL_SEATBELT"

/** Services of the system that hold secrets, or that start programs outside of the sandbox. */
const deniedServices: ReadonlyArray<string> = [
  "com.apple.SecurityServer",
  "com.apple.securityd",
  "com.apple.security.agent",
  "com.apple.secd",
  "com.apple.ctkd.token-client",
  "com.apple.pasteboard.1",
  "com.apple.coreservices.launchservicesd",
  "com.apple.coreservices.appleevents",
  "com.apple.lsd.mapdb",
  "com.apple.lsd.open",
  "com.apple.ocspd",
  "com.apple.tccd",
  "com.apple.windowserver.active"
]

/** Devices to which programs write. */
const devices: ReadonlyArray<string> = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper", "/dev/ptmx"]

const quoted = (text: string): string => `"${text.replace(/(["\\])/g, "\\$1")}"`

const subpath = (file: string): string => `(subpath ${quoted(file)})`

const ruleOf = (mount: Mount): string => {
  switch (mount.kind) {
    case "read-only":
      // macOS cannot mount one file over another.
      return mount.source === mount.target
        ? `(allow file-read* ${subpath(mount.target)})\n(deny file-write* ${subpath(mount.target)})`
        : ""
    case "writable":
      return mount.source === mount.target ? `(allow file-read* file-write* ${subpath(mount.target)})` : ""
    case "hidden-directory":
    case "hidden-file":
    case "private-directory":
      return `(deny file-read* file-write* ${subpath(mount.target)})`
  }
}

/** `ports`: those of this machine that the command may connect to, such as that of the run's proxy. */
export const seatbeltProfile = (plan: ContainPlan, ports: ReadonlyArray<number>): string =>
  [
    "(version 1)",
    "(allow default)",
    "(deny network*)",
    ...ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    "(deny file-write*)",
    `(allow file-write* ${
      devices.map((device) => `(literal ${quoted(device)})`).join(" ")
    } (regex #"^/dev/ttys[0-9]+$"))`,
    ...ordered(plan.mounts).map(ruleOf),
    ...plan.mountPoints.map((point) => `(deny file-write* ${subpath(point.path)})`),
    `(deny mach-lookup ${deniedServices.map((name) => `(global-name ${quoted(name)})`).join(" ")})`,
    "(deny mach-register)",
    "(deny mach-priv*)",
    "(deny job-creation)",
    "(deny appleevent-send)",
    "(deny process-info*)",
    "(allow process-info* (target same-sandbox))",
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    ""
  ].filter((rule, index, rules) => rule !== "" || index === rules.length - 1).join("\n")
