import { spawnSync } from "node:child_process";

/**
 * Returns why tests in network namespaces of their own cannot run here, or undefined if they can:
 * they need root and the program.
 */
export function whyNoKernelTests({ program, debianPackage }: { program: string; debianPackage: string }) {
  if (process.getuid?.() !== 0) return "only root has namespaces";
  const isInstalled = spawnSync(program, ["--version"]).error === undefined;
  return isInstalled ? undefined : `this host lacks a package: install with \`apt-get install ${debianPackage}\``;
}
