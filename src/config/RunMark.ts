/**
 * The environment variable that marks the processes of a run: the address of the run's proxy, without the credential.
 */
export const runMark = "CREDSVC_RUN_PROXY"

/** The environment variable that marks the processes of a contained run, in which there is no daemon. */
export const containMark = "CREDSVC_CONTAINED"
