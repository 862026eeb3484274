/** Reads Prometheus' text format, strictly: a line that the format does not allow is an error. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Exposition {
  readonly types: ReadonlyMap<string, string>
  readonly help: ReadonlyMap<string, string>
  readonly samples: ReadonlyArray<Sample>
  /** The value of the only series with this name and at least these labels; undefined without one. */
  readonly value: (name: string, labels?: Readonly<Record<string, string>>) => number | undefined
}

const sampleLine = /^(?<name>[a-z_]+)(?:\{(?<labels>(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)+)\})? (?<value>[0-9.e+-]+|\+Inf)$/

export const readExposition = (text: string): Exposition => {
  const types = new Map<string, string>()
  const help = new Map<string, string>()
  const samples: Array<Sample> = []
  if (!text.endsWith("\n")) throw new Error("the last line is incomplete")
  for (const line of text.slice(0, -1).split("\n")) {
    const comment = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line)
    if (comment !== null) {
      const [, kind, name = "", rest = ""] = comment
      const known = kind === "HELP" ? help : types
      if (known.has(name)) throw new Error(`a second ${kind} of ${name}`)
      known.set(name, rest)
      continue
    }
    const sample = sampleLine.exec(line)?.groups
    if (sample === undefined) throw new Error(`invalid line: ${line}`)
    const labels = [...(sample.labels ?? "").matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)]
    samples.push({
      name: sample.name!,
      labels: Object.fromEntries(labels.map(([, name, value]) => [name!, value!])),
      value: Number(sample.value)
    })
  }
  return {
    types,
    help,
    samples,
    value: (name, labels = {}) => {
      const found = samples.filter((sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
      )
      if (found.length > 1) throw new Error(`${found.length} series of ${name} with ${JSON.stringify(labels)}`)
      return found[0]?.value
    }
  }
}
