import { assert, describe, it } from "vitest"
import { aliasesOf, parseMountInfo } from "../../src/contain/HostMounts.ts"

describe("aliasesOf", () => {
  const mounts = parseMountInfo(
    [
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
      "2 1 8:1 /home /mnt/all\\040homes rw - ext4 /dev/sda1 rw",
      "3 1 8:1 / /mnt/root rw - ext4 /dev/sda1 rw",
      "4 1 8:2 / /home/data rw - ext4 /dev/sdb1 rw"
    ].join("\n")
  )

  it("finds the other mounts that contain a file", () => {
    const paths = (file: string) => aliasesOf(file, mounts).map(({ alias }) => alias)
    assert.deepStrictEqual(paths("/home/me/.ssh"), ["/mnt/all homes/me/.ssh", "/mnt/root/home/me/.ssh"])
    assert.deepStrictEqual(paths("/mnt/root/home/me/.ssh"), ["/home/me/.ssh", "/mnt/all homes/me/.ssh"])
    assert.deepStrictEqual(paths("/home/data/.ssh"), [])
  })

  it("finds other mounts of a file and of its content, but not mounts below its own path", () => {
    const parts = parseMountInfo(
      [
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
        "2 1 8:1 /home/me/.ssh/keys /srv/keys rw - ext4 /dev/sda1 rw",
        "3 1 8:1 /home/me/.ssh/config /home/me/.ssh/other rw - ext4 /dev/sda1 rw",
        "4 1 8:1 /home/me/.netrc /srv/netrc rw - ext4 /dev/sda1 rw",
        "5 1 8:1 /home/me/.sshfs /srv/sshfs rw - ext4 /dev/sda1 rw"
      ].join("\n")
    )
    assert.deepStrictEqual(aliasesOf("/home/me/.ssh", parts), [{ file: "/home/me/.ssh/keys", alias: "/srv/keys" }])
    assert.deepStrictEqual(aliasesOf("/home/me/.netrc", parts), [{ file: "/home/me/.netrc", alias: "/srv/netrc" }])
  })
})
