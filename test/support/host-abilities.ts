import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  explainFindings,
  type HostView,
  inspectHost,
  lackingOf,
  type OciRuntime,
  ociRuntimeNamed,
  requirements,
} from "@kintsugi/lab";
import { findProgram } from "@kintsugi/daemon";
import { runsAllSamples } from "./samples.ts";

/** The host as the list of requirements sees it. */
export function thisHost(): HostView {
  return { platform: process.platform, uid: process.getuid?.(), searchPath: process.env["PATH"] ?? "" };
}

/** Explains why real clusters cannot run here; undefined when they can. */
export function whyNoClusters(ociRuntime?: OciRuntime): string | undefined {
  return explainFindings(inspectHost(thisHost(), ociRuntime));
}

/**
 * Explains why tests that use a program of the list of requirements cannot run here, by the name of
 * its package; undefined when they can.
 */
export function whyNoPackage(name: string): string | undefined {
  const wanted = requirements.filter((requirement) => requirement.package === name);
  if (wanted.length === 0) throw new Error(`${name} is not in the list of requirements`);
  if (lackingOf(wanted, thisHost()).length === 0) return undefined;
  return `this host lacks a package: install with \`apt-get install ${name}\``;
}

/**
 * Returns the path of the program of a package of the list.
 * @throws when it does not exist.
 */
export function packagedProgram(name: string): string {
  const { anyOf } = requirements.find((requirement) => requirement.package === name) ?? { anyOf: [] };
  const found = anyOf.map((each) => findProgram(each, thisHost().searchPath)).find((path) => path !== undefined);
  if (found === undefined) throw new Error(whyNoPackage(name) ?? `${name} has no program`);
  return found;
}

/** Explains why no kubectl can act on a real cluster here; undefined when one can. */
export function whyNoKubectlCluster(ociRuntime?: OciRuntime): string | undefined {
  return (
    whyNoClusters(ociRuntime) ??
    (newestKubectl() === undefined ? "there is no kubectl; name one in KUBECTL" : undefined)
  );
}

/** Explains why no cluster of several servers can run here; undefined when one can. */
export function whyNoServersCluster(): string | undefined {
  return whyNoKubectlCluster() ?? whyNoPackage("etcd-server") ?? whyNoPackage("haproxy");
}

/**
 * Returns the OCI runtime in OCI_RUNTIME, for clusters and containerds whose test does not choose;
 * undefined for the default.
 */
export function wantedOciRuntime(): OciRuntime | undefined {
  const named = process.env["OCI_RUNTIME"];
  return named === undefined || named === "" ? undefined : ociRuntimeNamed(named);
}

/**
 * The kubectls to test with, by version: the oldest and the newest, or all of them with
 * `KINTSUGI_SAMPLES=all`.
 */
export function findKubectls(): Map<string, string> {
  const found = allKubectls();
  return runsAllSamples ? found : new Map([...found].filter((_, index) => index === 0 || index === found.size - 1));
}

/**
 * The kubectls for slow tests of workloads on real containers: the newest, or the oldest and the
 * newest with `KINTSUGI_SAMPLES=all`.
 */
export function workloadKubectls(): [version: string, program: string][] {
  const found = [...findKubectls()];
  return found.filter((_, index) => (runsAllSamples && index === 0) || index === found.length - 1);
}

/**
 * The kubectls by version: the program that KUBECTL names, or the programs kubectl.1.NN in the
 * directory of the kubectl in the PATH, or that kubectl itself.
 */
function allKubectls(): Map<string, string> {
  const named = process.env["KUBECTL"];
  if (named !== undefined && named !== "") return new Map([["KUBECTL", named]]);
  const plain = findProgram("kubectl", process.env["PATH"] ?? "");
  if (plain === undefined) return new Map();
  const directory = dirname(realpathSync(plain));
  const versioned = readdirSync(directory).filter((file) => /^kubectl\.1\.\d+$/.test(file));
  if (versioned.length === 0) return new Map([["kubectl", plain]]);
  return new Map(versioned.sort().map((file) => [file.slice("kubectl.".length), join(directory, file)]));
}

/** The kubectl that most tests use: the newest. */
export function newestKubectl(): string | undefined {
  return [...findKubectls().values()].at(-1);
}

/** Reports whether a built command line exists; `npm test` builds first. */
export function isBuilt(repository: string): boolean {
  return existsSync(join(repository, "apps/cli/bundle/main.mjs"));
}

/**
 * Prints why a group of tests is not run; tools/not-run.ts collects these lines for the end of the
 * run.
 */
export function sayWhyNot(group: string, reason: string | undefined): boolean {
  if (reason !== undefined) console.log(`not run: ${group}: ${reason}`);
  return reason !== undefined;
}
