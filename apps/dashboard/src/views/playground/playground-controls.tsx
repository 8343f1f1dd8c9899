import { playSettings } from "@kintsugi/story";
import { useSignal } from "@preact/signals";
import { playFaults, settingOf, withSetting } from "../../model/playground/play-address.ts";
import type { Playground } from "../../state/playground.ts";
import { CommandLine } from "../detail/command-line.tsx";

/** The scenario, its timers, and faults at the playhead. */
export function PlaygroundControls({ playground }: { playground: Playground }) {
  const { scenarios, request, played, isBusy } = playground;
  const chosen = useSignal("");
  const { value: run } = request;
  if (run === undefined) return null;
  const added = run.faults.length + (run.commands?.length ?? 0);
  const nodes = played.value?.nodes ?? [];
  const node = nodes.includes(chosen.value) ? chosen.value : (nodes[0] ?? "");
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="Scenario"
          value={run.scenario}
          options={scenarios.value.map(({ name }) => name)}
          isBusy={isBusy.value}
          onChange={(scenario) => playground.play({ scenario, faults: [], settings: run.settings })}
        />
        {Object.entries(playSettings).map(([name, { label, values }]) => (
          <Choice
            key={name}
            label={label}
            value={settingOf(run, name) ?? asWritten}
            options={[asWritten, ...values]}
            isBusy={isBusy.value}
            onChange={(value) => playground.play(withSetting(run, name, value === asWritten ? undefined : value))}
          />
        ))}
      </form>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice label="Node" value={node} options={nodes} isBusy={false} onChange={(value) => (chosen.value = value)} />
        {Object.entries(playFaults).map(([fault, { label, forMs }]) => (
          <button
            key={fault}
            type="button"
            disabled={isBusy.value || node === ""}
            onClick={() => playground.add({ fault, node, ...(forMs === undefined ? {} : { forMs }) })}
          >
            {label}
          </button>
        ))}
        {added > 0 && (
          <button
            type="button"
            disabled={isBusy.value}
            onClick={() => playground.play({ scenario: run.scenario, faults: [], settings: run.settings })}
          >
            Undo {added === 1 ? "it" : "all of them"}
          </button>
        )}
      </form>
      {added + run.settings.length === 0 && <CommandLine text={`kintsugi simulate ${run.scenario}`} />}
    </>
  );
}

/** The scenario's own value of a setting. */
const asWritten = "as written";

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly isBusy: boolean;
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, isBusy, onChange }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} disabled={isBusy} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
