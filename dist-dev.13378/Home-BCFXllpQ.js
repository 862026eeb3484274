import { Kr as provide, la as provideMerge } from "./Runtime-CYnC2HYz.js";
import { t as Paths } from "./Paths-Vqceat6V.js";
import { f as Settings } from "./SecureFiles-DvIPMxq1.js";
import { t as ClientLog } from "./ClientLog-Cu8iOtzs.js";

// src/cli/Home.ts
/** What every handler has at hand: the settings of the environment, the paths of the home directory, and the debug log. */
const home = ClientLog.layerNoDeps.pipe(provideMerge(Paths.layerNoDeps), provideMerge(Settings.layer));
/** Built when a command runs, so that help is printed whatever the environment says. */
const provideHome = provide(home);

export { provideHome };