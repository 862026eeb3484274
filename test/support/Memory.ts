import * as v8 from "node:v8"
import * as vm from "node:vm"

v8.setFlagsFromString("--expose-gc")
const collectGarbage = vm.runInNewContext("gc") as () => void

/** The maximum growth of buffers outside the heap during `work`, in bytes. Garbage does not count. */
export const memoryGrowth = async (work: () => Promise<unknown>): Promise<number> => {
  const size = (): number => process.memoryUsage().arrayBuffers
  collectGarbage()
  const before = size()
  let most = 0
  const timer = setInterval(() => {
    if (size() - before <= most) return
    collectGarbage()
    most = Math.max(most, size() - before)
  }, 5)
  await work()
  clearInterval(timer)
  return most
}
