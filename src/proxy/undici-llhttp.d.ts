/** llhttp as undici ships it: the parser of Node, compiled to WebAssembly. */
declare module "undici/lib/llhttp/llhttp-wasm.js" {
  const module: Uint8Array<ArrayBuffer>
  export default module
}

/** What is used of it: the library of TypeScript has it among what browsers have. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  const Module: new(bytes: Uint8Array<ArrayBuffer>) => object
  const Instance: new(
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  ) => { readonly exports: Readonly<Record<string, unknown>> }
}
