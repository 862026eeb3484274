import { startCluster } from "./Cluster.ts"

/** The server that the tests of this run use. */
export const setup = async () => {
  const cluster = await startCluster()
  process.env["CREDSVC_TEST_POSTGRES_SOCKET"] = cluster.directory
  return cluster.stop
}
