/** Version of the HTTP interface. A client refuses to use a daemon with another version. */
export const apiVersion = 1
