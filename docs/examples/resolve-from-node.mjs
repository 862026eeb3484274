/**
 * The credential for one request, without a library: the daemon is an HTTP server on this machine.
 *
 * `credsvc daemon status` prints the address. Log in first: credsvc login anthropic.
 *
 * Prints: x-api-key: 28 characters
 */
const daemon = process.env.CREDSVC_DAEMON_URL ?? "http://127.0.0.1:7998"

const response = await fetch(`${daemon}/credentials/resolve`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ host: "api.anthropic.com", path: "/v1/messages" })
})
const result = await response.json()
if (!response.ok) throw new Error(`${result.error}: ${result.detail}`)
for (const [name, value] of Object.entries(result.headers)) console.log(`${name}: ${value.length} characters`)
