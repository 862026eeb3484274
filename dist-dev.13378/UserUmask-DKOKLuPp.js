// src/platform/UserUmask.ts
/** The umask that the user had when the program began; the program's own, set in bin.ts, keeps files to their owner. */
const atStart = globalThis[Symbol.for("credsvc/umask")];
/**
* Calls with the user's umask in force, for starting a program whose files are the user's own matter. The call must be
* synchronous: a file that is made meanwhile gets that mask too.
*/
const withUserUmask = (start) => {
	if (typeof atStart !== "number") return start();
	const own = process.umask(atStart);
	try {
		return start();
	} finally {
		process.umask(own);
	}
};

export { withUserUmask as t };