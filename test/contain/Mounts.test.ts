import { assert, describe, it } from "vitest"
import { mountArguments } from "../../src/contain/Mounts.ts"

describe("mountArguments", () => {
  it("orders mounts from the outside in, and makes hidden directories read-only at the end", () => {
    const args = mountArguments([
      { kind: "writable", target: "/a/b/c", source: "/a/b/c" },
      { kind: "hidden-directory", target: "/a/b" },
      { kind: "hidden-file", target: "/a/b/c/d" },
      { kind: "private-directory", target: "/tmp" },
      { kind: "read-only", target: "/a/b", source: "/x" }
    ], "/empty")
    assert.strictEqual(
      args.slice(7).join(" "),
      "--perms 1777 --tmpfs /tmp --ro-bind /x /a/b --bind /a/b/c /a/b/c --ro-bind /empty /a/b/c/d"
    )
    assert.deepStrictEqual(mountArguments([{ kind: "hidden-directory", target: "/a" }], "/empty").slice(-2), [
      "--remount-ro",
      "/a"
    ])
  })
})
