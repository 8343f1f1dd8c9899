// Reads vitest's JSON report and ends the check: prints the failed and the skipped tests, then "N
// passed, N failed" as the last line. Failures are repeated here, because of a long run often only
// the end is kept.
// Usage: node tools/summarize-tests.mjs <report> <1 if a step before failed, else 0>
import { existsSync, readFileSync } from "node:fs";

const [file, stepFailed] = process.argv.slice(2);
if (!existsSync(file)) {
  console.log("no test report was written");
  console.log("0 passed, 1 failed");
  process.exit(1);
}
/** The lines of the warnings that a failed test shows. */
const warningsMax = 40;
const report = JSON.parse(readFileSync(file, "utf8"));
const root = `${process.cwd()}/`;
for (const suite of report.testResults)
  for (const test of suite.assertionResults.filter(({ status }) => status === "failed")) {
    console.log(
      `failed: ${suite.name.replace(root, "")}: ${test.fullName}: ${firstLines(test.failureMessages.join("\n"))}`,
    );
    // The processes of the test's clusters reported these (test/support/remains/print-warnings.ts).
    for (const warning of test.meta?.warnings?.slice(0, warningsMax) ?? []) console.log(`    ${warning.slice(0, 400)}`);
  }
const skipped = report.testResults.flatMap((suite) =>
  suite.assertionResults
    .filter((test) => test.status !== "passed" && test.status !== "failed")
    .map((test) => test.fullName),
);
for (const name of skipped) console.log(`skipped, which counts as a failure here: ${name}`);
// A file that could not even be loaded has no tests to count.
const brokenFiles = report.testResults.filter(
  (suite) => suite.status === "failed" && suite.assertionResults.every((test) => test.status !== "failed"),
);
for (const suite of brokenFiles) console.log(`failed outside a test: ${suite.name}: ${suite.message}`);
if (stepFailed === "1")
  console.log("a step failed: the checks, the tests or the simulated lives; what it said is above");
const failed =
  report.numFailedTests +
  skipped.length +
  brokenFiles.length +
  (stepFailed === "1" && report.numFailedTests === 0 ? 1 : 0);
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exit(failed === 0 && report.numPassedTests > 0 ? 0 : 1);

/**
 * Returns the start of a failure's message, enough to identify the expectation, without colours.
 */
function firstLines(message) {
  // oxlint-disable-next-line no-control-regex
  return message
    .replaceAll(/\u001B\[\d+m/g, "")
    .split("\n")
    .slice(0, 12)
    .join("\n    ")
    .slice(0, 1500);
}
