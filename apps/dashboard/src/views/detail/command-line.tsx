import { commandHere } from "@kintsugi/explanation/commands";
import { useSignal } from "@preact/signals";
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

/** A command line that does or shows the same, to be copied. */
export function CommandLine({ text }: { text: string }) {
  const copied = useSignal(false);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => (copied.value = true),
      // The text can still be selected where the clipboard may not be used.
      () => {},
    );
  };
  return (
    <div class="command">
      <code>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy ${text}`}>
        {copied.value ? "copied" : "copy"}
      </button>
    </div>
  );
}
