/** A provider in its wire form. In a file of its own, because the schemas of definitions take long to construct. */
import * as Schema from "effect/Schema"
import { ProviderDetail } from "../../../api/ProvidersGroup.ts"

export const providerDocument = (detail: ProviderDetail) => {
  const { overrides_bundled, source, ...definition } = Schema.encodeSync(ProviderDetail)(detail)
  return { definition, source, overrides_bundled }
}
