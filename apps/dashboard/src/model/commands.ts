/** Objects and parts of them that a command can show. */
export interface Shown {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A word of a shell's command line, quoted if the shell would otherwise split or expand it. */
export function shellWord(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command of kubectl, in a namespace unless that is "". */
export function kubectl(namespace: string, ...words: string[]): string {
  return ["kubectl", ...(namespace === "" ? [] : ["-n", shellWord(namespace)]), ...words.map(shellWord)].join(" ");
}

/** The command that shows the object. */
export function describeCommand({ kind, namespace, name }: Shown): string {
  return kubectl(namespace, "describe", kind.toLowerCase(), name);
}

/** The command that shows the object as it is stored. */
export function getCommand({ kind, namespace, name }: Shown): string {
  return kubectl(namespace, "get", kind.toLowerCase(), name, "-o", "yaml");
}

export function logsCommand(pod: Shown, { container, previous }: { container: string; previous: boolean }): string {
  return kubectl(pod.namespace, "logs", pod.name, "-c", container, ...(previous ? ["--previous"] : ["--follow"]));
}

export function execCommand(pod: Shown, container: string, words: readonly string[]): string {
  return kubectl(pod.namespace, "exec", "-it", pod.name, "-c", container, "--", ...words);
}

/** The command of this project that explains the object. */
export function explainCommand({ kind, namespace, name }: Shown): string {
  const words = ["kintsugi", "explain", kind.toLowerCase(), shellWord(name)];
  return [...words, ...(namespace === "" ? [] : ["-n", shellWord(namespace)])].join(" ");
}
