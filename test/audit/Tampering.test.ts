/**
 * Random edits by another writer between, during and around honest operations. Every edit must be noticed, no edit
 * may become legitimate, and honest operations must cause no false alarm.
 *
 * CREDSVC_TAMPER_RUNS sets the number of interleavings of each kind, CREDSVC_TAMPER_FROM the number of the first one.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { seed } from "../support/Seed.ts"
import {
  Daemon,
  expectedCopy,
  fillHome,
  harmless,
  operationOf,
  Outsider,
  type Random,
  randomOf,
  tamperWith
} from "../support/Tampering.ts"

const runs = Number(process.env["CREDSVC_TAMPER_RUNS"] ?? 40)
const from = Number(process.env["CREDSVC_TAMPER_FROM"] ?? 0)
const timeout = 60_000 + runs * 1000

/** Numbers of audit entries of the initial homes: one has a checkpoint and entries before the verified tail. */
const sizes = [0, 5, 70]
const tailLength = 64

let directory: string

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-tampering-"))
  for (const size of sizes) await fillHome(path.join(directory, `sample-${size}`), size)
}, 60_000)
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

interface State {
  readonly content: string
  readonly anchor: string | undefined
  readonly epoch: number
  /** The part of the audit log that an operation verifies. */
  readonly tail: string
  readonly others: string
}

/** The copy without lines that were cut off and then written again in full. */
const withoutTorn = (copy: string): string =>
  copy.split("\n").filter((line, index, lines) =>
    line === "" || lines.slice(index + 1).find((next) => !line.startsWith(next))?.startsWith(line) !== true
  ).join("\n")

const epochOf = (anchor: string | undefined): number => Number(/"epoch":(\d+)/.exec(anchor ?? "")?.[1])

class Scene {
  readonly random: Random
  readonly daemon: Daemon
  readonly outsider: Outsider
  /** The events so far, for the failure message. */
  readonly story: Array<string> = []
  /** All states that honest operations have left. */
  readonly honest: Array<State> = []
  /** Whether the daemon has read nothing since its start. */
  isForgetful = true

  constructor(random: Random, home: string) {
    this.random = random
    this.daemon = new Daemon(home)
    this.outsider = new Outsider(home)
  }

  state(): State {
    const { audit = [], manifest = [], ...others } = this.outsider.tables()
    const sequence = audit.map(({ seq }) => Number(seq))
    const last = Math.max(0, ...sequence)
    const text = (value: unknown) =>
      JSON.stringify(value, (_, item: unknown) => item instanceof Uint8Array ? Buffer.from(item).toString("hex") : item)
    return {
      content: this.outsider.content(),
      anchor: this.outsider.anchor(),
      epoch: Number(manifest[0]?.["epoch"]),
      tail: text([
        Math.min(...sequence),
        audit.filter(({ seq }) => Number(seq) > last - tailLength).map((entry) => Object.entries(entry))
      ]),
      others: text([this.outsider.schema(), manifest, others])
    }
  }

  left(): State {
    return this.honest.at(-1)!
  }

  /** Records an honest state, for the oracle and for the attacker. */
  note(): void {
    const state = this.state()
    if (state.content !== this.honest.at(-1)?.content) this.outsider.remember()
    this.honest.push(state)
  }

  /** Whether a new process must accept this state, including one with the previous anchor, as after a crash. */
  isLegitimate({ anchor, content, epoch }: State): boolean {
    const isOurs = this.honest.some((known) => known.anchor === anchor)
    const behind = isOurs ? epoch - epochOf(anchor) : -1
    return (behind === 0 || behind === 1) && this.honest.some((known) => known.content === content)
  }

  /** An anchor that the daemon left at this epoch. */
  anchorAt(epoch: number): string | undefined {
    return this.honest.find(({ anchor }) => epochOf(anchor) === epoch)?.anchor
  }

