/** The routes and OpenAPI descriptions of the pages of a login, which only browsers open. */

/** Converts path parameters to OpenAPI syntax. */
const describedPath = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

const html = (description: string) => ({
  description,
  content: { "text/html": { schema: { type: "string" }, example: "<!doctype html>..." } }
})
const onward = {
  description: "Continues at a page of the login.",
  headers: { Location: { description: "The page.", schema: { type: "string" } } }
}

const invalid = html("A page that explains which value is invalid or why the provider rejected the login.")
const unknown = html("A page that says the login is unknown.")
const stale = html("A page that says the form was already submitted.")
const expired = html("A page that says the login has expired.")

const sessionId = { name: "session_id", in: "path", required: true, schema: { $ref: "#/components/schemas/SessionId" } }

const parameter = (name: string, description: string, example: string) => ({
  name,
  in: "query",
  required: false,
  description,
  schema: { type: "string" },
  example
})

export const loginPages = {
  callback: {
    method: "GET",
    path: "/auth/callback/oauth",
    operation: {
      operationId: "auth.callback",
      summary: "Receive an authorization response",
      description:
        "The redirect URI of authorization code flows (RFC 6749, section 4.1.2). Each `state` is valid once. An exposed " +
        "daemon shows a page on which the user confirms the login.",
      parameters: [
        parameter("state", "Identifies the login.", "Hq2..."),
        parameter("code", "The authorization code.", "SplxlOBeZQQYbYS6WxSbIA"),
        parameter("iss", "The issuer (RFC 9207).", "https://login.acme.example"),
        parameter("error", "The error code of a denied authorization.", "access_denied"),
        parameter("error_description", "Why the authorization was denied.", "The user declined.")
      ],
      responses: { 200: html("A page that asks for confirmation."), 303: onward, 400: invalid, 410: expired }
    }
  },
  showInput: {
    method: "GET",
    path: "/auth/sessions/:session_id/input",
    operation: {
      operationId: "auth.showInput",
      summary: "Show the current step of a login",
      description: "Shows a form for an API key or for OAuth client credentials, or the result of the login.",
      parameters: [
        sessionId,
        parameter("onward", "Redirects to the provider's page if that is the current step.", "1")
      ],
      responses: { 200: html("The page."), 303: onward, 404: unknown, 410: expired }
    }
  },
  submitInput: {
    method: "POST",
    path: "/auth/sessions/:session_id/input",
    operation: {
      operationId: "auth.submitInput",
      summary: "Submit the form of a login",
      description:
        "Submits the fields of the form and the form token from the page. `action=cancel` cancels the login.",
      parameters: [sessionId],
      requestBody: {
        required: true,
        content: {
          "application/x-www-form-urlencoded": {
            schema: {
              component: "LoginForm",
              type: "object",
              description: "The form of a login: its fields (keyed by name), the form token and the action",
              properties: {
                form_token: { type: "string", description: "The token from the page" },
                action: { type: "string", description: "`cancel` cancels the login" }
              },
              additionalProperties: true
            }
          }
        }
      },
      responses: { 303: onward, 400: invalid, 404: unknown, 409: stale, 410: expired }
    }
  },
  showDevice: {
    method: "GET",
    path: "/auth/sessions/:session_id/device",
    operation: {
      operationId: "auth.showDevice",
      summary: "Show the code of a device login",
      description: "Shows the user code and where to enter it (RFC 8628).",
      parameters: [sessionId],
      responses: { 200: html("The page."), 404: unknown, 410: expired }
    }
  }
} as const

/** The pages as OpenAPI operations, with path and method. */
export const describedPages = Object.values(loginPages).map(({ method, operation, path }) => ({
  method: method.toLowerCase(),
  path: describedPath(path),
  operation: { tags: ["Auth sessions"], security: [], ...operation }
}))
