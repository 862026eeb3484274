import { assert, describe } from "@effect/vitest"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { addAuthority } from "../../src/run/NssDatabase.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

describe("NssDatabase", () => {
  testsWith(temporaryDirectory).effect(
    "stores each authority with its names, serial number and trust",
    function*(home) {
      // A long name needs a length of several bytes.
      const roots = [["a.test"], Array.from({ length: 40 }, (_, at) => `host-${at}.example.com`)]
        .map((names) => CertificateAuthority.createTemporary(names).rootDer)
      for (const root of roots) addAuthority(`${home}/cert9.db`, root)
      const database = new builtins.sqlite.DatabaseSync(`${home}/cert9.db`, { readOnly: true })
      const rows = database.prepare("SELECT * FROM nssPublic").all() as ReadonlyArray<Record<string, Uint8Array>>
      database.close()
      const hex = (row: Record<string, Uint8Array> | undefined, column: string) =>
        Buffer.from(row?.[column] ?? []).toString("hex")
      for (const [at, root] of roots.entries()) {
        const [certificate, trust] = rows.slice(2 * at)
        const { fingerprint, serialNumber } = new builtins.crypto.X509Certificate(root)
        assert.deepStrictEqual(hex(certificate, "a11"), Buffer.from(root).toString("hex"))
        // A root is its own issuer.
        assert.strictEqual(hex(certificate, "a81"), hex(certificate, "a101"))
        assert.include(hex(certificate, "a11"), hex(certificate, "a101"))
        for (const row of [certificate, trust]) {
          assert.strictEqual(hex(row, "a82").slice(4).replace(/^00/, ""), serialNumber.toLowerCase())
        }
        assert.strictEqual(hex(trust, "ace5363b4"), fingerprint.replaceAll(":", "").toLowerCase())
        assert.strictEqual(hex(trust, "ace536358"), "ce534352", "trusted for servers")
      }
    }
  )
})
