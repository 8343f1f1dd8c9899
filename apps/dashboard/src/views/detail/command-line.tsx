import { systemClock } from "@kintsugi/clock";
import { commandHere } from "@kintsugi/explanation/commands";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { DashboardPage } from "../../state/page.ts";

/**
 * A command that acts on the page's cluster, wherever it is pasted; nothing where it cannot reach
 * the cluster.
 */
export function ClusterCommand({ page, text }: { page: DashboardPage; text: string }) {
  const { clusterName, way = { name: clusterName } } = page.cluster.settings;
  const here = commandHere(text, way);
  return here === undefined ? null : <CommandLine text={here} />;
}

/** The button says for this long what became of the copy. */
const saidMs = 2_500;

/** A command line that does or shows the same, to be copied. */
export function CommandLine({ text }: { text: string }) {
  const said = useSignal("");
  const code = useRef<HTMLElement>(null);
  const say = (words: string) => {
    said.value = words;
    systemClock.after(saidMs, () => (said.value = ""));
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {
      // Pages without TLS have no clipboard: the text is chosen, and a key copies it.
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      say("Chosen: press Ctrl+C");
    }
  };
  return (
    <div class="command">
      <code ref={code}>{text}</code>
      <button
        type="button"
        class={said.value === "" ? "" : "said"}
        onClick={() => void copy()}
        aria-label={`Copy ${text}`}
      >
        {said.value === "" ? "Copy" : said.value}
      </button>
      <span class="unseen" aria-live="polite">
        {said.value}
      </span>
    </div>
  );
}
