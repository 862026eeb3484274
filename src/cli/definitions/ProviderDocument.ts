/** A provider in its wire form. Apart from the connection's, because the schemas of a definition take long to make. */
import * as Schema from "effect/Schema"
import { ProviderDetail } from "../../api/ProvidersGroup.ts"

/** The definition apart from where it comes from. */
export const providerDocument = (detail: ProviderDetail) => {
  const { overrides_bundled, source, ...definition } = Schema.encodeSync(ProviderDetail)(detail)
  return { definition, source, overrides_bundled }
}
