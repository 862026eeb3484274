/**
 * Attempts to escape from a contained run (attempts.py). Each is also made in a run that is not contained, where it must succeed:
 * otherwise its failure would show nothing.
 */
import { execFileSync, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { canContain, type ContainedSandbox, openContainedSandbox, ordinaryUser } from "../support/ContainedSandbox.ts"
import { collect, entry, giveTo, type User } from "../support/Sandbox.ts"

const INHERITED = 30

/** Attempts that also fail on some machines without containment, because the kernel is configured so. */
const configurable = new Set([
  "a socket of the host of a virtual machine (AF_VSOCK)",
  "a socket without the socket call (io_uring)",
  "a new user namespace",
  "a new user namespace by clone3",
  "a mount in a namespace of its own",
  "the kernel's key store",
  "typing into the terminal (TIOCSTI)",
  "typing into the terminal with bits that the kernel ignores",
  "a route to public IPv4 addresses",
  "a route to metadata addresses",
  "tcp to another service on ::1",
  "through the proxy of the run: ::1",
  "the key file through the root of the first process",
  "as root: the mode of the program that creates the namespaces",
  "as root: where core files of the machine go",
  "as root: other settings of the kernel",
  "as root: the magic keys of the machine",
  "as root: performance events of the kernel",
  "as root: a program in the kernel (bpf)",
  "as root: page faults of the kernel (userfaultfd)"
])

const ordinary = ordinaryUser()
const users: ReadonlyArray<readonly [name: string, user: User | undefined]> = [
  [process.getuid?.() === 0 ? "root" : "an ordinary user", undefined],
  ...ordinary === undefined ? [] : [["an ordinary user", ordinary] as const]
]

for (const [name, user] of users) {
  describe.skipIf(!canContain)(`A contained run of ${name}`, () => {
    let sandbox: ContainedSandbox
    const closed: Array<() => void> = []
    let fixtures: object

    /** A service that answers everything with a word. */
    const listen = async (options: net.ListenOptions): Promise<net.Server> => {
      const server = net.createServer((socket) => {
        socket.on("error", () => {}).once("data", () => socket.end("HTTP/1.1 200 OUTSIDE\r\n\r\nOUTSIDE\n"))
      })
      closed.push(() => server.close())
      server.listen(options)
      await once(server, "listening")
      return server
    }
    const portOf = (server: net.Server): number => (server.address() as net.AddressInfo).port

    beforeAll(async () => {
      sandbox = await openContainedSandbox(user)
      const { home, person, work } = sandbox
      const { url } = JSON.parse((await sandbox.credsvc(["daemon", "status"])).stdout) as { url: string }
      const daemonPid = Number(
        /"pid": *(\d+)/.exec(fs.readFileSync(path.join(home, "server", "daemon.json"), "utf8"))?.[1]
      )

      const tcp = await listen({ port: 0, host: "127.0.0.1" })
      const machine = await listen({ port: 0, host: "0.0.0.0" })
      const machineAddress = Object.values(os.networkInterfaces()).flat()
        .find((entry) => entry?.family === "IPv4" && !entry.internal)?.address ?? "127.0.0.2"
      const tcp6 = await listen({ port: 0, host: "::1" }).catch(() => tcp)
      const udp = createSocket("udp4", (_, from) => udp.send("OUTSIDE", from.port, from.address))
      udp.bind(0, "127.0.0.1")
      await once(udp, "listening")
      closed.push(() => udp.close())
      const abstractSocket = `credsvc-test-${process.pid}`
      await listen({ path: `\0${abstractSocket}` })
      const sockets: Record<string, string> = {
        "a socket of an agent in the home directory": path.join(person, ".ssh", "agent.sock"),
        "the socket of docker": path.join(person, ".docker", "run", "docker.sock"),
        "the session bus": path.join(sandbox.directory, "runtime", "bus"),
        "a socket in the working directory": path.join(work, "service.sock"),
        "a socket in the directory for temporary files": path.join(os.tmpdir(), `credsvc-test-${process.pid}.sock`)
      }
      for (const file of Object.values(sockets)) {
        fs.mkdirSync(path.dirname(file), { recursive: true })
        await listen({ path: file })
        giveTo(user, file)
      }
      const sharedFile = `/dev/shm/credsvc-test-${process.pid}`
      fs.writeFileSync(sharedFile, "shared")
      giveTo(user, sharedFile)
      closed.push(() => fs.rmSync(sharedFile, { force: true }))
      const sharedKey = 0x6e000000 + process.pid
      const segment = execFileSync("python3", [
        "-c",
        `import ctypes; print(ctypes.CDLL(None).shmget(${sharedKey}, 4096, 0o1600))`
      ], { encoding: "utf8", ...user }).trim()
      closed.push(() => execFileSync("ipcrm", ["-m", segment]))

      const repository = (directory: string) => {
        fs.mkdirSync(directory, { recursive: true })
        execFileSync("git", ["init", "-q", directory])
        giveTo(user, directory)
      }
      repository(work)
      repository(path.join(work, "nested"))
      fs.writeFileSync(path.join(sandbox.directory, "inherited"), "inherited")

      // Another run of the same user, whose proxy admits processes of this user without a credential.
      const other = spawn(process.execPath, [
        entry,
        "run",
        "--quiet",
        "--",
        process.execPath,
        "-e",
        "console.log(new URL(process.env.HTTPS_PROXY).port); process.stdin.resume()"
      ], { cwd: work, env: sandbox.env, stdio: ["pipe", "pipe", "inherit"], ...user })
      closed.push(() => other.stdin.end())
      const otherProxyPort = Number(
        (await createInterface({ input: other.stdout })[Symbol.asyncIterator]().next()).value
      )

      const port = portOf(tcp)
      fixtures = {
        daemonPort: Number(new URL(url).port),
        daemonPid,
        tcpPort: port,
        tcp6Port: portOf(tcp6),
        machineAddress,
        machinePort: portOf(machine),
        udpPort: udp.address().port,
        abstractSocket,
        sockets,
        otherProxyPort,
        proxyTargets: {
          "127.0.0.1": `127.0.0.1:${port}`,
          "localhost": `localhost:${port}`,
          "0.0.0.0": `0.0.0.0:${port}`,
          "::1": `[::1]:${portOf(tcp6)}`,
          "the machine's own address": `${machineAddress}:${portOf(machine)}`,
          "127.0.0.1 as an IPv6 address": `[::ffff:127.0.0.1]:${port}`
        },
        keyFile: path.join(home, "server", "master.key"),
        home,
        reads: {
          "the key file": path.join(home, "server", "master.key"),
          "the database": path.join(home, "server", "credsvc.db"),
          "the access key of the daemon": path.join(home, "server", "access.key"),
          "a private key of ssh": path.join(person, ".ssh", "id_ed25519"),
          "the passwords of .netrc": path.join(person, ".netrc")
        },
        descriptor: INHERITED,
        sharedFile,
        sharedKey
      }
      fs.writeFileSync(path.join(work, "fixtures.json"), JSON.stringify(fixtures))
      fs.copyFileSync(fileURLToPath(new URL("attempts.py", import.meta.url)), path.join(work, "attempts.py"))
      for (const directory of [person, path.join(sandbox.directory, "runtime"), work]) giveTo(user, directory)
    })
    afterAll(async () => {
      for (const close of closed.toReversed()) close()
      await sandbox?.close()
    })

    const results = async (flags: string): Promise<Record<string, string>> => {
      const script = `exec ${INHERITED}<../inherited; exec '${process.execPath}' '${entry}' run --quiet ${flags} -- ` +
        "python3 attempts.py fixtures.json"
      const child = spawn("bash", ["-c", script], {
        cwd: sandbox.work,
        env: {
          ...sandbox.env,
          SSH_AUTH_SOCK: path.join(sandbox.person, ".ssh", "agent.sock"),
          XDG_RUNTIME_DIR: path.join(sandbox.directory, "runtime"),
          CREDSVC_MASTER_KEY: Buffer.alloc(32, 7).toString("base64")
        },
        stdio: ["ignore", "pipe", "pipe"],
        ...user
      })
      const { stderr, stdout } = await collect(child)
      if (!stdout.startsWith("{")) throw new Error(`no results: ${stdout}${stderr}`)
      return JSON.parse(stdout) as Record<string, string>
    }

    it("stops every attempt to escape that succeeds in other runs", async () => {
      const outside = await results("")
      const names = Object.keys(outside)
      assert.isAtLeast(names.length, 40)
      const failed = names.filter((name) => outside[name] !== "succeeded" && !configurable.has(name))
      assert.deepStrictEqual(failed.map((name) => `${name}: ${outside[name]}`), [], "these show nothing")
      const impossible = names.filter((name) => outside[name] !== "succeeded")
      if (impossible.length > 0) {
        console.warn(`not possible on this machine even without --contain: ${impossible.join(", ")}`)
      }

      const inside = await results("--contain")
      assert.deepStrictEqual(Object.keys(inside), names)
      assert.deepStrictEqual(names.filter((name) => inside[name] === "succeeded"), [], "these escape")
      assert.deepStrictEqual(names.filter((name) => inside[name] === "timed out"), [], "these hang")
    })
  })
}
