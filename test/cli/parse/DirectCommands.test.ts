import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { treeCommand } from "../../../src/cli/CommandTree.ts"
import { Output } from "../../../src/cli/output/Output.ts"
import { directCommand } from "../../../src/cli/parse/DirectCommands.ts"
import { GlobalFlags } from "../../../src/cli/parse/GlobalFlags.ts"
import * as fc from "../../support/FastCheck.ts"

const called: Array<unknown> = []

vi.mock(
  "../../../src/cli/commands/Get.ts",
  () => ({ getConnection: (input: object) => Effect.sync(() => called.push({ input })) })
)
vi.mock("../../../src/cli/commands/List.ts", () => ({
  listProviders: (input: object) => Effect.sync(() => called.push({ list: input }))
}))

vi.mock("../../../src/cli/commands/Run.ts", () => ({
  run: (input: object) => Effect.sync(() => called.push({ run: input }))
}))

vi.mock("../../../src/cli/commands/DaemonServe.ts", () => ({
  serveDaemon: (input: object) => Effect.sync(() => called.push({ serve: input }))
}))

interface Read {
  readonly flags: GlobalFlags["Service"]
  readonly command: Effect.Effect<void, unknown, any>
}

/** Returns the flags and the handlers' input. The output is suppressed: for rejected arguments only the rejection matters. */
const callsOf = async ({ command, flags }: Read): Promise<ReadonlyArray<unknown>> => {
  called.length = 0
  const environment = Output.layerNoDeps.pipe(
    Layer.provideMerge(Layer.succeed(GlobalFlags, { ...flags, verbose: false, logFile: "" }))
  )
  const silent = Effect.provideServiceEffect(
    Output,
    Effect.map(Output, (output) => ({ ...output, raw: () => Effect.void, document: () => Effect.void }))
  )
  await Effect.runPromiseExit(command.pipe(silent, Effect.provide(environment)) as Effect.Effect<void, unknown>)
  return called.length === 0 ? [] : [flags, ...called]
}

const words = [
  "8080",
  "0",
  "08",
  "65536",
  "text",
  "json",
  "0.0.0.0",
  "openai",
  "work",
  "b@d name",
  "status",
  "-",
  "--",
  "-x",
  "",
  "get",
  "list",
  "__proto__",
  "déjà",
  "deny"
]
const literals = ["true", "1", "y", "yes", "on", "false", "0", "n", "no", "off", "NO"]
const options = [
  "--connection",
  "--connection=work",
  "--field",
  "--field=status",
  "--show-secret",
  "--no-show-secret",
  "--show-secret=false",
  "--help",
  "--fields",
  "--provider",
  "--unmatched",
  "--unmatched=deny",
  "--contain",
  "--no-contain",
  "--hook",
  "--host",
  "--port",
  "--port=8080",
  "--drain",
  "--reload",
  "--json",
  "--json=true",
  "--quiet",
  "--no-color",
  "--verbose",
  "--log-file",
  "--log-file=x",
  "-n5"
]

describe("DirectCommands", () => {
  it("parses the commands that it supports as the command tree does", async () => {
    const tail = fc.array(
      fc.oneof(fc.constantFrom(...words), fc.constantFrom(...literals), fc.constantFrom(...options)),
      { maxLength: 5 }
    )
    let direct = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("get", "list", "run", "inspect", "daemon"), tail, async (name, tail) => {
        const rest = name === "daemon" ? ["serve", ...tail] : tail
        for (const args of [[name, ...rest], ["--json", "--log-file", "run", name, ...rest]]) {
          const command = directCommand(args)
          if (command === undefined) continue
          direct++
          const calls = await callsOf(command)
          assert.lengthOf(calls, 2)
          assert.deepStrictEqual(calls, await callsOf(treeCommand(args)))
        }
      }),
      { numRuns: 500 }
    )
    assert.isAbove(direct, 100)
  })

  it.each([
    "get openai",
    "get --field api_key --show-secret openai --connection work",
    "list --json --quiet",
    "run -- node -- -x",
    "run --contain -- npm test",
    "run --json npm test --json -n5",
    "run curl -- --json",
    "run --no-contain --unmatched deny -- npm",
    "run --provider openai --connection openai=work --unmatched allow -- node",
    "daemon serve",
    "daemon serve --port 0",
    "daemon serve --port 65535 --host 0.0.0.0"
  ])("parses %s", async (form) => {
    const command = directCommand(form.split(" "))
    assert.isDefined(command)
    assert.deepStrictEqual(await callsOf(command), await callsOf(treeCommand(form.split(" "))))
    assert.lengthOf(called, 1)
  })

  it("leaves arguments that it does not support to the command tree, which reports usage errors", () => {
    const others = [
      ["get"],
      ["get", "a", "b"],
      ["get", "a", "--field"],
      ["get", "a", "--connection", "b@d name"],
      ["get", "--help"],
      ["list", "x"],
      ["list", "--help"],
      ["inspect", "openai"],
      ["run"],
      ["run", "--"],
      ["run", "--provider", "a", "--provider", "b", "--", "x"],
      ["run", "--unmatched", "some", "--", "x"],
      ["run", "--hook", "python", "--", "x"],
      ["daemon"],
      ["daemon", "start"],
      ["daemon", "serve", "--port", "65536"],
      ["daemon", "serve", "--port", "1e3"],
      ["daemon", "serve", "--log-format", "json"],
      ["daemon", "serve", "--reload"],
      ["--help"]
    ]
    for (const args of others) assert.isUndefined(directCommand(args), args.join(" "))
  })
})
