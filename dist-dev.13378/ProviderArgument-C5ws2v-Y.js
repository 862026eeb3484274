import { ci as succeed, ur as fail } from "./Runtime-CYnC2HYz.js";
import { p as ProviderNotFoundError } from "./Errors-CqOgzwWL.js";
import { s as isProviderName } from "./Provider-CVJ_zWyp.js";
import { a as sanitizeLine } from "./Text-CNCZ9rIC.js";

// src/cli/ProviderArgument.ts
/** A provider's name as typed. One that no provider can have is an unknown provider, not wrong usage. */
const providerName = (typed) => isProviderName(typed) ? succeed(typed) : fail(ProviderNotFoundError.of(sanitizeLine(typed).slice(0, 64), isProviderName(typed.toLowerCase()) ? [typed.toLowerCase()] : []));

export { providerName as t };