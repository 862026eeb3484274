import * as childProcess from "node:child_process"

/** Whether strace(1) can inject faults into system calls here. */
export const canTrace = process.platform === "linux" &&
  childProcess.spawnSync("strace", ["-f", "-o", "/dev/null", "-e", "inject=sync:signal=SIGKILL:when=1", "true"], {
      stdio: "ignore"
    }).status === 0
