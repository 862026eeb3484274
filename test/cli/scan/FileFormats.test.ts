import { assert, describe, it } from "vitest"
import { readerOf } from "../../../src/cli/scan/FileFormats.ts"

const read = (path: string, content: string) => [...readerOf(path)!(content)]

describe("FileFormats", () => {
  it.each<[content: string, expected: Array<readonly [string, string]>]>([
    ["export A=1 B=2", [["A", "1"], ["B", "2"]]],
    ["A=1; export A\nB=2&&export B", [["A", "1"], ["B", "2"]]],
    ["A='a; B=b' # C=c\nD=d#d", [["A", "a; B=b"], ["D", "d#d"]]],
    ["A=\"x\\\"y\\n\"'z'w\\ v $'q'", [["A", "x\"y\\nzw v"]]],
    ["export A=\"$(f \"b c\")\" B=$(g $(h) i) C=`k l` D=d", [
      ["A", "$(f b c)"],
      ["B", "$(g $(h) i)"],
      ["C", "`k l`"],
      ["D", "d"]
    ]],
    ["echo A=1 && (declare -x B=2)\nif x; then C=3; fi", [["B", "2"], ["C", "3"]]],
    ["A=\"open; B=2\nC='two\nlines' D=4", [["A", ""], ["C", "two\nlines"], ["D", "4"]]],
    ["export A=$'1' B=\\\n2", [["A", "1"], ["B", "2"]]]
  ])("reads the assignments of the script %j", (content, expected) => {
    assert.deepStrictEqual(read(".envrc", content), expected)
  })

  it.each<[path: string, content: string, expected: Array<readonly [string, string]>]>([
    [
      ".vscode/mcp.json",
      "\uFEFF// mine\r\n{ \"servers\": { \"a\": { \"url\": \"https://x/*\", /* \"env\": {} */ \"env\": { \"A\": \"1,]\", }, }, } }",
      [["A", "1,]"]]
    ],
    [".mcp.json", "{ \"mcpServers\": { \"a\": { \"headers\": { \"X-API-Key\": \"1\" } } } }", [["X-API-Key", "1"]]],
    ["opencode.jsonc", "{ \"mcp\": { \"a\": { \"environment\": { \"A\": \"//1\" } } } } // end", [["A", "//1"]]],
    [".claude.json", "{ \"projects\": { \"/work\": { \"mcpServers\": { \"a\": { \"env\": { \"A\": \"1\" } } } } } }", [[
      "A",
      "1"
    ]]],
    ["codeium/windsurf/mcp_config.json", "{ \"mcpServers\": { \"a\": { \"env\": { \"A\": \"1\" } } } }", [["A", "1"]]],
    [
      ".codex/config.toml",
      "model = \"m\"\nenv = { Z = \"0\" }\n[mcp_servers.a]\ncommand = \"x\" # env = { Z = \"0\" }\nenv = { \"A\" = \"1\\\"\", B = '2\\' }\r\n" +
      "[mcp_servers.\"b c\".env] # mine\nC=\"3\"\n# Z = \"0\"\n[other.env]\nZ = \"0\"\n",
      [["A", "1\""], ["B", "2\\"], ["C", "3"]]
    ]
  ])("reads the keys of MCP servers in %s: %j", (path, content, expected) => {
    assert.deepStrictEqual(read(path, content), expected)
  })

  it.each<[path: string, parts: ReadonlyArray<string>, start?: string]>([
    [".envrc", ["A=\"\\\n", "A=\"$(", "A=$((", "\"$()'`", "A='\n", "A B="]],
    [".npmrc", [" ", "\t"], "//registry.npmjs.org/:_authToken=."],
    [".mcp.json", ["\\\"", "\\\"\n"], "\""],
    [".mcp.json", ["/* ", "/", ", "]],
    [".mcp.json", ["\"\","], `${"{\"mcp\":".repeat(200)}{"${"x".repeat(99999)}":[`],
    [".mcp.json", ["\"a\","], `{"${"/".repeat(8000)}":[`]
  ])("reads a megabyte in linear time: %s with %j", (path, parts, start = "") => {
    const before = process.cpuUsage().user
    for (const part of parts) read(path, `${start}${part.repeat(2 ** 20 / part.length)}.`)
    assert.isBelow(process.cpuUsage().user - before, 5_000_000)
  })
})
