// `npm test`: installs the tests' requirements if possible, builds, and runs the tests.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { aptRunner, canInstall, installPackages, lackingOf, requirements } from "@kintsugi/lab";
import { thisHost } from "../support/host-abilities.ts";
import { planTestRun, usage } from "./plan-test-run.ts";

const repository = join(import.meta.dirname, "../..");
const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
  process.stdout.write(usage);
  process.exit(0);
}
const plan = planTestRun(args);
if (plan.installs) await installWhatIsMissing();
if (plan.bundles) await runToItsEnd("npm", ["run", "--silent", "bundle"]);
await runToItsEnd(process.execPath, [join(repository, "node_modules/vitest/vitest.mjs"), ...plan.vitest]);

/** A package that cannot be installed only disables its group of tests. */
async function installWhatIsMissing(): Promise<void> {
  const lacking = lackingOf(requirements, thisHost());
  if (lacking.length === 0) return;
  const names = [...new Set(lacking.map((requirement) => requirement.package))].join(" ");
  if (!canInstall(thisHost())) {
    console.log(`not installed, which needs root on Debian or Ubuntu: ${names}`);
    return;
  }
  console.log(`installing ${names}`);
  for (const failed of await installPackages(aptRunner(process.env), lacking))
    console.log(`${failed.package} could not be installed: ${failed.because}`);
}

/**
 * Runs a program with this process's terminal. The program receives Ctrl-C by itself and the other
 * signals from here. This process exits after the program, with the program's status unless that is
 * 0.
 */
async function runToItsEnd(program: string, words: readonly string[]): Promise<void> {
  const child = spawn(program, [...words], { stdio: "inherit", cwd: repository });
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  const ignore = () => {};
  process.on("SIGTERM", passOn).on("SIGHUP", passOn).on("SIGINT", ignore);
  const status = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 143)));
  });
  process.off("SIGTERM", passOn).off("SIGHUP", passOn).off("SIGINT", ignore);
  if (status !== 0) process.exit(status);
}
