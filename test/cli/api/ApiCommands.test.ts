import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { vi } from "vitest"
import { Api } from "../../../src/api/Api.ts"
import { describedPages } from "../../../src/api/LoginPages.ts"
import { type Operation, operationGroups, type Parameter } from "../../../src/api/Operations.ts"
import { secretField } from "../../../src/cli/api/OperationCall.ts"
import { treeCommand } from "../../../src/cli/CommandTree.ts"
import { Output } from "../../../src/cli/output/Output.ts"
import { GlobalFlags } from "../../../src/cli/parse/GlobalFlags.ts"
import { DaemonClient } from "../../../src/client/DaemonClient.ts"
import type { DaemonRequest } from "../../../src/client/DaemonConnection.ts"

const sent: Array<DaemonRequest> = []

vi.mock("../../../src/cli/daemon/DaemonAccess.ts", () => ({
  provideDaemon: () =>
    Effect.provideService(DaemonClient, {
      send: (request: DaemonRequest) =>
        Effect.sync(() => {
          sent.push(request)
          return { status: 200, headers: {}, body: "{}", from: { loopback: true } as never }
        }),
      hold: (request: DaemonRequest) =>
        Effect.sync(() => {
          sent.push(request)
          return { status: 200, headers: {}, body: "{}", from: { loopback: true } as never, ended: Effect.void }
        })
    } as never)
}))

vi.mock("../../../src/cli/home/Home.ts", () => ({ provideHome: (effect: unknown) => effect }))

const flags = { json: true, quiet: false, noColor: true, verbose: false, logFile: "" }
const environment = Output.layerNoDeps.pipe(Layer.provideMerge(Layer.succeed(GlobalFlags, flags)))
const silent = Effect.provideServiceEffect(
  Output,
  Effect.map(Output, (output) => ({ ...output, raw: () => Effect.void, document: () => Effect.void }))
)

/** The only request that the command line sends. */
const requestOf = async (args: ReadonlyArray<string>): Promise<DaemonRequest> => {
  sent.length = 0
  const command = treeCommand(args).command.pipe(silent, Effect.provide(environment))
  await Effect.runPromise(command as Effect.Effect<void, unknown>)
  assert.strictEqual(sent.length, 1, args.join(" "))
  return sent[0]!
}

/** Whether a value that the schema describes can contain a secret. */
const hasSecret = (ast: unknown, seen = new Set<unknown>()): boolean => {
  if (typeof ast !== "object" || ast === null || seen.has(ast)) return false
  seen.add(ast)
  return (ast as { readonly id?: unknown }).id === "effect/schema/Redacted" ||
    Object.values(ast).some((inner) => hasSecret(inner, seen))
}

const operations = operationGroups.flatMap((group) => group.operations)

const sampleOf = ({ kind }: Parameter): string =>
  typeof kind !== "string" ? kind[0]! : { text: "a/b c", number: "7", boolean: "false", toggle: "true" }[kind]

const valueOf = (parameter: Parameter): unknown => {
  const sample = sampleOf(parameter)
  return ["text", "object"].includes(typeof parameter.kind === "string" ? parameter.kind : "object")
    ? sample
    : JSON.parse(sample)
}

/** The command with every parameter. */
const argumentsOf = ({ group, name, parameters }: Operation): ReadonlyArray<string> => [
  "api",
  group,
  name,
  ...parameters.flatMap((each) => each.kind === "toggle" ? [`--${each.flag}`] : [`--${each.flag}`, sampleOf(each)])
]

describe("credsvc api", () => {
  it("has a command for every operation of the interface, and for no page", () => {
    const { paths } = JSON.parse(fs.readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"))
    const described = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
    )
    const pages = new Set(describedPages.map(({ method, path }) => `${method.toUpperCase()} ${path}`))
    assert.isAbove(operations.length, 25)
    assert.sameMembers(
      operations.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`),
      described.filter((each) => !pages.has(each))
    )
    assert.strictEqual(new Set(operations.map(({ group, name }) => `${group} ${name}`)).size, operations.length)
  })

  for (const operation of operations) {
    const { group, hasBody, method, name, parameters, path, reveals } = operation
    it(`sends ${method} ${path} for ${group} ${name}, with every parameter in its place`, async () => {
      const at = (place: Parameter["place"]) => parameters.filter((each) => each.place === place)
      const request = await requestOf([...argumentsOf(operation), ...(reveals === "never" ? [] : ["--show-secret"])])
      const url = new URL(request.path, "http://localhost")
      assert.strictEqual(request.method, method)
      assert.strictEqual(url.pathname, path.replace(/:\w+/g, encodeURIComponent("a/b c")))
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        ...Object.fromEntries(at("query").map((each) => [each.name, sampleOf(each)])),
        ...(reveals === "on_request" ? { reveal: "true" } : {})
      })
      for (const each of at("header")) assert.strictEqual(request.headers[each.name], sampleOf(each))
      const fields = at("body").map((each) => [each.name, each.repeatable ? [valueOf(each)] : valueOf(each)])
      assert.deepStrictEqual(
        request.body === undefined ? undefined : JSON.parse(request.body),
        hasBody ? Object.fromEntries(fields) : undefined
      )
    })
  }

  it("prints a secret only with --show-secret", async () => {
    const revealing: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) => {
        if ([...endpoint.success].some(({ ast }) => hasSecret(ast))) {
          revealing.push(`${group.identifier}.${endpoint.identifier}`)
        }
      }
    })
    assert.sameMembers(
      // A list contains redacted connections, whatever the request says.
      revealing.filter((each) => each !== "connections.list"),
      operations.filter(({ reveals }) => reveals !== "never").map(({ id }) => id)
    )
    // Their secrets are for the user or the proxy, or were replaced by placeholders.
    const plain = [
      "connections.get",
      "credentials.adopt",
      "credentials.export",
      "credentials.resolve",
      "identities.createCode",
      "sandboxes.served"
    ]
    assert.sameMembers(revealing, [...Object.keys(secretField), "connections.list", ...plain])
    for (const operation of operations.filter(({ reveals }) => reveals === "always")) {
      const error = await requestOf(argumentsOf(operation)).then(() => undefined, (error: unknown) => error)
      assert.deepInclude((error as { readonly problems: unknown }).problems, {
        path: "--show-secret",
        message: "is required: the response of this operation contains a secret"
      })
      assert.isEmpty(sent)
    }
    const redactedGet = await requestOf([
      "api",
      "connections",
      "get",
      "--provider",
      "openai",
      "--connection",
      "default"
    ])
    assert.strictEqual(redactedGet.path, "/connections/openai/default")
  })

  it("is not imported by the command tree, so that other commands do not derive the operations", async () => {
    await requestOf(["api", "system", "whoami"])
    const text = fs.readFileSync(new URL("../../../src/cli/CommandTree.ts", import.meta.url), "utf8")
    assert.notMatch(text, /^import .*api\//m)
  })
})
