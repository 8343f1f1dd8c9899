import type { PackedRecording } from "@kintsugi/story";

interface RunChoiceProps {
  readonly recordings: readonly Pick<PackedRecording, "name" | "title">[];
  readonly chosen: string;
}

/** Selects one of the recordings of a page; the choice is the end of the page's address. */
export function RunChoice({ recordings, chosen }: RunChoiceProps) {
  return (
    <p class="run-choice">
      <label>
        Watch what happens if{" "}
        <select value={chosen} onChange={(event) => (location.hash = event.currentTarget.value)}>
          {recordings.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </p>
  );
}
