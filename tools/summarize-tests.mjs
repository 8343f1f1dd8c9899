// Reads vitest's JSON report and ends the check: prints the failed and the skipped tests, the
// survived events, then "N passed, N failed" as the last line. Failures are repeated here, because
// often only the end of a long run's output is kept. Usage: node tools/summarize-tests.mjs <report>
// <1 if an earlier step failed, else 0> [outputs of the simulated runs and of the drawn requests]
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { addSurvived, readRuns, readRequests, survivedLine } from "./survived.mjs";

const [file, stepFailed, ...outputs] = process.argv.slice(2);
if (!existsSync(file)) {
  console.log("no test report was written");
  console.log("0 passed, 1 failed");
  process.exit(1);
}
/** Number of lines of each log that are shown. CI keeps some forty lines in total. */
const linesOfLogMax = 4;
const report = JSON.parse(readFileSync(file, "utf8"));
const root = `${process.cwd()}/`;
const failures = report.testResults.flatMap((suite) =>
  suite.assertionResults.filter(({ status }) => status === "failed").map((test) => ({ suite, test })),
);
// Tests of one file share a cluster, and so its warnings (test/support/remains/print-warnings.ts).
const warnings = new Set(failures.flatMap(({ test }) => test.meta?.warnings ?? []));
for (const warning of lastOfEachLog(warnings)) console.log(`    ${warning.slice(0, 250)}`);
for (const { suite, test } of failures)
  console.log(
    `failed: ${suite.name.replace(root, "")}: ${test.fullName}: ${firstLines(test.failureMessages.join("\n"))}`,
  );
const skipped = report.testResults.flatMap((suite) =>
  suite.assertionResults
    .filter((test) => test.status !== "passed" && test.status !== "failed")
    .map((test) => test.fullName),
);
for (const name of skipped) console.log(`skipped, which counts as a failure here: ${name}`);
// A file that could not be loaded has no tests to count.
const brokenFiles = report.testResults.filter(
  (suite) => suite.status === "failed" && suite.assertionResults.every((test) => test.status !== "failed"),
);
for (const suite of brokenFiles) console.log(`failed outside a test: ${suite.name}: ${suite.message}`);
if (stepFailed === "1")
  console.log("a step failed: the checks, the tests or the simulated runs; what it said is above");
const failed =
  report.numFailedTests +
  skipped.length +
  brokenFiles.length +
  (stepFailed === "1" && report.numFailedTests === 0 ? 1 : 0);
console.log(survivedLine(survived(), commits()));
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exit(failed === 0 && report.numPassedTests > 0 ? 0 : 1);

/** Adds up the counts of passed tests and the searches that ran with them. */
function survived() {
  const ofTests = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ status, meta }) => (status === "passed" && meta?.survived ? [meta.survived] : [])),
  );
  const texts = outputs.filter((output) => existsSync(output)).map((output) => readFileSync(output, "utf8"));
  return addSurvived([...ofTests, ...texts.flatMap((text) => [readRuns(text) ?? {}, readRequests(text) ?? {}])]);
}

/** An archive of the sources has no commit. */
function commits() {
  try {
    const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    return [execFileSync("git", ["rev-parse", "--short=8", "HEAD"], options).trim()];
  } catch {
    return [];
  }
}

/** Returns the start of a failure's message, enough to identify the expectation, without colors. */
function firstLines(message) {
  // oxlint-disable-next-line no-control-regex
  return message
    .replaceAll(/\u001B\[\d+m/g, "")
    .split("\n")
    .slice(0, 12)
    .join("\n    ")
    .slice(0, 1500);
}

/** Returns the last lines of each log. A line begins with the path of its log and a colon. */
function lastOfEachLog(lines) {
  const byLog = new Map();
  for (const line of lines) {
    const log = line.split(": ", 1)[0];
    byLog.set(log, [...(byLog.get(log) ?? []), line].slice(-linesOfLogMax));
  }
  return [...byLog.values()].flat();
}
