import "./kubectl.css";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { lengthText } from "../../../model/words.ts";
import type { CommandBar, ToldCommand } from "../../../state/command-bar.ts";
import { type CommandKeys, createCommandKeys } from "../../../state/command-keys.ts";
import type { Playground } from "../../../state/playground.ts";
import { PlayheadTime } from "../playhead-time.tsx";

/** A kubectl command line for the cluster in this tab, at the playhead's time. */
export function KubectlBar({ playground }: { playground: Playground }) {
  const { bar, isBusy } = playground;
  const keys = useMemo(() => createCommandKeys(bar), [bar]);
  return (
    <section class="kubectl" aria-label="kubectl">
      <Answers told={bar.told.value} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keys.enter();
        }}
      >
        <Line bar={bar} keys={keys} isBusy={isBusy.value} />
        <button type="submit" disabled={isBusy.value || bar.isAsking.value || keys.line.value.trim() === ""}>
          Run
        </button>
        <button type="button" aria-expanded={bar.yaml.value !== undefined} onClick={() => toggleEditor(bar)}>
          YAML
        </button>
        {bar.isAsking.value && <progress aria-label="The run is simulated up to this time" />}
      </form>
      <Words keys={keys} />
      <Editor bar={bar} isBusy={isBusy.value} />
      <p class="muted">
        Commands act on the cluster in this tab, <PlayheadTime playground={playground} />; a change is simulated from
        there. Tab completes, arrows choose or recall, Escape closes the list. The commands are get, describe, logs,
        explain, events, scale, rollout, cordon, uncordon, drain, taint, delete, edit, apply, patch, set, label,
        annotate and create job.
      </p>
    </section>
  );
}

function Answers({ told }: { told: readonly ToldCommand[] }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollTo({ top: box.current.scrollHeight }), [told]);
  if (told.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <div class="told" role="log" aria-label="Answers" tabIndex={0} ref={box}>
      {told.map(({ command, lines }, index) => (
        <div key={index}>
          <p>
            <span class="muted">{lengthText(command.atMs)}</span> $ kubectl {command.text.replace(/^kubectl\s+/, "")}
          </p>
          <pre class={isTable(command.text) ? "table" : undefined}>{lines.join("\n")}</pre>
        </div>
      ))}
    </div>
  );
}

/** The lines of a table keep their width. Sentences are wrapped, so that they are in view. */
function isTable(command: string): boolean {
  return /^(kubectl\s+)?(get|events)\b/.test(command);
}

function Line({ bar, keys, isBusy }: { bar: CommandBar; keys: CommandKeys; isBusy: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const { line, words, chosen } = keys;
  return (
    <label>
      <span aria-hidden="true">$ kubectl</span>
      <input
        ref={input}
        class="line"
        type="text"
        role="combobox"
        aria-label="kubectl command"
        aria-expanded={words.value.length > 0}
        aria-controls="kubectl-words"
        aria-autocomplete="list"
        {...(chosen.value < 0 ? {} : { "aria-activedescendant": `kubectl-word-${chosen.value}` })}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder="get pods -o wide"
        maxLength={1000}
        value={line.value}
        disabled={isBusy}
        onFocus={() => bar.complete(line.value)}
        onInput={({ currentTarget: { value } }) => keys.write(value)}
        onKeyDown={(event) => {
          if (!event.shiftKey && keys.press(event.key)) event.preventDefault();
        }}
      />
    </label>
  );
}

function Words({ keys: { words, chosen, accept } }: { keys: CommandKeys }) {
  return (
    <ul id="kubectl-words" class="words" role="listbox" aria-label="Suggested words">
      {words.value.map((word, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input has the keys
        <li
          key={word}
          id={`kubectl-word-${index}`}
          role="option"
          aria-selected={index === chosen.value}
          // The input keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => accept(word)}
        >
          {word}
        </li>
      ))}
    </ul>
  );
}

function Editor({ bar, isBusy }: { bar: CommandBar; isBusy: boolean }) {
  const { value: yaml } = bar.yaml;
  if (yaml === undefined) return null;
  return (
    <div class="editor">
      <label>
        <span>
          Objects for <code>apply</code>
        </span>
        <textarea
          rows={12}
          spellcheck={false}
          maxLength={20_000}
          value={yaml}
          onInput={({ currentTarget: { value } }) => (bar.yaml.value = value)}
        />
      </label>
      <button
        type="button"
        disabled={isBusy || bar.isAsking.value || yaml.trim() === ""}
        onClick={() => bar.ask("apply")}
      >
        Apply
      </button>
    </div>
  );
}

function toggleEditor({ yaml }: CommandBar): void {
  yaml.value = yaml.value === undefined ? sample : undefined;
}

/** A pod that writes a line, for the first apply. */
const sample = `apiVersion: v1
kind: Pod
metadata:
  name: hello
spec:
  containers:
    - name: main
      image: busybox
      command: [sh, -c, "echo hello; sleep 3600"]
`;
