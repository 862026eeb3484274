/**
 * The environment variable that marks a process of `credsvc run`, and so all that it starts. Its value is the address
 * of the run's proxy, without the credential.
 */
export const runMark = "CREDSVC_RUN_PROXY"
