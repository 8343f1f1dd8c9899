import "./command-line.css";
import { systemClock } from "@kintsugi/clock";
import type { Remedy } from "@kintsugi/explanation";
import { type ClusterWay, commandHere, remediesHere } from "@kintsugi/explanation/commands";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { DashboardPage } from "../../state/page.ts";

/**
 * A command that acts on the page's cluster, wherever it is pasted; empty if it cannot reach the
 * cluster.
 */
export function ClusterCommand({ page, text }: { page: DashboardPage; text: string }) {
  const here = commandHere(text, wayOf(page));
  return here === undefined ? null : <CommandLine text={here} />;
}

/** The remedies of a reason that apply to the page's cluster. */
export function Remedies({ page, remedies }: { page: DashboardPage; remedies: readonly Remedy[] }) {
  return (
    <>
      {remediesHere(remedies, wayOf(page)).map(({ does, command }) => (
        <div key={does} class="remedy">
          {does}
          {command !== undefined && <CommandLine text={command} />}
        </div>
      ))}
    </>
  );
}

function wayOf({ cluster: { settings } }: DashboardPage): ClusterWay {
  return settings.way ?? { name: settings.clusterName };
}

/** Time for which the button shows the result of the copy. */
const saidMs = 2_500;

/** Longer words are broken where the line ends. */
const keptWordMax = 24;

/** A command line with the same effect or content, to be copied. */
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
      // Pages without TLS have no clipboard access, so the text is selected for copying with a key.
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      say("Chosen: press Ctrl+C");
    }
  };
  return (
    <div class="command">
      <code ref={code}>
        {/* A flag is not broken after its dashes. */}
        {text
          .split(" ")
          .flatMap((word, index) => [
            index === 0 ? "" : " ",
            word.length <= keptWordMax ? <span class="whole">{word}</span> : word,
          ])}
      </code>
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
