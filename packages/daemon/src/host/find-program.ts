import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian installs into sbin, which is not on every user's path. */
const alwaysSearched = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** The path of a program, by name or absolute path. */
export function findProgram(name: string, searchPath: string): string | undefined {
  if (name.startsWith("/")) return existsSync(name) ? name : undefined;
  const directories = [...searchPath.split(delimiter), ...alwaysSearched].filter((d) => d !== "");
  return directories.map((directory) => join(directory, name)).find((file) => existsSync(file));
}
