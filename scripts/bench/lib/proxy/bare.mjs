/**
 * A server that responds to every request with a constant text over TLS. Arguments: certificate file, key file. Prints its
 * port. JavaScript, because what removes types from TypeScript takes 10 MiB.
 */
import * as fs from "node:fs"
import * as https from "node:https"

const [cert = "", key = ""] = process.argv.slice(2)

const server = https.createServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) }, (_, response) => {
  response.end("ok")
})
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
