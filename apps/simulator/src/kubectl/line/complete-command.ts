import type { DiscoveredType } from "@kintsugi/client";
import { flagForms, type FlagName, flagsLast, verbFlags } from "./command-words.ts";
import { findType } from "../find-type.ts";
import { rolloutActions } from "../kubectl-command.ts";
import { verbs } from "./parse-command.ts";

/** The possible completions of a line: fixed words, or the names of objects. */
export type Completion =
  | { readonly is: "words"; readonly from: string; readonly words: readonly string[] }
  | { readonly is: "names"; readonly from: string; readonly type: DiscoveredType; readonly before: string };

/** A longer list takes longer to read than the name to type. */
export const completionsMax = 40;

/** Finds the words that can complete a line; the names of objects have to be read first. */
export function planCompletion(line: string, types: readonly DiscoveredType[]): Completion {
  const words = line.replace(/^\s*(kubectl|k)\s+/, "").split(/\s+/);
  const from = words.pop() ?? "";
  const given = flagsLast(words.filter((word) => word !== ""));
  const [verb, ...rest] = given;
  if (verb === undefined) return startingWith(from, verbs);
  if (from.startsWith("-")) return startingWith(from, (verbFlags[verb] ?? []).map(flagText));
  const last = rest.at(-1);
  if (last === "-o" || last === "--output") return startingWith(from, ["wide", "yaml", "json", "name"]);
  if (last === "-n" || last === "--namespace") return namesOf("namespaces", { from, before: "" }, types);
  const operands = rest.filter((word) => !word.startsWith("-"));
  return completeOperand(verb, { operands, from }, types);
}

function completeOperand(
  verb: string,
  { operands, from }: { operands: readonly string[]; from: string },
  types: readonly DiscoveredType[],
): Completion {
  switch (verb) {
    case "cordon":
    case "uncordon":
    case "drain":
      return namesOf("nodes", { from, before: "" }, types);
    case "logs":
      return namesOf("pods", { from, before: "" }, types);
    case "rollout":
      return operands.length === 0
        ? startingWith(from, rolloutActions)
        : completeTarget(verb, { operands: operands.slice(1), from }, types);
    case "set":
      return operands.length === 0
        ? startingWith(from, ["image"])
        : completeTarget(verb, { operands: operands.slice(1), from }, types);
    case "taint":
      return operands.length === 0 ? startingWith(from, ["node"]) : namesOf("nodes", { from, before: "" }, types);
    case "create":
      return startingWith(from, operands.length === 0 ? ["job"] : ["--from=cronjob/"]);
    case "apply":
    case "events":
      return startingWith(from, (verbFlags[verb] ?? []).map(flagText));
    case "get":
    case "describe":
    case "edit":
    case "delete":
    case "scale":
    case "explain":
    case "patch":
    case "label":
    case "annotate":
      return completeTarget(verb, { operands, from }, types);
    default:
      return startingWith(from, []);
  }
}

function completeTarget(
  verb: string,
  { operands: [type], from }: { operands: readonly string[]; from: string },
  types: readonly DiscoveredType[],
): Completion {
  if (type !== undefined) return namesOf(type, { from, before: "" }, types);
  const slash = from.indexOf("/");
  if (slash > 0)
    return namesOf(from.slice(0, slash), { from: from.slice(slash + 1), before: from.slice(0, slash + 1) }, types);
  return startingWith(from, kindWords(verb, types));
}

/** The commands that apply to a few kinds. */
const resourcesOf: Readonly<Record<string, readonly string[]>> = {
  scale: ["deployments", "statefulsets", "replicasets"],
  rollout: ["deployments", "statefulsets", "daemonsets"],
  set: ["deployments", "statefulsets", "daemonsets", "replicasets", "jobs", "cronjobs", "pods"],
};

/** The kinds to which a command applies, the most useful first. */
function kindWords(verb: string, types: readonly DiscoveredType[]): string[] {
  const known = types.filter(({ verbs: allowed }) => allowed.includes(verb === "delete" ? "delete" : "list"));
  const only = resourcesOf[verb];
  if (only !== undefined)
    return known.filter(({ resource }) => only.includes(resource)).map(({ singular }) => singular);
  const first = ["pods", "nodes", "deployments", "replicasets", "services", "events", "poddisruptionbudgets"];
  const names = known.map(({ resource, singular }) => (verb === "get" ? resource : singular));
  const rank = (name: string) => (first.findIndex((each) => each.startsWith(name.replace(/s$/, ""))) + 100) % 100;
  return [...new Set(names)].toSorted((left, right) => rank(left) - rank(right));
}

function namesOf(
  word: string,
  { from, before }: { from: string; before: string },
  types: readonly DiscoveredType[],
): Completion {
  try {
    return { is: "names", from, before, type: findType(word, types) };
  } catch {
    return { is: "words", from, words: [] };
  }
}

function startingWith(from: string, words: readonly string[]): Completion {
  return { is: "words", from, words: words.filter((word) => word.startsWith(from)).slice(0, completionsMax) };
}

function flagText(flag: FlagName): string {
  return flagForms[flag].takesValue ? `--${flag}=` : `--${flag}`;
}
