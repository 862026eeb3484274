import { assert, describe, it } from "@effect/vitest"
import { listeningInodes } from "../../../src/platform/sockets/SocketTables.ts"

const row = (local: string, state: string, inode: number) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 0        0 ${inode} 1 0000000000000000\n`

describe("listeningInodes", () => {
  it("finds the sockets that listen on a port, in both tables", () => {
    const tcp = row("0100007F:1F3E", "0A", 4242) + row("0100007F:1F3E", "01", 4343)
    const tables = { tcp, tcp6: row("00000000000000000000000001000000:1F3E", "0A", 4444) }
    assert.deepStrictEqual(listeningInodes(tables, 7998), ["4242", "4444"])
    assert.deepStrictEqual(listeningInodes(tables, 7999), [])
  })
})
