/** Closes Node's debugger, which gives everybody who can connect to its port access to the memory of this process. */
import { builtins } from "../builtins.ts"

/** Whether the debugger was requested for this program, as in `node --inspect credsvc.js`. */
const isRequested = (): boolean => process.execArgv.some((argument) => argument.startsWith("--inspect"))

/**
 * Closes the debugger that `NODE_OPTIONS` opened. The user means the program under `run`, which needs the port itself, and other users
 * could connect to it.
 */
export const closeInspector = (): void => {
  if ((process.env["NODE_OPTIONS"] ?? "") === "" || isRequested()) return
  const { inspector } = builtins
  if (inspector.url() !== undefined) inspector.close()
}
