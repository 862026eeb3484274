/** Counts the changes to the rows of each covered table, for caches of data derived from them. */
import { listenIn } from "../../platform/Listeners.ts"
import { coveredTables, type RowChanges, tableNameOf } from "./ManifestDigest.ts"

type Listener = (tables: ReadonlySet<string>) => void

export const makeTableRevisions = () => {
  const revisions = new Map<string, number>()
  const members = new Map<string, number>()
  const listeners = new Set<Listener>()
  const increase = (counts: Map<string, number>, tables: Iterable<string>) => {
    for (const table of tables) counts.set(table, (counts.get(table) ?? 0) + 1)
  }

  return {
    revisionOf: (table: string): number => revisions.get(table) ?? 0,
    membersOf: (table: string): number => members.get(table) ?? 0,
    onChange: (listener: Listener) => listenIn(listeners, listener),
    /** Records changed rows. Call it before `digests` has their new digests. Undefined stands for all rows. */
    note: (
      digests: ReadonlyMap<string, bigint> | undefined,
      rows: RowChanges | undefined
    ): void => {
      const changed = new Set<string>(rows === undefined ? coveredTables.map(({ name }) => name) : [])
      const moved = new Set(changed)
      for (const [name, digest] of rows ?? []) {
        changed.add(tableNameOf(name))
        if (digest === undefined || digests?.has(name) !== true) moved.add(tableNameOf(name))
      }
      increase(revisions, changed)
      increase(members, moved)
      for (const listener of listeners) listener(changed)
    }
  }
}
