import type { DiscoveredType } from "@kintsugi/client";
import { nearestWord } from "@kintsugi/yaml-text";
import { UnusableCommand } from "./kubectl-command.ts";

/** Finds the kind of "po", "pod", "Pod" or "deployments.apps". @throws UnusableCommand */
export function findType(word: string, types: readonly DiscoveredType[]): DiscoveredType {
  const text = word.toLowerCase();
  const found = types.find((type) => namesOf(type).includes(text));
  if (found !== undefined) return found;
  const near = nearestWord(text, types.flatMap(namesOf));
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw new UnusableCommand(`the server doesn't have a resource type "${word}"${hint}`);
}

/**
 * Finds the kinds of "deploy,rs" or of a category such as "all", each once. @throws UnusableCommand
 */
export function findTypes(words: string, types: readonly DiscoveredType[]): DiscoveredType[] {
  const found = words.split(",").flatMap((word) => {
    const members = types.filter(({ categories }) => categories.includes(word.toLowerCase()));
    return members.length > 0 ? members : [findType(word, types)];
  });
  return [...new Set(found)];
}

function namesOf({ resource, singular, kind, group, shortNames }: DiscoveredType): string[] {
  return [resource, singular, kind.toLowerCase(), ...shortNames, `${resource}.${group}`, `${singular}.${group}`];
}

/** The name of a kind in kubectl's output: "pod", "deployment.apps". */
export function qualified({ singular, resource, group }: DiscoveredType): string {
  const name = singular === "" ? resource : singular;
  return group === "" ? name : `${name}.${group}`;
}
