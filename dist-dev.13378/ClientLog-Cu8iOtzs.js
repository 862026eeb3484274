import { Ci as void_, Cr as gen, Gn as andThen, Un as addFinalizer, Xn as catchCause, di as suspend, es as Service, ra as effect } from "./Runtime-CYnC2HYz.js";
import { t as Paths } from "./Paths-Vqceat6V.js";
import { a as ensurePrivateDirectory, n as appendFile } from "./SecureFiles-DvIPMxq1.js";
import { a as GlobalFlags, r as Output } from "./main.js";
import { a as sanitizeLine } from "./Text-CNCZ9rIC.js";
import * as fs from "node:fs";
import * as path from "node:path";

// src/cli/ClientLog.ts
/**
* The debug log of the command line: what was asked of the daemon, how long it took, how it ended. Never a value.
*
* Lines are kept and written together when the command ends, or earlier when there are many. A log that cannot be
* written is no reason for a command to fail.
*/
const maxBytes = 10485760;
const flushAfter = 200;
const rotated = (file, number) => number === 0 ? file : `${file}.${number}`;
/** Of several processes that find the log full, one rotates it; a lock of a process that died is taken over. */
const rotate = (file) => {
	const lock = `${file}.lock`;
	try {
		fs.writeFileSync(lock, "", {
			flag: "wx",
			mode: 384
		});
	} catch {
		if (Date.now() - (fs.lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 1e4) fs.rmSync(lock, { force: true });
		return;
	}
	try {
		if ((fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) return;
		fs.rmSync(rotated(file, 4), { force: true });
		for (let number = 3; number >= 0; number--) if (fs.existsSync(rotated(file, number))) fs.renameSync(rotated(file, number), rotated(file, number + 1));
	} finally {
		fs.rmSync(lock, { force: true });
	}
};
/** `2026-01-31 12:00:00.000 | DEBUG    | credsvc.get:421 - message` */
const format = (command, message) => `${(/* @__PURE__ */ new Date()).toISOString().replace("T", " ").replace("Z", "")} | DEBUG    | credsvc.${command}:${process.pid} - ${sanitizeLine(message)}\n`;
var ClientLog = class ClientLog extends Service()("credsvc/cli/ClientLog") {
	static layerNoDeps = effect(ClientLog, gen(function* () {
		const flags = yield* GlobalFlags;
		const output = yield* Output;
		const paths = yield* Paths;
		const command = process.argv.slice(2).find((argument) => /^[a-z][a-z-]*$/.test(argument)) ?? "credsvc";
		const file = flags.logFile === "" ? void 0 : path.resolve(flags.logFile ?? paths.clientLog);
		let lines = [];
		let usable = true;
		const flush = gen(function* () {
			if (file === void 0 || !usable || lines.length === 0) return;
			const content = lines.join("");
			lines = [];
			if (file === paths.clientLog) yield* ensurePrivateDirectory(paths.clientLogs);
			if ((fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes) rotate(file);
			yield* appendFile(file, content);
		}).pipe(catchCause(() => {
			usable = false;
			return flags.logFile === void 0 ? void_ : output.warn(`The log file ${file} cannot be written.`);
		}));
		const debug = (message) => suspend(() => {
			const line = format(command, message);
			lines.push(line);
			const written = lines.length >= flushAfter ? flush : void_;
			return flags.verbose ? andThen(output.draw(output.paintMessage("dim", line)), written) : written;
		});
		yield* addFinalizer((exit) => andThen(debug(`ended: ${exit._tag === "Success" ? "success" : "failure"}`), flush));
		yield* debug("started");
		return ClientLog.of({
			file,
			debug
		});
	}));
};

export { ClientLog as t };