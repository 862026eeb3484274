/** The limits of a contained run that may do everything its profile permits. */
import type { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import type { RunLimits } from "../../src/domain/wire/Run.ts"

export const unlimitedRun = (profile: ProfileHandle): RunLimits => ({
  profile,
  providers: null,
  connections: {},
  unmatched: "allow",
  contained: true,
  rules: [],
  maxUses: null,
  expiresAt: null,
  strict: false
})