  async verify(): Promise<boolean> {
    this.story.push("verify")
    const exit = await this.daemon.run(Effect.flatMap(AuditLog, ({ verify }) => verify))
    if (Exit.isFailure(exit)) return false
    const { brokenAt, copy, ok, problem } = exit.value
    const accepted = problem === null || problem.startsWith("The copy of the audit log")
    if (accepted) {
      this.isForgetful = false
      assert.isNull(brokenAt)
      assert.strictEqual(ok, copy !== "differs")
      assert.strictEqual(
        copy !== "differs",
        withoutTorn(this.outsider.copy() ?? "") === expectedCopy(this.outsider),
        `copy is ${copy}`
      )
    } else assert.isFalse(ok)
    return accepted
  }

  async stop(): Promise<void> {
    this.story.push("stop")
    await this.daemon.stop()
  }

  async start(): Promise<void> {
    this.story.push("start")
    this.isForgetful = true
    await this.daemon.start()
  }

  /** Runs an honest operation, which must succeed. */
  async proceed(): Promise<void> {
    const what = this.random.below(10)
    if (what === 0) {
      await this.stop()
      this.note()
      await this.start()
    } else if (what === 1) assert.isTrue(await this.verify(), "false alarm")
    else {
      const operation = operationOf(this.random)
      this.story.push(operation.name)
      const exit = await this.daemon.run(operation.effect)
      assert.isTrue(Exit.isSuccess(exit), `false alarm: ${JSON.stringify(exit)}`)
      this.isForgetful = false
    }
    this.note()
  }
}

const play = async (at: number, body: (scene: Scene) => Promise<void>): Promise<void> => {
  const random = randomOf(seed + at * 7919)
  const home = path.join(directory, `home-${at}`)
  fs.cpSync(path.join(directory, `sample-${random.pick(sizes)}`), home, { recursive: true })
  const scene = new Scene(random, home)
  try {
    scene.note()
    await scene.daemon.start()
    await body(scene)
  } catch (error) {
    throw new Error(`interleaving ${at} of seed ${seed}: ${scene.story.join("; ")}: ${String(error)}`, { cause: error })
  } finally {
    await scene.daemon.stop()
    scene.outsider.close()
    fs.rmSync(home, { recursive: true, force: true })
  }
}

const edit = async (scene: Scene): Promise<void> => {
  const { daemon, outsider, random, story } = scene
  const change = () => story.push(`OUTSIDER: ${tamperWith(random, outsider)}`)
  switch (random.below(4)) {
    case 0:
      await scene.stop()
      scene.note()
      change()
      return scene.start()
    case 1: {
      // After the commit, before the daemon has overwritten the anchor.
      let committed: State | undefined
      const operation = operationOf(random, () => {
        committed = scene.state()
        change()
      })
      story.push(`during ${operation.name}`)
      await daemon.run(operation.effect)
      scene.isForgetful = false
      // An operation without changes writes no anchor.
      const hasAnchored = committed?.epoch !== scene.left().epoch
      if (committed !== undefined) {
        scene.honest.push({ ...committed, anchor: hasAnchored ? outsider.anchor() : scene.left().anchor })
      }
      return
    }
    default:
      change()
  }
}

