import { assert, describe } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"
import * as JavaTrustStore from "../../src/run/JavaTrustStore.ts"
import { live } from "../support/Fixture.ts"
import { runProgram } from "../support/Programs.ts"
import { temporaryFile } from "../support/ProxyHarness.ts"

const ca = CertificateAuthority.createTemporary(["api.github.com"])

describe("JavaTrustStore", () => {
  live("is read by Java's own tool, without a password", function*() {
    const directory = path.dirname(yield* temporaryFile("x", ""))
    const store = path.join(directory, "store.jks")
    fs.writeFileSync(store, JavaTrustStore.make([ca.rootDer]))
    const { code, output } = yield* runProgram("sh", ["-c", `echo | keytool -list -v -keystore ${store}`])
    if (code === 127) return // Java is not installed
    assert.strictEqual(code, 0, output)
    assert.include(output, "Your keystore contains 1 entry")
    assert.include(output, "CN=credsvc run")
  })
})
