#!/usr/bin/env node
// Becomes the single executable, for tests that start the program with Node.
import { fileURLToPath } from "node:url"

const executable = fileURLToPath(new URL("../../build/credsvc", import.meta.url))
process.execve(executable, [executable, ...process.argv.slice(2)])
