/** The identity of a daemon that a test builds from single services. */
import * as MutableRef from "effect/MutableRef"
import { authoritiesOf } from "../../src/server/http/Guard.ts"
import { Instance } from "../../src/server/http/Instance.ts"

export const testInstance = (changes: Partial<Instance["Service"]> = {}): Instance["Service"] => {
  const { port = 7998 } = changes
  return Instance.of({
    id: "0123456789abcdef",
    startedAt: 0,
    host: "127.0.0.1",
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    mountPath: "",
    authorities: authoritiesOf("127.0.0.1", port, undefined),
    exposed: false,
    accessKey: new Uint8Array(32),
    stopping: MutableRef.make(false),
    warnings: () => [],
    ...changes
  })
}
