/** Opens a URL in the user's browser, without a shell and only if that is safe. */
import * as Effect from "effect/Effect"
import { builtins } from "../../platform/builtins.ts"
import { findProgram } from "../../platform/files/FindProgram.ts"
import { withUserCoreFilter } from "../../platform/process/CoreFiles.ts"
import { withUserUmask } from "../../platform/process/UserUmask.ts"
import { isLoopbackLiteral } from "../../platform/sockets/IpAddress.ts"

/** Returns the canonical form of an https URL, or of an http URL on a literal loopback address; undefined for others. */
export const openableUrl = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return undefined
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackLiteral(url.hostname))
    ? url.href
    : undefined
}

/** Returns the program that opens a URL, with its arguments, or undefined if there is no display for a browser. */
export const openerOf = (
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  find: (program: string) => string | undefined
): readonly [program: string, ...args: Array<string>] | undefined => {
  switch (platform) {
    case "darwin":
      return ["/usr/bin/open"]
    case "win32":
      // `start` is a shell builtin, and the shell would interpret the URL. The absolute path is necessary because
      // Windows searches the current directory first.
      return [`${env["SystemRoot"] ?? "C:\\Windows"}\\System32\\rundll32.exe`, "url.dll,FileProtocolHandler"]
    default: {
      // WSL opens pages in the browser of the Windows host.
      const names = env["WSL_DISTRO_NAME"] ? ["wslview", "xdg-open"] : ["xdg-open"]
      const seen = env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["WSL_DISTRO_NAME"]
      const program = seen ? names.map((name) => find(name)).find((file) => file !== undefined) : undefined
      return program === undefined ? undefined : [program]
    }
  }
}

const opener = () => openerOf(process.platform, process.env, findProgram)

export const hasBrowser = (): boolean => opener() !== undefined

/** The environment of the browser, without the variables of credsvc, because the browser outlives this command. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CREDSVC_")))

export const openUrl = (text: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const url = openableUrl(text)
    const found = opener()
    if (url === undefined || found === undefined) return resume(Effect.succeed(false))
    const [program, ...args] = found
    const child = withUserCoreFilter(() =>
      withUserUmask(() =>
        builtins.childProcess.spawn(program, [...args, url], {
          detached: true,
          env: environment(),
          shell: false,
          stdio: "ignore"
        })
      )
    )
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => resume(Effect.succeed(true)))
    child.unref()
  })
