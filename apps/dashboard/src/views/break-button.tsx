import type { Lane } from "@kintsugi/story";
import { useLayoutEffect } from "preact/hooks";
import type { Shown } from "../model/commands.ts";
import type { DashboardPage } from "../state/page.ts";

/**
 * The key that opens the faults of the selected object. It only opens the faults and does not
 * inject them.
 */
const breakKey = "b";

/** Opens the faults of an object. */
export function openBreak(page: DashboardPage, object: Shown): void {
  page.tab.value = "Break";
  page.selected.value = object;
}

/** Opens the possible actions on one object; in a lab it is next to each object. */
export function BreakLink({ page, object }: { page: DashboardPage; object: Shown }) {
  if (page.lab.value === undefined) return null;
  return (
    <button
      type="button"
      class="break"
      aria-label={`Break ${object.kind} ${object.name}`}
      onClick={() => openBreak(page, object)}
    >
      Break
    </button>
  );
}

/** Opens the faults of the selected object, or of the node with the most pods. */
export function BreakSomething({ page }: { page: DashboardPage }) {
  const isLab = page.lab.value !== undefined;
  // The key works as soon as the button is shown, because an effect after the paint would be late.
  useLayoutEffect(() => {
    if (!isLab) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea") !== null;
      if (event.key !== breakKey || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      openBreak(page, page.pointed.value ?? page.selected.value ?? busiestNode(page));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [page, isLab]);
  if (!isLab) return null;
  return (
    <button
      type="button"
      class="break loud"
      aria-keyshortcuts={breakKey}
      onClick={() => openBreak(page, page.selected.value ?? busiestNode(page))}
    >
      Break something <kbd>{breakKey}</kbd>
    </button>
  );
}

function busiestNode({ cluster }: DashboardPage): Shown {
  const there = ({ bars }: Lane) => bars.filter(({ toMs }) => toMs === undefined).length;
  const nodes = cluster.story.lanes.filter(({ node, spans }) => node !== "" && spans.at(-1)?.state === "ready");
  const [first] = nodes.toSorted((a, b) => there(b) - there(a));
  return { kind: "Node", namespace: "", name: first?.node ?? cluster.story.lanes.at(-1)?.node ?? "" };
}
