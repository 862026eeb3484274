/**
 * Paths of operations that commands read without their schemas. A test holds them against the interface.
 *
 * Names are validated by the daemon, which answers with the problem that a person is shown.
 */
export const readPaths = {
  providers: "/providers",
  connections: "/connections",
  connection: (provider: string, connection: string, options: { readonly reveal: boolean }): string =>
    `/connections/${encodeURIComponent(provider)}/${encodeURIComponent(connection)}${
      options.reveal ? "?reveal=true" : ""
    }`
} as const
