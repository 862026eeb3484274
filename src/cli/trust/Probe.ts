/**
 * One kind of client, and how to make it send one request.
 *
 * A probe succeeds when its request arrives, however the client handles the response. Exit code 77, or output that
 * matches `absent`, means that a part of the client is not installed.
 */
import type { Hook } from "../../run/ProxyEnvironment.ts"

export interface ProbeContext {
  /** A URL that identifies this probe, without a trailing slash. */
  readonly url: string
  readonly file: (name: string, content: string) => string
  /** This probe's directory, for caches that the client would otherwise leave in the home directory. */
  readonly directory: string
}

export interface Probe {
  /** The display name. The URL contains it in lower case with dashes. */
  readonly client: string
  /** The program's name, looked up on `PATH` as in the user's shell. */
  readonly command: string
  readonly args: (context: ProbeContext) => ReadonlyArray<string>
  readonly env?: ((context: ProbeContext) => Readonly<Record<string, string>>) | undefined
  readonly hook?: Hook | undefined
  /** Skips the attempt without `hook`, because it would fail slowly. */
  readonly hookOnly?: boolean | undefined
  /** Output of the client's launcher if the client itself is missing. */
  readonly absent?: RegExp | undefined
  readonly fix: string
  readonly seconds?: number | undefined
}

export const ABSENT = 77

/** A probe in Python. An import error means that a part is not installed. */
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
  fix: "Start the program with NODE_OPTIONS as credsvc run sets it. For http:// URLs, use Node 22.21 or newer"
})

export const perl = (script: string): Pick<Probe, "command" | "args"> => ({
  command: "perl",
  args: ({ url }) => [
    "-e",
    `eval { ${script}; 1 } or do { print STDERR $@; exit(${ABSENT}) if $@ =~ /Can't locate|needs to be installed/ }`,
    url
  ]
})

/** Runs an agent without the user's settings, which might start programs or send a real key. */
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
  fix: "The program's own settings must not name a proxy or certificates",
  seconds: 40
})
