/** Paths of operations that commands read without their schemas. A test compares them with the interface. */
export const readPaths = {
  providers: "/providers",
  connections: "/connections",
  questions: "/runs/questions",
  connection: (provider: string, connection: string, options: { readonly reveal: boolean }): string =>
    `/connections/${encodeURIComponent(provider)}/${encodeURIComponent(connection)}${
      options.reveal ? "?reveal=true" : ""
    }`
} as const
