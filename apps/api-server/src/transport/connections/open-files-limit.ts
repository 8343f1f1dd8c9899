import { readFileSync } from "node:fs";

/**
 * Returns how many files this process may open. Node raised the limit to the hard limit when it
 * started.
 */
export function openFilesMax(limits: string = readFileSync("/proc/self/limits", "utf8")): number {
  const soft = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) throw new Error("/proc/self/limits does not contain the limit of open files");
  return soft === "unlimited" ? Infinity : Number(soft);
}
