import { Ci as void_, Gn as andThen, Nn as make, Yn as callback, ci as succeed, fi as sync, kr as map, pr as flatMap, ti as runSync, ur as fail } from "./Runtime-CYnC2HYz.js";
import { l as InputCancelledError } from "./Errors-CqOgzwWL.js";
import { r as Output } from "./main.js";
import { i as sanitize } from "./Text-CNCZ9rIC.js";

// src/cli/Prompt.ts
/**
* Questions to the person at the terminal, asked on stderr so that stdout stays data.
*
* The terminal is switched to raw mode for one question and back again however that question ends. Ctrl-C, Ctrl-D and the
* end of the input are `InputCancelledError`.
*/
const cancelled = () => new InputCancelledError({ detail: "Cancelled; nothing was changed." });
const maxLength = 65536;
/** Applies what arrived to what was typed so far. Escape sequences (arrows, the marks of a paste) are left out. */
const edit = (typed, chunk) => {
	const text = chunk.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001bO.|\u001b./g, "");
	let line = typed;
	for (const character of text) switch (character) {
		case "\r":
		case "\n": return {
			typed: line,
			key: "enter"
		};
		case "": return {
			typed: "",
			key: "cancel"
		};
		case "":
			if (line === "") return {
				typed: "",
				key: "cancel"
			};
			break;
		case "\b":
		case "":
			line = Array.from(line).slice(0, -1).join("");
			break;
		case "":
			line = "";
			break;
		case "":
			line = line.replace(/\S*\s*$/, "");
			break;
		default: if (character >= " " && line.length < maxLength) line += character;
	}
	return {
		typed: line,
		key: "text"
	};
};
/** Reads one line from the terminal, showing `shown(line)` after the question, and `settled(line)` in the end. */
const readLine = (question, shown, settled) => flatMap(Output, ({ draw }) => callback((resume) => {
	const { stdin } = process;
	const render = (text) => runSync(draw(`\r\u001b[K${sanitize(question)}${sanitize(text)}`));
	let typed = "";
	const stop = () => {
		stdin.off("data", onData).off("end", onEnd);
		stdin.setRawMode(false);
		stdin.pause();
		runSync(draw("\n"));
	};
	const end = (result) => {
		stop();
		resume(result);
	};
	const onEnd = () => end(fail(cancelled()));
	const onData = (chunk) => {
		const next = edit(typed, chunk);
		typed = next.typed;
		if (next.key === "cancel") return onEnd();
		render(next.key === "enter" ? settled(typed) : shown(typed));
		if (next.key === "enter") end(succeed(typed));
	};
	stdin.setEncoding("utf8").on("data", onData).on("end", onEnd);
	stdin.setRawMode(true);
	stdin.resume();
	render("");
	return sync(stop);
}));
const requireTerminal = flatMap(Output, (output) => output.interactive ? void_ : fail(new InputCancelledError({ detail: "There is no terminal to ask on." })));
/** A line that is shown as it is typed. Empty means the default, when there is one. */
const line = (question, standard) => andThen(requireTerminal, readLine(standard === void 0 ? `${question}: ` : `${question} [${standard}]: `, (typed) => typed, (typed) => typed)).pipe(map((typed) => typed === "" && standard !== void 0 ? standard : typed));
/** A line that is not shown. What is left on the screen does not tell its length. */
const secret = (question) => andThen(requireTerminal, readLine(`${question}: `, (typed) => "*".repeat(Array.from(typed).length), (typed) => typed === "" ? "" : "********")).pipe(map(make));
/** Yes only when the answer is yes. */
const confirm = (question) => andThen(requireTerminal, readLine(`${question} [y/N] `, (typed) => typed, (typed) => typed)).pipe(map((typed) => /^y(es)?$/i.test(typed.trim())));

export { line as n, secret as r, confirm as t };