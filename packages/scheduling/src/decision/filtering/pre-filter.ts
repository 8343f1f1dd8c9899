import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import type { NodeFilter, Plugin } from "../../framework/plugin.ts";
import { neverFits } from "../../framework/verdict.ts";
import type { PluginRejection, NodeRejection } from "./filter-result.ts";

/** The filter of a plugin that has run its PreFilter for one pod. */
export interface PreparedFilter {
  readonly plugin: string;
  readonly filter: NodeFilter;
  /** The plugin's `filterReads`, if the plugin and all plugins before it have `filterReads`. */
  readonly reads: Plugin["filterReads"];
}

/** The reason why all nodes are rejected. */
export interface PodRejection {
  readonly plugin: string;
  readonly because: string;
}

interface PreFilterOptions {
  readonly plugins: readonly Plugin[];
  /** The filters for the snapshot that this supposition modifies. */
  readonly earlier?: readonly PreparedFilter[] | undefined;
}

/** Runs PreFilter of the plugins, in order (upstream's RunPreFilterPlugins). */
export function runPreFilter(
  pod: PodInfo,
  snapshot: Snapshot,
  { plugins, earlier }: PreFilterOptions,
): readonly PreparedFilter[] | PodRejection {
  const filters: PreparedFilter[] = [];
  let next = 0;
  let readOneNode = true;
  for (const { name, filter, filterReads } of plugins) {
    if (filter === undefined) continue;
    readOneNode &&= filterReads !== undefined;
    const known = earlier?.[next]?.plugin === name ? earlier[next++] : undefined;
    if (earlier !== undefined && filterReads !== undefined) {
      if (known !== undefined) filters.push(known);
      continue;
    }
    const prepared = filter(pod, snapshot);
    if (prepared === "anything") continue;
    if ("because" in prepared) return { plugin: name, because: prepared.because };
    filters.push({ plugin: name, filter: prepared, reads: readOneNode ? filterReads : undefined });
  }
  return filters;
}

export function rejectionOfPod({ plugin, because }: PodRejection): PluginRejection {
  return { plugin, verdict: neverFits({ code: "Fault", text: because }) as NodeRejection };
}
