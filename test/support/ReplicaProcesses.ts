/** Daemons in processes of their own, each in another pid namespace, that share a PostgreSQL database. */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { provedAgent } from "./ProvedConnections.ts"
import { cleanEnvironment } from "./Sandbox.ts"

/** The user that tests run as may need a user namespace to create a pid namespace. */
const isolate = ["--pid", "--fork", "--mount-proc", "--kill-child", ...process.getuid?.() === 0 ? [] : ["-Ur"]]

export const baseUrl = "https://credsvc.replicas.test"

export interface Answer {
  readonly status: number
  readonly json: any
}

/** Nothing responded: the connection was refused, or closed before a response. */
export class NoAnswer extends Error {
  constructor(request: string, cause: Error) {
    super(`${request}: ${cause.message}`)
  }
}

const longestAnswer = 60_000

const ask = (port: number, agent: http.Agent, method: string, target: string, body?: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = http.request({
      host: "127.0.0.1",
      port,
      method,
      path: target,
      agent,
      timeout: longestAnswer,
      headers: {
        host: `127.0.0.1:${port}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      }
    }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => text += chunk)
      response.on("error", reject)
      response.on("end", () => {
        const isJson = response.headers["content-type"]?.includes("json") === true
        resolve({ status: response.statusCode ?? 0, json: isJson ? JSON.parse(text) : undefined })
      })
    })
    request.on("timeout", () => reject(new Error(`${method} ${target} hangs`)))
    request.on("error", (error) => reject(new NoAnswer(`${method} ${target}`, error)))
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })

export class Replica {
  readonly home: string
  port = 0
  #program: string
  #databaseUrl: string
  #masterKey: string
  #child: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()
  log = ""

  constructor(options: {
    readonly home: string
    readonly program: string
    readonly databaseUrl: string
    readonly masterKey: string
  }) {
    this.home = options.home
    this.#program = options.program
    this.#databaseUrl = options.databaseUrl
    this.#masterKey = options.masterKey
  }

  get isRunning(): boolean {
    return this.#child !== undefined
  }

  async start(): Promise<void> {
    const { CREDSVC_MASTER_KEY_MODE: _, ...environment } = cleanEnvironment(this.home)
    const child = spawn("unshare", [...isolate, process.execPath, this.#program], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...environment,
        CREDSVC_DATABASE_URL: this.#databaseUrl,
        CREDSVC_MASTER_KEY: this.#masterKey,
        CREDSVC_SERVER_BASE_URL: baseUrl,
        NODE_COMPILE_CACHE: path.join(path.dirname(this.#program), "compiled")
      }
    })
    this.#child = child
    this.#ended = new Promise((resolve) => child.once("close", resolve))
    this.log = ""
    child.stderr.on("data", (chunk: Buffer) => this.log += chunk.toString())
    this.port = await new Promise<number>((resolve, reject) => {
      child.stdout.once("data", (chunk: Buffer) => resolve(Number(chunk)))
      child.once("close", () => reject(new Error(`the replica did not start: ${this.log}`)))
    })
  }

  async kill(): Promise<void> {
    // Ends its pid namespace as well.
    this.#child?.kill("SIGKILL")
    await this.#ended
    this.#child = undefined
  }

  /** Completes with the exit code of a replica that ends by itself. */
  async ended(): Promise<unknown> {
    const code = await this.#ended
    this.#child = undefined
    return code
  }

  /** Others can reach a replica, so local callers must prove the access key on each connection. */
  ask(method: string, target: string, body?: unknown): Promise<Answer> {
    const agent = provedAgent(this.port, () => fs.readFileSync(path.join(this.home, "server", "access.key")), {})
    return ask(this.port, agent, method, target, body)
  }
}
