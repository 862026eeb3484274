/** The llhttp that undici ships: Node's parser, compiled to WebAssembly. */
declare module "undici/lib/llhttp/llhttp-wasm.js" {
  const module: Uint8Array<ArrayBuffer>
  export default module
}

/** The part of WebAssembly in use: TypeScript declares it only for browsers. */
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
