import type { ExplainedObject } from "../explanation.ts";

/** A name that a shell reads as one word; the API server allows other names for a few kinds. */
const plainWord = /^[\w.:/@%+=,-]+$/;

/** "kubectl -n default scale deployment/web --replicas=3", quoted where a shell needs it. */
export function kubectlCommand(namespace: string, ...words: string[]): string {
  const scope = namespace === "" ? [] : ["-n", namespace];
  return ["kubectl", ...scope, ...words].map(shellWord).join(" ");
}

export function kintsugiCommand(...words: string[]): string {
  return ["kintsugi", ...words].map(shellWord).join(" ");
}

function shellWord(word: string): string {
  return plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** "deployment/web", as kubectl accepts it. */
export function slashed({ kind, name }: Pick<ExplainedObject, "kind" | "name">): string {
  return `${kind.toLowerCase()}/${name}`;
}
