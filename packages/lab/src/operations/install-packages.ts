import { spawn } from "node:child_process";
import type { Requirement } from "./requirements.ts";

/** A package that apt did not install, and the last line of its output. */
export interface NotInstalled {
  readonly package: string;
  readonly because: string;
}

/** Runs a program to its end. @throws Error with the last line of its output. */
export type RunInstaller = (program: string, args: readonly string[]) => Promise<void>;

/**
 * Installs the Debian packages of requirements, and stops the services that they start, because
 * clusters and tests start their own. If apt rejects the packages together, each is tried
 * separately, so that a distribution that lacks a package gets the other packages.
 * @returns the packages that could not be installed.
 */
export async function installPackages(run: RunInstaller, wanted: readonly Requirement[]): Promise<NotInstalled[]> {
  const packages = [...new Set(wanted.map((requirement) => requirement.package))];
  if (packages.length === 0) return [];
  const install = (names: readonly string[]) => run("apt-get", [...patiently, ...installation, ...names]);
  const failed: NotInstalled[] = [];
  try {
    await run("apt-get", [...patiently, "update", "-qq"]);
    await install(packages);
  } catch (error) {
    if (packages.length === 1) return [{ package: packages[0] ?? "", because: (error as Error).message }];
    for (const name of packages)
      await install([name]).catch((e: unknown) => failed.push({ package: name, because: (e as Error).message }));
  }
  for (const { package: name, service } of wanted)
    if (service !== undefined && !failed.some((each) => each.package === name))
      // A host without an init system does not run services to stop.
      await run("service", [service, "stop"]).catch(() => {});
  return failed;
}

/** Another apt may be running, as on a machine that has just started. */
const patiently = ["-o", "DPkg::Lock::Timeout=120"];
const installation = ["install", "-y", "-qq", "--no-install-recommends"];

/**
 * Runs apt without interactive questions.
 * @param environment the caller's environment, for its proxies.
 */
export function aptRunner(environment: Readonly<Record<string, string | undefined>>): RunInstaller {
  const path = "/usr/sbin:/usr/bin:/sbin:/bin";
  const env = { ...environment, PATH: path, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
  return (program, args) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, [...args], { stdio: ["ignore", "pipe", "pipe"], env });
      let last = "";
      const listen = (chunk: Buffer) => {
        last = chunk.toString().trimEnd().split("\n").at(-1) || last;
      };
      child.stdout.on("data", listen);
      child.stderr.on("data", listen);
      child.once("error", reject);
      child.once("exit", (code) => {
        if (code === 0) resolve();
        else reject(new Error(last === "" ? `${program} exited with ${code}` : last));
      });
    });
}
