/**
 * The entry point of the single executable, which contains Node, the program's files with their compiled code, and the shipped
 * files. scripts/executable.ts builds it.
 */
import { createRequire } from "node:module"
import * as sea from "node:sea"
import * as vm from "node:vm"
import { assetReader } from "./platform/files/ExecutableFiles.ts"
import { nodeArgument } from "./platform/process/OwnProgram.ts"

type Load = (exports: object, require: (specifier: string) => unknown, module: object, filename: string) => void

const read = (name: string): Buffer => Buffer.from(sea.getRawAsset(name) as ArrayBuffer)

const loaded = new Map<string, object>()

/** Runs a file of the program, which is the text of one function in ASCII, and returns its exports. */
const load = (name: string): object => {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const module = { exports: {} }
  loaded.set(name, module.exports)
  const script = new vm.Script(read(`${name}.js`).toString("latin1"), {
    filename: `credsvc:${name}.js`,
    cachedData: read(`${name}.cache`)
  })
  const run = script.runInThisContext() as Load
  run(module.exports, requireFile, module, process.execPath)
  return module.exports
}

/** Loads what a file requires: another file, or a module of Node. */
const requireFile = (specifier: string): unknown => {
  const file = /^\.\/(.+)\.js$/.exec(specifier)?.[1]
  return file === undefined ? process.getBuiltinModule(specifier) : load(file)
}

/** Does what Node would do with these arguments. */
const runAsNode = ([first = "", ...rest]: ReadonlyArray<string>): void => {
  if (first === "-e") {
    process.argv.splice(1, process.argv.length, ...rest.slice(1))
    vm.compileFunction(rest[0] ?? "", ["require"])(createRequire(process.execPath))
  } else {
    process.argv.splice(1, process.argv.length, first, ...rest)
    createRequire(first)(first)
  }
}

const main = (): void => {
  // Prevents Node from opening its debugger. Node's option for that would block the signal, which `run` passes to its command.
  process.on("SIGUSR1", () => {})
  const [, , first, second] = process.argv
  if (first === nodeArgument) return runAsNode(process.argv.slice(3))
  // As in bin.ts: files are created for their owner only, and `run` restores the user's umask for its command.
  Object.assign(globalThis, {
    [Symbol.for("credsvc/umask")]: process.umask(0o077),
    [assetReader]: read
  })
  // A client that starts the daemon holds an IPC channel to it.
  const inBackground = process.send !== undefined && first === "daemon" && second === "serve"
  load(inBackground ? "serve" : first === "__complete" ? "complete" : "main")
}

main()
