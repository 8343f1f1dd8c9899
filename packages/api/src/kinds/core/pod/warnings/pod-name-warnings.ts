import { checkLabel1123 } from "../../../../values/names.ts";

/** Returns upstream's warning about a workload's name, with which the names of its pods begin. */
export const podNamesWarnings = (name: string | undefined): string[] =>
  labelAdvice(name, "this is used in Pod names and hostnames");

/** Returns upstream's warning about the name of a pod that cannot be its hostname. */
export const hostnameWarnings = (name: string | undefined): string[] =>
  labelAdvice(name, "this is used in the Pod's hostname");

function labelAdvice(name = "", use: string): string[] {
  const problems = checkLabel1123(name);
  if (problems.length === 0) return [];
  return [
    `metadata.name: ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}
