/** The one module of undici that the proxy needs; the package's entry point loads fetch, caches and mocks as well. */
declare module "undici/lib/dispatcher/client.js" {
  import { Client } from "undici"
  export default Client
}
