import { matchesLabels, parseLabelSelector, type Pod, type Selector, SelectorError } from "@kintsugi/api";
import type { SelectorFault } from "./plan.ts";

export type TargetPods = { fits: true; pods: readonly Pod[] } | { fits: false; fault: SelectorFault };

/** Reads the selector of a scaled object. */
export function readSelector(text: string): { fits: true; selector: Selector } | { fits: false; fault: SelectorFault } {
  if (text === "") {
    const message = "the HPA target's scale is missing a selector";
    return {
      fits: false,
      fault: {
        event: { reason: "SelectorRequired", message: "selector is required" },
        condition: { reason: "InvalidSelector", message },
      },
    };
  }
  try {
    return { fits: true, selector: parseLabelSelector(text) };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
    const both = { reason: "InvalidSelector", message };
    return { fits: false, fault: { event: both, condition: both } };
  }
}

/**
 * The pods that the selector of an autoscaler's target matches. If the target of another autoscaler
 * matches one of these pods too, neither autoscaler scales (hpasControllingPodsUnderSelector).
 * @param selectors the selectors of the namespace's autoscalers, by their keys.
 */
export function targetPods(
  { key, text }: { key: string; text: string },
  near: readonly Pod[],
  selectors: ReadonlyMap<string, Selector>,
): TargetPods {
  const own = selectors.get(key);
  const pods = own === undefined ? [] : near.filter(({ metadata }) => matchesLabels(own, metadata.labels));
  const namespace = key.slice(0, key.indexOf("/") + 1);
  const rivals = [...selectors]
    .filter(([, selector]) => pods.some(({ metadata }) => matchesLabels(selector, metadata.labels)))
    .map(([other]) => other)
    .toSorted();
  if (rivals.length <= 1) return { fits: true, pods };
  const names = rivals.map((rival) => `{${rival.slice(namespace.length)} ${namespace.slice(0, -1)}}`);
  const message = `pods by selector ${text} are controlled by multiple HPAs: [${names.join(" ")}]`;
  const both = { reason: "AmbiguousSelector", message };
  return { fits: false, fault: { event: both, condition: both } };
}
