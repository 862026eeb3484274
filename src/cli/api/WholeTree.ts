/** The command tree with every operation of the interface, for documents and completion. */
import { treeWith } from "../tree/Root.ts"
import { apiCommands } from "./ApiCommands.ts"

export const wholeTree = treeWith(apiCommands())
