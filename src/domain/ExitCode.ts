/** Exit codes of the command line, by meaning. */
export const ExitCode = {
  success: 0,
  unexpected: 1,
  usage: 2,
  connectionNotFound: 3,
  provider: 4,
  credential: 5,
  connectionExists: 6,
  providerExists: 7,
  endpointUnreachable: 8,
  daemonUnavailable: 9
} as const
