import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import { generate, parse } from "../../src/profiles/IdentityFile.ts"

describe("An identity file", () => {
  const handle = ProfileHandle.make("work")
  const generated = () => JSON.parse(generate(handle, DateTime.makeUnsafe(0)))
  const parsed = (text: string) => parse(handle, Buffer.from(text))

  it("is read only if it is intact", () => {
    const intact = generated()
    assert.isTrue(Option.isSome(parsed(JSON.stringify(intact))))
    const damages = [
      "",
      "{",
      JSON.stringify({ ...intact, handle: "other" }),
      JSON.stringify({ ...intact, jwk: { ...intact.jwk, d: "AAAA" } }),
      JSON.stringify({ ...intact, jwk: { ...intact.jwk, x: generated().jwk.x } })
    ]
    for (const text of damages) assert.isTrue(Option.isNone(parsed(text)), text)
  })
})
