/** The messages between `credsvc run` and `assets/inside.cjs`, the program in the namespaces of a contained run. */

/** The argument of the program. */
export interface InsideSettings {
  /** The address that accepts the connections of programs that use no proxy. */
  readonly address: string
  /** The ports on that address. */
  readonly ports: ReadonlyArray<number>
  /** Ports on 127.0.0.1 that lead to the same ports of the machine. */
  readonly allowedPorts: ReadonlyArray<number>
  /** The program and arguments that start the command without capabilities. */
  readonly withoutCapabilities: ReadonlyArray<string>
}

/** A message from `run` to the program. */
export type ToInside =
  | { readonly type: "listen"; readonly ports: ReadonlyArray<number> }
  | {
    readonly type: "start"
    readonly command: string
    readonly args: ReadonlyArray<string>
    readonly env: Readonly<Record<string, string>>
  }

/** A socket of the namespaces. The proxy serves all but the ones that lead to allowed ports. */
export interface InsideSocket {
  readonly use: "proxy" | "direct" | "allowed" | "names"
  readonly port: number
}

/** A message from the program to `run`. One of type `socket` comes with the socket; one that is unavailable cannot be used in the run. */
export type FromInside =
  | { readonly type: "socket" | "unavailable" } & InsideSocket
  | { readonly type: "listening" | "changed" }
  | { readonly type: "started"; readonly pid: number }
  | { readonly type: "failed"; readonly code: string }
  | { readonly type: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
