/** Removes variables from the environment that lead to sockets outside of a contained run. */

/** Addresses of agents, buses, displays and editors. Their targets do not exist inside. */
const removed: ReadonlySet<string> = new Set([
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "GNOME_KEYRING_CONTROL",
  "DBUS_SESSION_BUS_ADDRESS",
  "DBUS_SYSTEM_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DOCKER_HOST",
  "CONTAINER_HOST",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "WAYLAND_SOCKET",
  "XAUTHORITY",
  "TMUX",
  "TMUX_TMPDIR",
  "STY",
  "I3SOCK",
  "SWAYSOCK",
  "KITTY_LISTEN_ON",
  "WEZTERM_UNIX_SOCKET",
  "NVIM",
  "VSCODE_IPC_HOOK_CLI",
  "VSCODE_GIT_IPC_HANDLE",
  "VSCODE_GIT_ASKPASS_NODE",
  "VSCODE_GIT_ASKPASS_MAIN",
  "GIT_ASKPASS",
  "SSH_ASKPASS",
  "NOTIFY_SOCKET",
  "LISTEN_FDS",
  "LISTEN_PID"
])

const TEMPORARY = new Set(["TMPDIR", "TMP", "TEMP"])

/** The environment of the command, which has a `/tmp` of its own. */
export const containedEnvironment = (
  variables: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !removed.has(name))
      .map(([name, value]) => [name, TEMPORARY.has(name) ? "/tmp" : value])
  )
