import * as v8 from "node:v8"
import * as vm from "node:vm"

v8.setFlagsFromString("--expose-gc")
const collectGarbage = vm.runInNewContext("gc") as () => void

/** A smaller growth is no reason for a collection, which stops the process. */
const step = 1024 * 1024

/** The maximum growth of buffers outside the heap during `work`, in bytes, to a mebibyte. Garbage does not count. */
export const memoryGrowth = async (work: () => Promise<unknown>): Promise<number> => {
  const size = (): number => process.memoryUsage().arrayBuffers
  collectGarbage()
  const before = size()
  let most = 0
  const timer = setInterval(() => {
    if (size() - before <= most + step) return
    collectGarbage()
    most = Math.max(most, size() - before)
  }, 5)
  await work()
  clearInterval(timer)
  return most
}
