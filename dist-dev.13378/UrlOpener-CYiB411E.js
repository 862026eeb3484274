import { Yn as callback, ci as succeed } from "./Runtime-CYnC2HYz.js";
import { p as builtins } from "./SecureFiles-DvIPMxq1.js";
import { t as withUserUmask } from "./UserUmask-DKOKLuPp.js";
import * as fs from "node:fs";
import * as path from "node:path";

// src/cli/UrlOpener.ts
/** Opening an address in the person's browser, without a shell and only where that cannot do harm (A14). */
/** The address in its canonical form: https, or http to a literal loopback address. Anything else is not opened. */
const openableUrl = (text) => {
	if (!URL.canParse(text)) return void 0;
	const url = new URL(text);
	if (url.username !== "" || url.password !== "") return void 0;
	const host = url.hostname.replace(/^\[|\]$/g, "");
	const loopback = host === "::1" || builtins.net.isIPv4(host) && host.startsWith("127.");
	return url.protocol === "https:" || url.protocol === "http:" && loopback ? url.href : void 0;
};
const onPath = (program) => (process.env["PATH"] ?? "").split(path.delimiter).filter((entry) => path.isAbsolute(entry)).map((directory) => path.join(directory, program)).find((file) => {
	try {
		fs.accessSync(file, fs.constants.X_OK);
		return fs.statSync(file).isFile();
	} catch {
		return false;
	}
});
/** The program that opens an address, and its arguments before the address. Undefined where nobody could see a browser. */
const opener = () => {
	switch (process.platform) {
		case "darwin": return ["/usr/bin/open"];
		case "win32": return ["rundll32.exe", "url.dll,FileProtocolHandler"];
		default: {
			const program = process.env["DISPLAY"] || process.env["WAYLAND_DISPLAY"] ? onPath("xdg-open") : void 0;
			return program === void 0 ? void 0 : [program];
		}
	}
};
const hasBrowser = () => opener() !== void 0;
/** The browser outlives us, and gets nothing of ours (C12). */
const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CREDSVC_")));
/** Answers whether a browser was started. */
const openUrl = (text) => callback((resume) => {
	const url = openableUrl(text);
	const found = opener();
	if (url === void 0 || found === void 0) return resume(succeed(false));
	const [program, ...args] = found;
	const child = withUserUmask(() => builtins.childProcess.spawn(program, [...args, url], {
		detached: true,
		env: environment(),
		shell: false,
		stdio: "ignore"
	}));
	child.once("error", () => resume(succeed(false)));
	child.once("spawn", () => resume(succeed(true)));
	child.unref();
});

export { openUrl as n, openableUrl as r, hasBrowser as t };