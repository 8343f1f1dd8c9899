import type { Shown } from "./commands.ts";

/** The subprotocol of a command in a container, whose messages command-messages.ts reads. */
export const remoteCommandProtocol = "v5.channel.k8s.io";

/** The path of a terminal in a container; the command gets its own terminal there. */
export function execPath(pod: Shown, container: string, command: readonly string[]): string {
  const query = new URLSearchParams({ container, stdin: "true", stdout: "true", tty: "true" });
  for (const word of command) query.append("command", word);
  const names = [pod.namespace, pod.name].map(encodeURIComponent);
  return `/api/v1/namespaces/${names[0]}/pods/${names[1]}/exec?${query.toString()}`;
}

/**
 * The words of a command that a person typed. Quoting is not supported, because a shell does not
 * read it.
 */
export function commandWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
