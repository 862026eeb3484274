/**
 * The announcements of the daemons that share a PostgreSQL database, as notifications on one channel. Anyone who can
 * connect can send them, so they are only hints.
 */
import { listenIn } from "../../platform/Listeners.ts"

interface Listener {
  readonly topic: string
  readonly hear: (name: string | undefined) => void
}

/** The channel for all announcements in a database. Each of its schemas may contain a store. */
export const announcementChannel = "credsvc"

/** The topic of the announcement that a daemon has migrated the tables. */
export const migratedTopic = "migrated"

/** The announcements about the store in a schema, except for those that this daemon, with the number `own`, has sent. */
export const makeAnnouncements = (schema: string, own: string) => {
  const listeners = new Set<Listener>()
  return {
    /** Returns the statement that sends an announcement, and its parameters. */
    statement: (topic: string, name: string) =>
      [`SELECT pg_notify('${announcementChannel}', $1)`, [`${schema} ${own} ${topic} ${name}`]] as const,

    /** Calls the listeners of an announcement. Returns whether it says that the tables were migrated. */
    receive: (payload: string): boolean => {
      const [storeSchema, sender, topic, name] = payload.split(" ")
      if (storeSchema !== schema || sender === own) return false
      for (const listener of listeners) if (listener.topic === topic) listener.hear(name)
      return topic === migratedTopic
    },

    /** Calls all listeners without a name, because announcements may have been missed. */
    reportMissed: (): void => {
      for (const listener of listeners) listener.hear(undefined)
    },

    onAnnounced: (topic: string, hear: Listener["hear"]) => listenIn(listeners, { topic, hear })
  }
}

export type Announcements = ReturnType<typeof makeAnnouncements>
