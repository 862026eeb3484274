/** The maximum growth of buffers outside the heap during `work`, in bytes. */
export const memoryGrowth = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }, 5)
  await work()
  clearInterval(timer)
  return most
}
