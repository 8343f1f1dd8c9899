import { contextName } from "@kintsugi/api";

/** The way in which the reader of a command connects to the cluster. */
export type ClusterWay =
  /** A cluster of `kintsugi up` on the reader's host, for which kubectl has a context. */
  | { readonly name: string }
  | { readonly kubeconfig: string }
  /** Only an address is known. */
  | { readonly server: string }
  /** A simulated cluster: the command bar of its page accepts only kubectl's commands. */
  | "command-bar";

/** Commands that act on a lab of this host, by its supervisor. */
const ofLab = /^kintsugi (node|server|cloud|status|timeline|join|image|crash)( |$)/;
/** The beginning of a command, or the command after a pipe. */
const kubectlPlaces = /(^|\| |\| xargs -n 1 )kubectl /g;

/**
 * Adds the cluster to a command, so that the command acts on that cluster in any terminal; returns
 * undefined for a command that cannot reach the cluster.
 */
export function commandHere(command: string, way: ClusterWay): string | undefined {
  if (way === "command-bar") return inCommandBar(command);
  if (command.startsWith("kintsugi ")) {
    if ("name" in way) return `${command} --name ${way.name}`;
    if (ofLab.test(command)) return undefined;
    return `${command} --kubeconfig ${"kubeconfig" in way ? quoted(way.kubeconfig) : "FILE"}`;
  }
  return command.replaceAll(kubectlPlaces, (_, before: string) => `${before}kubectl ${kubectlFlag(way)} `);
}

/** Removes each remedy whose command cannot reach the cluster. */
export function remediesHere<R extends { readonly command?: string }>(remedies: readonly R[], way: ClusterWay): R[] {
  return remedies.flatMap((remedy) => {
    if (remedy.command === undefined) return [remedy];
    const command = commandHere(remedy.command, way);
    return command === undefined ? [] : [{ ...remedy, command }];
  });
}

/** The bar supports kubectl's form of some commands, but neither pipes nor metrics. */
function inCommandBar(command: string): string | undefined {
  const [, verb = "", node = ""] = /^kintsugi (uncordon|drain) (\S+)$/.exec(command) ?? [];
  if (verb !== "") return `kubectl ${verb} ${node}${verb === "drain" ? " --ignore-daemonsets" : ""}`;
  const isForeign = !command.startsWith("kubectl ") || command.includes(" | ") || / top (pods|nodes)/.test(command);
  return isForeign ? undefined : command;
}

function kubectlFlag(way: Exclude<ClusterWay, "command-bar">): string {
  if ("name" in way) return `--context ${contextName(way.name)}`;
  return "kubeconfig" in way ? `--kubeconfig ${quoted(way.kubeconfig)}` : `--server ${quoted(way.server)}`;
}

function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
