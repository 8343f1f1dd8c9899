// Loaded into a service before its own code (node --import …/skewed-clock.mjs?directory=D), so that
// its wall clock can be set wrong while it runs. On SIGUSR2 it reads the milliseconds in the file
// D/<pid> as the difference to the true time, and writes the present difference to D/<pid>.is. Only
// the calls of the clock of packages/clock are wrapped; the monotonic clock continues, as when a
// machine's date is set.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const directory = new URL(import.meta.url).searchParams.get("directory") ?? "";
const trueNowMs = Date.now;
let offsetMs = 0;

Date.now = () => trueNowMs() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
});

process.on("SIGUSR2", () => {
  const file = join(directory, String(process.pid));
  offsetMs = Number(readFileSync(file, "utf8"));
  writeFileSync(`${file}.is`, String(Math.round(Date.now() - trueNowMs())));
});
