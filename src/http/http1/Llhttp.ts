/** llhttp, in the WebAssembly build that undici ships: one instance that all connections share. */
import llhttpModule from "undici/lib/llhttp/llhttp-wasm.js"

export const OK = 0
export const FAILED = -1
export const PAUSED = 21
export const PAUSED_UPGRADE = 22
/** The result of `headed` for a message without content. */
export const SKIP_BODY = 1

export const TYPE = { request: 1, response: 2 } as const

/** The size of the memory for input, in which no parser keeps anything between calls. */
const BUFFER_BYTES = 64 * 1024

/** The events of llhttp. `at` is an offset into the input; the result is OK or one of the codes above. */
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
  readonly llhttp_set_lenient_spaces_after_chunk_size: (parser: number, enabled: number) => void
  readonly llhttp_free: (parser: number) => void
  readonly llhttp_execute: (parser: number, at: number, length: number) => number
  readonly llhttp_finish: (parser: number) => number
  readonly llhttp_resume: (parser: number) => void
  readonly llhttp_resume_after_upgrade: (parser: number) => void
  readonly llhttp_get_error_pos: (parser: number) => number
  readonly llhttp_get_error_reason: (parser: number) => number
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
  /** The input of which a part is in the module's memory, and the bounds of that part. */
  #loaded: Uint8Array | undefined
  #from = 0
  #to = 0
  /** The callbacks of the running parser: calls never nest. */
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

  alloc(type: keyof typeof TYPE): number {
    const parser = this.#exports.llhttp_alloc(TYPE[type])
    // Some servers pad chunk sizes with spaces. The client gets chunks that the proxy frames itself.
    if (type === "response") this.#exports.llhttp_set_lenient_spaces_after_chunk_size(parser, 1)
    return parser
  }

  free(parser: number): void {
    this.#exports.llhttp_free(parser)
  }

  /**
   * Parses `input` from an offset and returns a code of llhttp; after OK at least one byte was read. The same input is copied
   * once, however often a parser pauses in it: a body can have as many chunks as bytes.
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

  position(parser: number, code: number): number {
    return code === OK ? this.#to : this.#exports.llhttp_get_error_pos(parser) - this.#input + this.#from
  }

  /** Why the last call has failed. */
  reason(parser: number): string {
    return this.#textAt(this.#exports.llhttp_get_error_reason(parser))
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

  /** The memory of the module. When it grows, another buffer takes its place. */
  #current(): Buffer {
    if (this.#memory.buffer !== this.#exports.memory.buffer) this.#memory = Buffer.from(this.#exports.memory.buffer)
    return this.#memory
  }
}

let shared: Llhttp | undefined

/** The shared instance, compiled on first use, which takes a few milliseconds. */
export const llhttp = (): Llhttp => shared ??= new Llhttp()