const attack = async (scene: Scene): Promise<"edited" | "nothing"> => {
  const { daemon, outsider, random, story } = scene
  for (let count = random.below(4) + 1; count > 0; count--) await scene.proceed()
  await edit(scene)
  const edited = scene.state()
  const isEdit = edited.content !== scene.left().content || edited.anchor !== scene.left().anchor
  let hasNoticed = false
  let wasQuiet = false
  const isAccepted = (state: State) =>
    state.content === scene.left().content && state.anchor === scene.left().anchor ||
    scene.isForgetful && scene.isLegitimate(state)
  // Edits that only a verification of the whole log detects.
  const isQuietIn = (state: State) =>
    !isAccepted(state) && state.others === scene.left().others && state.tail === scene.left().tail &&
    state.anchor === scene.left().anchor
  const stop = async () => {
    const before = scene.state()
    await scene.stop()
    if (isAccepted(before) && !hasNoticed && !wasQuiet) scene.note()
    else if (isQuietIn(before) && !hasNoticed) wasQuiet = true
    else if (!wasQuiet) assert.strictEqual(scene.state().content, before.content, "written to at the end")
  }
  for (let count = random.below(5) + 2; count > 0; count--) {
    const kind = random.below(8)
    if (kind === 0) {
      await stop()
      await scene.start()
      hasNoticed = false
      continue
    }
    // An unknown version of the manifest is rejected while it is present.
    if (kind === 1 && hasNoticed && !wasQuiet && await daemon.found()) {
      story.push("OUTSIDER: undo")
      outsider.putBack(Object.keys(outsider.tables()), outsider.earlier.at(-1)!)
      outsider.db.exec("DROP TRIGGER IF EXISTS evil")
      outsider.writeAnchor(scene.left().anchor)
      assert.isFalse(await scene.verify(), "a detected edit was forgotten")
      continue
    }
    const before = scene.state()
    const left = scene.left()
    const isLegitimate = isAccepted(before)
    const isQuiet = wasQuiet || isQuietIn(before)
    // Edits that only reading the anchor detects.
    const isOfAnchor = !scene.isForgetful && before.content === left.content && before.anchor !== left.anchor
    if (kind === 2 || kind === 3) {
      const accepted = await scene.verify()
      assert.strictEqual(accepted, isLegitimate && !wasQuiet && !hasNoticed, "verify")
      hasNoticed ||= !accepted
    } else {
      const operation = operationOf(random)
      story.push(operation.name)
      const succeeded = Exit.isSuccess(await daemon.run(operation.effect))
      if (hasNoticed) assert.isFalse(succeeded, "a detected edit was forgotten")
      else if (isQuiet) {
        assert.isTrue(succeeded, "an operation that cannot detect the edit")
        wasQuiet = true
      } else if (isLegitimate) assert.isTrue(succeeded, "false alarm")
      else if (!isOfAnchor || operation.writes) assert.isFalse(succeeded, `unnoticed by ${operation.name}`)
      if (!succeeded) hasNoticed = true
      else scene.isForgetful = false
    }
    if (!hasNoticed && isLegitimate && !wasQuiet) scene.note()
  }
  await stop()
  const last = scene.state()
  await scene.start()
  const accepted = await scene.verify()
  if (wasQuiet) assert.isFalse(accepted, "laundered")
  else assert.strictEqual(accepted, scene.isLegitimate(last), accepted ? "laundered" : "false alarm")
  return isEdit ? "edited" : "nothing"
}

describe("StoreManifest, with another process writing to the store", () => {
  it(`detects every edit and accepts none later, in ${runs} interleavings`, async () => {
    let edits = 0
    for (let at = from; at < from + runs; at++) {
      await play(at, async (scene) => {
        if (await attack(scene) === "edited") edits++
      })
    }
    console.log(`${edits} of ${runs} interleavings changed the database or the anchor`)
    assert.isAbove(edits, runs / 3)
  }, timeout)

  it(`raises no false alarm, in ${runs} interleavings`, async () => {
    for (let at = from; at < from + runs; at++) {
      await play(at, async (scene) => {
        const { outsider, random, story } = scene
        for (let count = random.below(6) + 3; count > 0; count--) {
          const kind = random.below(4)
          if (kind === 0) story.push(`outsider: ${harmless(random, outsider)}`)
          else if (kind === 1 && random.below(3) === 0) {
            await scene.stop()
            scene.note()
            // A crash after a commit leaves the anchor one step behind.
            const before = scene.anchorAt(scene.left().epoch - 1)
            if (before !== undefined) outsider.writeAnchor(before)
            await scene.start()
          } else await scene.proceed()
        }
        await scene.stop()
        await scene.start()
        assert.isTrue(await scene.verify(), "false alarm")
      })
    }
  }, timeout)
})
