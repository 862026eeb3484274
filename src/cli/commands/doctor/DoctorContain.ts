/** Reports whether runs can be contained on this machine, and what a run from the working directory would see. */
import * as Effect from "effect/Effect"
import { ConfigFile } from "../../../config/file/ConfigFile.ts"
import { Paths } from "../../../config/Paths.ts"
import { type ContainReport, containReport } from "../../../run/ContainedRun.ts"
import { allRecipes, movedLogins } from "../../../run/recipes/Recipes.ts"
import { provideHome } from "../../home/Home.ts"
import { Output } from "../../output/Output.ts"
import { Exited } from "../../output/Report.ts"
import { sanitizeLine } from "../../output/Sanitize.ts"

const styles = { ok: "green", failed: "red", warning: "yellow" } as const

type Check = readonly [name: string, status: keyof typeof styles, message: string]

const checksOf = ({ opensLowPorts, plan, problem, refusal }: ContainReport): ReadonlyArray<Check> => [
  ["namespaces", problem === undefined ? "ok" : "failed", problem ?? "Runs can be contained on this machine."],
  [
    "ports",
    opensLowPorts ? "ok" : "warning",
    opensLowPorts
      ? "Programs that ignore the proxy variables can also connect to providers."
      : "Ports 53, 80 and 443 cannot be opened: programs that ignore the proxy variables cannot connect to any host."
  ],
  plan === undefined
    ? ["directory", "failed", refusal ?? "Not checked."]
    : ["directory", "ok", `${plan.directory} becomes writable.`]
]

/** Groups the targets of the plan's mounts by their effect on the command. */
const pathsOf = ({ plan }: ContainReport) => {
  const mounts = plan?.mounts ?? []
  const targets = (...kinds: ReadonlyArray<string>) =>
    [
      ...new Set(mounts.filter(({ kind }) => kinds.includes(kind)).map(({ target }) => target))
    ].filter((target) => !target.startsWith("/proc/")).toSorted()
  return {
    writable: targets("writable"),
    hidden: targets("hidden-directory", "hidden-file"),
    private: targets("private-directory")
  }
}

export const doctorContain = Effect.fnUntraced(
  function*() {
    const output = yield* Output
    const { home, runs } = yield* Paths
    const { run } = yield* (yield* ConfigFile).read
    const report = containReport({
      credsvcHome: home,
      // This check does not create the directory of a run.
      runDirectory: `${runs}/credsvc-run`,
      write: [],
      hide: [],
      writeIfPresent: run.write,
      hideIfPresent: run.hide,
      rules: [],
      logins: movedLogins(yield* allRecipes),
      own: []
    })
    const paths = pathsOf(report)
    const works = report.problem === undefined && report.plan !== undefined
    if (output.json) {
      yield* output.document({
        status: works ? "ok" : "failed",
        default: run.contain,
        problem: report.problem ?? report.refusal ?? null,
        opens_low_ports: report.opensLowPorts,
        ...paths
      })
    } else {
      yield* output.data(output.table(checksOf(report), {
        CHECK: ([name]) => name,
        STATUS: ([, status]) => ({ text: status, style: styles[status] }),
        MESSAGE: ([, , message]) => message
      }))
      if (report.plan !== undefined) {
        yield* output.data(
          `\nHidden here (${paths.hidden.length}):\n${
            paths.hidden.map((file) => `  ${sanitizeLine(file)}\n`).join("")
          }` +
            `Empty and private: ${paths.private.join(", ")}\n` +
            `Writable: ${paths.writable.map(sanitizeLine).join(", ")}\n`
        )
      }
      yield* output.note(
        run.contain
          ? "Every run is contained (run.contain in config.json)."
          : "Contain a run with: credsvc run --contain -- <command>"
      )
    }
    if (!works) return yield* Effect.fail(new Exited(1))
  },
  Effect.provide(ConfigFile.layerNoDeps),
  provideHome
)
