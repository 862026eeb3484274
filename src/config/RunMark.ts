/**
 * The environment variable that marks the child processes of `credsvc run` and their descendants. Its value is the
 * address of the run's proxy, without the credential.
 */
export const runMark = "CREDSVC_RUN_PROXY"
