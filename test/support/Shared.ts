import { afterAll, beforeAll } from "vitest"

/** What tests share: it is opened before the first one, and closed after the last one. */
export const shared = <A extends { readonly close: () => unknown }>(open: () => Promise<A>): A => {
  const opened = {} as A
  beforeAll(async () => void Object.assign(opened, await open()))
  afterAll(() => opened.close?.())
  return opened
}
