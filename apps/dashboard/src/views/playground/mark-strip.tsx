import { answerText, type StoryRecording } from "@kintsugi/story";

const atText = (seconds: number) => answerText({ is: "mark", of: "whole again", workload: "" }, seconds);

interface MarkStripProps {
  readonly run: StoryRecording;
  /** Seconds since the beginning; undefined before they are drawn or known. */
  readonly marks: { readonly yours?: number | undefined; readonly truth?: number | undefined };
}

/** The run as a strip with its faults, and marks on it. */
export function MarkStrip({ run, marks: { yours, truth } }: MarkStripProps) {
  const { fromMs, toMs, faults = [] } = run;
  const percent = (ms: number) => `${(100 * (ms - fromMs)) / (toMs - fromMs)}%`;
  const markAt = (seconds: number) => percent(fromMs + seconds * 1000);
  const label = [
    ...(yours === undefined ? [] : [`your mark ${atText(yours)}`]),
    ...(truth === undefined ? [] : [`the truth ${atText(truth)}`]),
  ].join(", ");
  return (
    <div class="mark-strip" role="img" aria-label={`The run of ${atText((toMs - fromMs) / 1000).slice(3)}: ${label}`}>
      {faults.map((fault) => (
        <span
          key={fault.text + String(fault.fromMs)}
          class="fault"
          title={fault.text}
          style={{ left: percent(fault.fromMs), right: `calc(100% - ${percent(fault.toMs ?? toMs)})` }}
        />
      ))}
      {yours !== undefined && <span class="mark yours" style={{ left: markAt(yours) }} />}
      {truth !== undefined && <span class="mark truth" style={{ left: markAt(truth) }} />}
    </div>
  );
}

interface MarkInputProps {
  readonly run: StoryRecording;
  /** Seconds as a text; "" before a mark is drawn. */
  readonly value: string;
  readonly onMark: (seconds: number) => void;
}

/** Distance by which a key moves a mark, so that a keyboard can cover the whole run. */
const stepSeconds = 5;

/**
 * A mark that is set by pointer or keyboard. The faults belong to the question, so they are shown.
 */
export function MarkInput({ run, value, onMark }: MarkInputProps) {
  const lengthSeconds = Math.round((run.toMs - run.fromMs) / 1000);
  const yours = value === "" ? undefined : Number(value);
  return (
    <div class="mark-input">
      <MarkStrip run={run} marks={{ yours }} />
      <label>
        Your mark{" "}
        <input
          type="range"
          min={0}
          max={lengthSeconds}
          step={stepSeconds}
          value={yours ?? 0}
          aria-valuetext={yours === undefined ? "not drawn" : atText(yours)}
          onInput={({ currentTarget }) => onMark(Number(currentTarget.value))}
        />{" "}
        <output>{yours === undefined ? "draw it" : atText(yours)}</output>
      </label>
    </div>
  );
}
