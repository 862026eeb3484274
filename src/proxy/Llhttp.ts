/** llhttp in the build for WebAssembly that undici ships: one instance for all connections, which take turns. */
import llhttpModule from "undici/lib/llhttp/llhttp-wasm.js"

export const OK = 0
export const FAILED = -1
export const PAUSED = 21
export const PAUSED_UPGRADE = 22
/** Answer to `headed` alone. */
export const SKIP_BODY = 1

export const TYPE = { request: 1, response: 2 } as const

/** Its memory for input. No parser needs anything there from one call to the next. */
const BUFFER_BYTES = 64 * 1024

/** What llhttp tells as it reads. `at` is an offset into the input; OK, or one of the other codes above, is the answer. */
export interface Callbacks {
  readonly began: () => number
  readonly target: (at: number, length: number) => number
  readonly phrase: (at: number, length: number) => number
  readonly field: (at: number, length: number) => number
  readonly value: (at: number, length: number) => number
  readonly headed: (status: number, upgrade: boolean, keepAlive: boolean) => number
  readonly part: (at: number, length: number) => number
  readonly completed: () => number
}

interface Exports {
  readonly memory: WebAssembly.Memory
  readonly malloc: (bytes: number) => number
  readonly llhttp_alloc: (type: number) => number
  readonly llhttp_free: (parser: number) => void
  readonly llhttp_execute: (parser: number, at: number, length: number) => number
  readonly llhttp_finish: (parser: number) => number
  readonly llhttp_resume: (parser: number) => void
  readonly llhttp_resume_after_upgrade: (parser: number) => void
  readonly llhttp_get_error_pos: (parser: number) => number
  readonly llhttp_get_http_major: (parser: number) => number
  readonly llhttp_get_http_minor: (parser: number) => number
  readonly llhttp_get_method: (parser: number) => number
  readonly llhttp_method_name: (method: number) => number
}

export class Llhttp {
  readonly #exports: Exports
  readonly #input: number
  readonly #methods: Array<string> = []
  #memory: Buffer
  /** What its memory has a copy of, and which part of that. */
  #loaded: Uint8Array | undefined
  #from = 0
  #to = 0
  /** Whose parser runs: calls never nest. */
  #active: Callbacks | undefined

  constructor() {
    const at = (position: number): number => position - this.#input + this.#from
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(llhttpModule), {
      env: {
        wasm_on_message_begin: () => this.#active!.began(),
        wasm_on_url: (_: number, from: number, length: number) => this.#active!.target(at(from), length),
        wasm_on_status: (_: number, from: number, length: number) => this.#active!.phrase(at(from), length),
        wasm_on_header_field: (_: number, from: number, length: number) => this.#active!.field(at(from), length),
        wasm_on_header_value: (_: number, from: number, length: number) => this.#active!.value(at(from), length),
        wasm_on_headers_complete: (_: number, status: number, upgrade: number, keepAlive: number) =>
          this.#active!.headed(status, upgrade === 1, keepAlive === 1),
        wasm_on_body: (_: number, from: number, length: number) => this.#active!.part(at(from), length),
        wasm_on_message_complete: () => this.#active!.completed()
      }
    })
    this.#exports = exports as unknown as Exports
    this.#input = this.#exports.malloc(BUFFER_BYTES)
    this.#memory = Buffer.from(this.#exports.memory.buffer)
  }

  /** To be freed. */
  alloc(type: keyof typeof TYPE): number {
    return this.#exports.llhttp_alloc(TYPE[type])
  }

  free(parser: number): void {
    this.#exports.llhttp_free(parser)
  }

  /**
   * Reads `input` from there on, and after OK at least one byte of what there is. Answers a code of llhttp. The same input is
   * copied once, however often a parser stops in it: a body may have as many chunks as bytes.
   */
  execute(parser: number, input: Uint8Array, from: number, callbacks: Callbacks): number {
    if (this.#loaded !== input || from < this.#from || (from >= this.#to && this.#to < input.length)) {
      this.#loaded = input
      this.#from = from
      this.#to = Math.min(from + BUFFER_BYTES, input.length)
      this.#current().set(input.subarray(from, this.#to), this.#input)
    }
    this.#active = callbacks
    return this.#exports.llhttp_execute(parser, this.#input + from - this.#from, this.#to - from)
  }

  /** The other side has ended. */
  finish(parser: number, callbacks: Callbacks): number {
    this.#active = callbacks
    return this.#exports.llhttp_finish(parser)
  }

  resume(parser: number): void {
    this.#exports.llhttp_resume(parser)
  }

  resumeAfterUpgrade(parser: number): void {
    this.#exports.llhttp_resume_after_upgrade(parser)
  }

  /** Where in the input it stopped. */
  position(parser: number, answer: number): number {
    return answer === OK ? this.#to : this.#exports.llhttp_get_error_pos(parser) - this.#input + this.#from
  }

  majorVersion(parser: number): number {
    return this.#exports.llhttp_get_http_major(parser)
  }

  minorVersion(parser: number): number {
    return this.#exports.llhttp_get_http_minor(parser)
  }

  method(parser: number): string {
    const number = this.#exports.llhttp_get_method(parser)
    return this.#methods[number] ??= this.#textAt(this.#exports.llhttp_method_name(number))
  }

  #textAt(from: number): string {
    const memory = this.#current()
    return memory.toString("latin1", from, memory.indexOf(0, from))
  }

  /** Growing detaches the memory that was there. */
  #current(): Buffer {
    if (this.#memory.buffer !== this.#exports.memory.buffer) this.#memory = Buffer.from(this.#exports.memory.buffer)
    return this.#memory
  }
}

let shared: Llhttp | undefined

/** Compiled on first use, which takes a few milliseconds. */
export const llhttp = (): Llhttp => shared ??= new Llhttp()
