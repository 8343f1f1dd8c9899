// Runs the parts of the end-to-end tests that a container runtime's version can affect, and
// test/runtimes itself, with the containerd and runc of newer Debian suites. Nothing is installed:
// their packages are mounted over /usr, in a mount namespace that ends with the tests. `npm run
// test:runtimes [SUITE...]`; needs root, the packages of `npm test`, and Debian's packages. It
// takes some ten minutes per suite.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { readCommandLine, readOrExplain } from "@kintsugi/daemon";
import { repository } from "../support/lab-cluster.ts";
import { mustRun } from "../support/run-program.ts";
import { whenAndWhere } from "../support/when-and-where.ts";

/**
 * The packages include the C library that they need; a newer C library also runs this host's
 * programs.
 */
const packages = ["containerd", "runc", "crun", "libc6", "libseccomp2"];
/**
 * Debian 13, and the next suite, with its crun's other libraries. All other tests run on Debian
 * 12's containerd.
 */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  trixie: packages,
  forky: [...packages, "libblake3-0", "libjson-c5"],
};
/** A package is fetched again only when the suite has a newer one. */
const directory = process.env["KINTSUGI_RUNTIMES_DIRECTORY"] ?? "/var/tmp/kintsugi-runtimes";
const fetchTimeoutMs = 600_000;

/** Mounts a folder over /usr and runs a command there: $1 is the folder, the command follows. */
const overUsr = `
mount -t overlay -o "ro,lowerdir=$1:/usr" overlay /usr
mount --make-rshared /
shift
exec "$@"`;

interface SuiteResult {
  suite: string;
  versions: string[];
  passed: number;
  failed: string[];
  seconds: number;
  /** The date and the machine of the run, and its load average at the end. */
  ran: string;
}

async function testOn(suite: string): Promise<SuiteResult> {
  const place = join(directory, suite);
  mkdirSync(place, { recursive: true });
  const wanted = [suite, place, ...(packagesOf[suite] ?? packages)];
  await mustRun(join(import.meta.dirname, "fetch-packages.sh"), wanted, { timeoutMs: fetchTimeoutMs });
  const versions = readFileSync(join(place, "versions"), "utf8").trim().split("\n");
  console.log(`${suite}: ${versions.join(", ")}`);
  const resultsFile = join(place, "results.json");
  rmSync(resultsFile, { force: true });
  const startedMs = performance.now();
  await runTests(join(place, "root/usr"), resultsFile);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const ran = `${whenAndWhere()}, load average ${(loadavg()[0] ?? 0).toFixed(1)} at its end`;
  return { suite, versions, seconds, ran, ...summarize(resultsFile) };
}

function runTests(folder: string, resultsFile: string): Promise<void> {
  const vitest = `--config test/runtimes/vitest.config.ts --reporter default --reporter json --outputFile.json ${resultsFile}`;
  const command = [process.execPath, join(repository, "node_modules/.bin/vitest"), "run", ...vitest.split(" ")];
  const args = ["--mount", "--propagation", "private", "sh", "-ec", overUsr, "sh", folder, ...command];
  return new Promise((resolve, reject) => {
    const child = spawn("unshare", args, { cwd: repository, stdio: "inherit" });
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

interface VitestResults {
  testResults: { assertionResults: { fullName: string; status: string }[]; name: string; status: string }[];
}

/**
 * A file that cannot be collected has no tests of its own, and counts as a failed test; so does a
 * skipped test.
 */
function summarize(resultsFile: string): Pick<SuiteResult, "passed" | "failed"> {
  const { testResults } = JSON.parse(readFileSync(resultsFile, "utf8")) as VitestResults;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failedFiles = testResults.filter(
    ({ assertionResults, status }) => status === "failed" && assertionResults.length === 0,
  );
  return {
    passed: tests.filter(({ status }) => status === "passed").length,
    failed: [
      ...tests.filter(({ status }) => status !== "passed").map(({ fullName }) => fullName),
      ...failedFiles.map(({ name }) => name),
    ],
  };
}

/** One suite can be run on a separate machine; the rows of the other suites remain. */
function publish(results: readonly SuiteResult[]): void {
  const page = join(repository, "docs/newer-runtimes.md");
  const before = readFileSync(page, "utf8").split("\n");
  const rows = Object.keys(packagesOf).flatMap((suite) => {
    const result = results.find((each) => each.suite === suite);
    return result === undefined ? before.filter((line) => line.startsWith(`| ${suite} |`)) : [rowOf(result)];
  });
  const text = `# Newer runtimes: the last run

\`npm run test:runtimes\` writes this page. It runs the tests that \`test/runtimes/vitest.config.ts\` names, with containerd and runc of
newer Debian suites, on a host with Debian 12.

| suite | versions | tests passed | failed | seconds | run |
|---|---|---|---|---|---|
${rows.join("\n")}
`;
  writeFileSync(page, text);
}

function rowOf({ suite, versions, passed, failed, seconds, ran }: SuiteResult): string {
  return `| ${suite} | ${versions.join("<br>")} | ${passed} | ${failed.join("<br>") || "none"} | ${seconds} | ${ran} |`;
}

const suites = Object.keys(packagesOf);
const program = {
  name: "npm run test:runtimes --",
  description:
    "Runs what a container runtime's version can change on those of newer Debian suites. Without a suite: on all.",
  operands: { name: "suite", help: suites.join(", "), many: true, known: suites },
};
const { operands: named } = readOrExplain("test:runtimes", () => readCommandLine(program, {}, process.argv.slice(2)));
const results: SuiteResult[] = [];
for (const suite of named.length > 0 ? named : suites) results.push(await testOn(suite));
publish(results);
for (const { suite, passed, failed } of results) console.log(`${suite}: ${passed} passed, ${failed.length} failed`);
if (results.some(({ passed, failed }) => failed.length > 0 || passed === 0)) process.exitCode = 1;
