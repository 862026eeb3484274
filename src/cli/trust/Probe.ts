/**
 * One kind of client, and how it is made to send one request.
 *
 * A probe has succeeded when its request arrives, whatever it does with the response. Exit code 77, or what `absent`
 * matches in its output, means that a part of it is not installed.
 */
import type { Hook } from "../../run/ChildEnvironment.ts"

export interface ProbeContext {
  /** Begins with the address that tells this probe from the others, and has no slash at its end. */
  readonly url: string
  /** Writes a file into a directory of this probe, and answers with its path. */
  readonly file: (name: string, content: string) => string
  /** That directory, for caches that a client would leave in the home directory. */
  readonly directory: string
}

export interface Probe {
  /** For people; the address has it in lower case with dashes. */
  readonly client: string
  /** The first one of this name on `PATH` is what the user would run. */
  readonly command: string
  readonly args: (context: ProbeContext) => ReadonlyArray<string>
  readonly env?: ((context: ProbeContext) => Readonly<Record<string, string>>) | undefined
  /** Of `credsvc run`, to be tried when the client fails without it. */
  readonly hook?: Hook | undefined
  /** Whether the client is known to fail without the hook, and to take long for that. */
  readonly hookOnly?: boolean | undefined
  /** What its launcher says where the client itself is missing. */
  readonly absent?: RegExp | undefined
  /** What to look at when the client fails. */
  readonly fix: string
  /** Where compiling comes first. */
  readonly seconds?: number | undefined
}

export const ABSENT = 77

/** Where an import fails, a part is not installed. */
export const python = (lines: string): Pick<Probe, "command" | "args"> => ({
  command: "python3",
  args: ({ url }) => [
    "-c",
    `import sys\nurl = sys.argv[1]\ntry:\n${
      lines.replace(/^/gm, "    ")
    }\nexcept ImportError:\n    sys.exit(${ABSENT})`,
    url
  ]
})

export const node = (script: string): Pick<Probe, "command" | "args" | "fix"> => ({
  command: "node",
  args: ({ url }) => ["-e", script, url],
  fix:
    "NODE_OPTIONS must reach the program as credsvc run sets it. Node before 22.21 has no proxy for http:// addresses"
})

export const perl = (script: string): Pick<Probe, "command" | "args"> => ({
  command: "perl",
  args: (
    { url }
  ) => [
    "-e",
    `eval { ${script}; 1 } or do { print STDERR $@; exit(${ABSENT}) if $@ =~ /Can't locate|needs to be installed/ }`,
    url
  ]
})

/**
 * An agent, told that its model is at the address. It finds neither settings nor a login of the user's: they might start
 * programs, or send a key that is not for this.
 */
export const agent = (client: string, command: string, args: Probe["args"], env: NonNullable<Probe["env"]>): Probe => ({
  client,
  command,
  args,
  env: (context) => ({
    ...Object.fromEntries(
      [
        "HOME",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME"
      ].map((name) => [name, context.directory])
    ),
    ...env(context)
  }),
  fix: "Its settings must name no proxy and no certificates of their own",
  seconds: 40
})
