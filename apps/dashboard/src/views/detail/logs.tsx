import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { RequestRefused } from "../../data/api.ts";
import { appendLog, logPath } from "../../data/log-stream.ts";
import { logsCommand, type Shown } from "../../model/commands.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ClusterCommand } from "./command-line.tsx";

/**
 * The logs of a pod's container: the present log, which is followed, or the log of the previous
 * run.
 */
export function Logs({ page, pod }: { page: DashboardPage; pod: Shown }) {
  const found = page.cluster.find("pods", pod);
  const containers = [...(found?.spec?.initContainers ?? []), ...(found?.spec?.containers ?? [])].map(
    ({ name }) => name,
  );
  const chosen = useSignal("");
  const previous = useSignal(false);
  const text = useSignal("");
  const end = useSignal("");
  const box = useRef<HTMLPreElement>(null);
  const container = chosen.value === "" ? (found?.spec?.containers[0]?.name ?? "") : chosen.value;
  useEffect(() => {
    if (container === "") return undefined;
    const stop = new AbortController();
    const source = { namespace: pod.namespace, pod: pod.name, container, previous: previous.value };
    text.value = "";
    end.value = "";
    const read = async () => {
      for await (const more of page.api.text(logPath(source), stop.signal)) text.value = appendLog(text.value, more);
      end.value = "The log ends here.";
    };
    read().catch((error: unknown) => {
      if (!stop.signal.aborted) end.value = error instanceof RequestRefused ? error.message : String(error);
    });
    return () => stop.abort();
  }, [container, previous.value, pod.namespace, pod.name, page, text, end, previous]);
  useEffect(() => {
    const { current } = box;
    // The position of readers who scrolled up is kept.
    if (current !== null && current.scrollHeight - current.scrollTop - current.clientHeight < 80)
      current.scrollTop = current.scrollHeight;
  });
  if (container === "") return <p class="quiet">The pod is gone, and its logs with it.</p>;
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Container
          <select value={container} onChange={(event) => (chosen.value = event.currentTarget.value)}>
            {containers.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={previous.value}
            onChange={(event) => (previous.value = event.currentTarget.checked)}
          />
          The run before
        </label>
      </form>
      <pre class="log" ref={box} tabIndex={0} aria-label={`Log of ${container}`}>
        {text.value}
      </pre>
      {end.value !== "" && <p class="muted">{end.value}</p>}
      <ClusterCommand page={page} text={logsCommand(pod, { container, previous: previous.value })} />
    </>
  );
}
