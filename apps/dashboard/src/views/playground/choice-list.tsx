import type { Choice } from "../../model/playground/setting-words.ts";

interface ChoiceListProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly isBusy: boolean;
  readonly onChange: (value: string) => void;
}

/** A list of values to choose from; a value that an address names is one of them. */
export function ChoiceList({ label, value, choices, isBusy, onChange }: ChoiceListProps) {
  const isOffered = choices.some(([each]) => each === value);
  const all: readonly Choice[] = isOffered ? choices : [...choices, [value, value]];
  return (
    <label>
      {label}
      <select value={value} disabled={isBusy} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {all.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
