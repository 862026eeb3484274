/** The paths of the pages and forms of the dashboard. */

/** Encodes a name as browsers do in a path: they do not escape `@`, which connection names may contain. */
const segment = (name: string): string => encodeURIComponent(name).replaceAll("%40", "@")

export const overviewPath = "/ui/"
export const connectionsPath = "/ui/connections"
export const providersPath = "/ui/apps"
export const activityPath = "/ui/audit"
export const verifyPath = "/ui/audit/verify"
export const runsPath = "/ui/runs"
export const requestsPath = "/ui/requests"
export const approvalsPath = "/ui/approvals"
export const eventsPath = "/ui/events"

export const providerPath = (provider: string): string => `/ui/apps/${segment(provider)}`

export const connectPath = (provider: string): string => `${providerPath(provider)}/connect`

export const revokePath = (provider: string): string => `${providerPath(provider)}/revoke`

const changePath = (change: string) => (provider: string, connection: string): string =>
  `${providerPath(provider)}/${segment(connection)}/${change}`

export const disconnectPath = changePath("disconnect")
export const defaultPath = changePath("default")
export const checkPath = changePath("check")

export const stopPath = (run: string): string => `${runsPath}/${segment(run)}/stop`

export const answerPath = (question: string): string => `${approvalsPath}/${question}`

export const loginPath = (session: string): string => `/auth/sessions/${session}/input`

export const anchorOf = (connection: string): string => `connection-${connection}`

export const rowPath = (provider: string, connection: string): string =>
  `${providerPath(provider)}#${encodeURIComponent(anchorOf(connection))}`

export type Parameters = Readonly<Record<string, string | number | undefined>>

export const withQuery = (path: string, parameters: Parameters): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, String(value))
  }
  return query.size === 0 ? path : `${path}?${query}`
}
