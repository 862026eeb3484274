import { agentVendors } from "./AgentVendors.ts"
import { commandLineVendors } from "./CommandLineVendors.ts"
import { dataVendors } from "./DataVendors.ts"
import { debianVendors } from "./DebianVendors.ts"
import { messageVendors } from "./MessageVendors.ts"
import { modelVendors } from "./ModelVendors.ts"
import { monitoringVendors } from "./MonitoringVendors.ts"
import { paymentVendors } from "./PaymentVendors.ts"
import { pythonVendors } from "./PythonVendors.ts"
import { signedVendors } from "./SignedVendors.ts"
import type { VendorClient } from "./VendorClient.ts"
import { workVendors } from "./WorkVendors.ts"

/** SDKs and command lines of providers, by kind. */
export const vendorClients: Readonly<Record<string, ReadonlyArray<VendorClient>>> = {
  "Models": modelVendors,
  "Search, scraping and agents": agentVendors,
  "Communication": messageVendors,
  "Work": workVendors,
  "Payments and shops": paymentVendors,
  "Databases and data": dataVendors,
  "Signed requests": signedVendors,
  "Observability": monitoringVendors,
  "Platforms, development and command lines": commandLineVendors,
  "Debian 12": debianVendors,
  "PyPI": pythonVendors
}
