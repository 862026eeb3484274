/** Closes Node's debugger, which gives everybody who can connect to its port access to the memory of this process. */
import { builtins } from "../builtins.ts"

/** Whether the debugger was requested for this program, as in `node --inspect credsvc.js`. */
const isRequested = (): boolean => process.execArgv.some((argument) => argument.startsWith("--inspect"))

/**
 * Closes the debugger that `NODE_OPTIONS` opened. The user wants to debug the program under `run`, which needs the port itself.
 * Other users could connect to the port.
 */
export const closeInspector = (): void => {
  if ((process.env["NODE_OPTIONS"] ?? "") === "" || isRequested()) return
  const { inspector } = builtins
  if (inspector.url() !== undefined) inspector.close()
}
