const prefix = "kintsugi-";

/** The context of a cluster of `kintsugi up` in kubeconfigs, as kind's "kind-<name>". */
export function contextName(cluster: string): string {
  return `${prefix}${cluster}`;
}

/** Returns the cluster whose context has this name; undefined for other contexts. */
export function clusterOfContextName(context: string): string | undefined {
  return context.startsWith(prefix) ? context.slice(prefix.length) : undefined;
}
