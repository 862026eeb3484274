// Loaded before a TypeScript script, which an older Node would reject with ERR_UNKNOWN_FILE_EXTENSION.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Building needs Node 22.19 or newer, and this is ${process.versions.node}: run ./scripts/setup, which installs one.`
  )
  process.exit(1)
}
