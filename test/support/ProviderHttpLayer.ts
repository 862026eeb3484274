/** The daemon's HTTP client for providers, with the `config.json` of a home. */
import * as Layer from "effect/Layer"
import { ConfigFile } from "../../src/config/file/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import type { OAuthHttp } from "../../src/oauth/OAuthHttp.ts"
import type { ApiHttp } from "../../src/outbound/ApiHttp.ts"
import * as ProviderHttp from "../../src/outbound/ProviderHttp.ts"

export const httpOf = (home: string, options: Partial<ProviderHttp.Options> = {}): Layer.Layer<ApiHttp | OAuthHttp> =>
  ProviderHttp.layerNoDeps({ ownPorts: new Set(), ...options }).pipe(
    Layer.provide(ConfigFile.layerNoDeps),
    Layer.provide(Paths.layerNoDeps),
    Layer.provide(Settings.layerOf({ home }))
  )
