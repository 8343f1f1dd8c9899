import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LogFields, type Logger, silentLogger } from "@kintsugi/api";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemConntrack } from "./conntrack.ts";

/**
 * A fake of the program: it records its arguments, and prints the listing in the file next to it.
 */
function aProgram(listing: string, deletesWith = 0) {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-conntrack-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const [program, listed, calls] = ["program", "listed", "calls"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(listed, listing);
  writeFileSync(
    program,
    `#!/bin/sh\necho "$@" >> ${calls}\n[ "$1" = -L ] && exec cat ${listed}\nexit ${deletesWith}\n`,
  );
  chmodSync(program, 0o755);
  const called = () =>
    existsSync(calls)
      ? readFileSync(calls, "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [];
  return { program, called };
}

const stale =
  "udp 17 28 src=10.1.0.9 dst=10.96.0.10 sport=40000 dport=53 src=10.1.0.2 dst=10.1.0.9 sport=53 dport=40000 mark=0 use=1\n";
const destinations = new Map([["10.96.0.10:53", new Set(["10.1.0.1:53"])]]);

test.each([
  ["forgotten", 0],
  ["no error when it has ended in the meantime", 1],
])("a stale flow is %s", async (_, deletesWith) => {
  const { program, called } = aProgram(stale, deletesWith);
  await systemConntrack(silentLogger, [program]).forgetStale(destinations);
  expect(called()).toEqual([
    "-L -p udp",
    "-D -p udp --orig-src 10.1.0.9 --orig-dst 10.96.0.10 --sport 40000 --dport 53",
  ]);
});

test("no listing starts while a listing is running, and the next listing uses the newest destinations", async () => {
  const { program, called } = aProgram(stale);
  const conntrack = systemConntrack(silentLogger, [program]);
  const changes = [destinations, destinations, new Map([["10.96.0.10:53", new Set(["10.1.0.2:53"])]])];
  const first = conntrack.forgetStale(destinations);
  await vi.waitFor(() => expect(called()).not.toEqual([]), { interval: 1 });
  await Promise.all([first, ...changes.map((each) => conntrack.forgetStale(each))]);
  const deletion = "-D -p udp --orig-src 10.1.0.9 --orig-dst 10.96.0.10 --sport 40000 --dport 53";
  expect(called()).toEqual(["-L -p udp", deletion, "-L -p udp"]);
});

test("a machine without the program is reported once", async () => {
  const said: string[] = [];
  const note = (message: string, _fields?: LogFields) => void said.push(message);
  const log: Logger = { ...silentLogger, info: note, warn: note };
  const conntrack = systemConntrack(log, ["kintsugi-no-such-program"]);
  for (let i = 0; i < 2; i++) await conntrack.forgetStale(destinations);
  expect(said).toEqual([
    "conntrack is not installed (package conntrack): UDP clients of Services keep removed endpoints until they are silent for 30 s to 2 min",
  ]);
});
