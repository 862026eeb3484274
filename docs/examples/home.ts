/** The directory that the examples use: one for each program, and not the default of the command line. */
import * as os from "node:os"
import * as path from "node:path"

export const home = process.env["EXAMPLE_HOME"] ?? path.join(os.homedir(), ".our-program", "credsvc")
