/** An in-memory store for one `oidc-provider` instance. */
import type { Adapter, AdapterPayload } from "oidc-provider"

export const makeOidcStore = (): (model: string) => Adapter => {
  const records = new Map<string, AdapterPayload>()

  const findBy = (model: string, field: "uid" | "userCode", value: string): AdapterPayload | undefined => {
    for (const [key, payload] of records) if (key.startsWith(`${model}:`) && payload[field] === value) return payload
    return undefined
  }

  return (model) => ({
    upsert: async (id, payload) => void records.set(`${model}:${id}`, payload),
    find: async (id) => records.get(`${model}:${id}`),
    findByUid: async (uid) => findBy(model, "uid", uid),
    findByUserCode: async (userCode) => findBy(model, "userCode", userCode),
    consume: async (id) => {
      const payload = records.get(`${model}:${id}`)
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
    },
    destroy: async (id) => void records.delete(`${model}:${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, payload] of records) if (payload.grantId === grantId) records.delete(key)
    }
  })
}
