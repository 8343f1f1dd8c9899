import { playSettings } from "@kintsugi/story";
import { useSignal } from "@preact/signals";
import { playFaults, settingOf, withSetting } from "../../model/playground/play-address.ts";
import { type Choice, settingChoices, unchanged } from "../../model/playground/setting-words.ts";
import type { Playground } from "../../state/playground.ts";
import { CommandLine } from "../detail/command-line.tsx";
import { ChoiceList } from "./choice-list.tsx";
import { PlayheadTime } from "./playhead-time.tsx";

/** The scenario, its timers, and faults at the playhead. */
export function PlaygroundControls({ playground }: { playground: Playground }) {
  const { scenarios, request, played, isBusy } = playground;
  const chosen = useSignal("");
  const { value: run } = request;
  if (run === undefined) return null;
  const added = run.faults.length + (run.commands?.length ?? 0);
  const nodes = played.value?.nodes ?? [];
  const profile = scenarios.value.find(({ name }) => name === run.scenario)?.profile;
  const node = nodes.includes(chosen.value) ? chosen.value : (nodes[0] ?? "");
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <ChoiceList
          label="Scenario"
          value={run.scenario}
          choices={scenarios.value.map(({ name }): Choice => [name, name])}
          isBusy={isBusy.value}
          // Another scenario is another run, which a viewer sees from its beginning.
          onChange={(scenario) => playground.play({ scenario, faults: [], settings: run.settings })}
        />
        {Object.entries(playSettings).map(([name, { label, values }]) => (
          <ChoiceList
            key={name}
            label={label}
            value={settingOf(run, name) ?? unchanged}
            choices={settingChoices(name, values, { run, profile })}
            isBusy={isBusy.value}
            onChange={(value) => playground.change(withSetting(run, name, value || undefined))}
          />
        ))}
      </form>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <ChoiceList
          label="Node"
          value={node}
          choices={nodes.map((each): Choice => [each, each])}
          isBusy={false}
          onChange={(value) => (chosen.value = value)}
        />
        <span id="fault-time" class="fault-time muted">
          A fault begins <PlayheadTime playground={playground} />:
        </span>
        {Object.entries(playFaults).map(([fault, { label, forMs }]) => (
          <button
            key={fault}
            type="button"
            aria-describedby="fault-time"
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
            onClick={() => playground.change({ scenario: run.scenario, faults: [], settings: run.settings })}
          >
            Undo {added === 1 ? "it" : "all of them"}
          </button>
        )}
      </form>
      {added + run.settings.length === 0 && <CommandLine text={`kintsugi simulate ${run.scenario}`} />}
    </>
  );
}
