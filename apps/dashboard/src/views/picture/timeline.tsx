import { useEffect, useRef } from "preact/hooks";
import { stateMeaning, stateText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";
import { Picture } from "./picture.ts";

/** The picture: a lane per node, a bar per pod, the past left of now and timers right of it. */
export function Timeline({ page }: { page: DashboardPage }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const hint = useRef<HTMLDivElement>(null);
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parts = {
      surface: canvas.current,
      window: scroller.current,
      filler: spacer.current,
      label: hint.current,
      faults: buttons.current,
    };
    const { surface, window, filler, label, faults } = parts;
    if (surface === null || window === null || filler === null || label === null || faults === null) return undefined;
    const picture = new Picture(page, { surface, window, filler, label, faults });
    picture.start();
    return () => picture.stop();
  }, [page]);
  return (
    <section class="picture" aria-labelledby="picture-title">
      <h2 id="picture-title" class="unseen">
        Picture of the cluster
      </h2>
      <div class="scroller" ref={scroller} tabIndex={0} role="group" aria-labelledby="picture-title">
        <canvas
          ref={canvas}
          role="img"
          aria-label="Lanes of nodes with bars of pods along the time. The table Nodes and pods and the list What happened contain the same information."
        />
        <div class="spacer" ref={spacer} />
        <div class="lane-buttons" ref={buttons} />
      </div>
      <div class="hint" ref={hint} aria-hidden="true" />
      <Legend />
    </section>
  );
}

const legend = ["pending", "starting", "ready", "unready", "waiting", "terminating", "failed"] as const;

function Legend() {
  return (
    <ul class="legend" aria-label="Legend">
      {legend.map((state) => (
        <li key={state} title={stateMeaning(state)}>
          <span class={`dot ${state}`} aria-hidden="true" /> {stateText(state)}
        </li>
      ))}
      <li>
        <span class="dot running-timer" aria-hidden="true" /> a timer that runs
      </li>
      <li title="from a dead pod to its successor, from a node's death to its return">
        <span class="dot seam" aria-hidden="true" /> mended
      </li>
      <li title="Ready in the API, but their node does not report">
        <span class="dot unseen-yet" aria-hidden="true" /> Ready, though nothing runs
      </li>
      <li>
        <span class="dot missing" aria-hidden="true" /> missing
      </li>
    </ul>
  );
}
