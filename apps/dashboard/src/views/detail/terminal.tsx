import { type Signal, useSignal } from "@preact/signals";
import type { Pod } from "@kintsugi/api";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { execCommand, type Shown } from "../../model/commands.ts";
import { commandWords, execPath } from "../../model/remote-command.ts";
import type { DashboardPage } from "../../state/page.ts";
import type { CommandSession, Screen } from "../../terminal/command-session.ts";
import { ClusterCommand } from "./command-line.tsx";

/** The command that most images have. */
const defaultCommand = "sh";

type State = "closed" | "opening" | "open";

/** A command in a container with a terminal; it starts when the button is pressed. */
export function TerminalPanel({ page, pod, found }: { page: DashboardPage; pod: Shown; found: Pod | undefined }) {
  const chosen = useSignal("");
  const typed = useSignal(defaultCommand);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const containers = runningContainers(found);
  const container = containers.includes(chosen.value) ? chosen.value : (containers[0] ?? "");
  const words = commandWords(typed.value);
  const { state, end, start, stop } = useTerminal(page, { box, onLeave: () => button.current?.focus() });
  const isClosed = state === "closed";
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (isClosed) void start(execPath(pod, container, words));
          else stop();
        }}
      >
        <Choice label="Container" value={chosen} options={containers} shown={container} isFixed={!isClosed} />
        <label>
          Command
          <input
            value={typed}
            disabled={!isClosed}
            spellcheck={false}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" ref={button} disabled={isClosed && (container === "" || words.length === 0)}>
          {isClosed ? "Open a terminal" : "Close it"}
        </button>
      </form>
      <p class="muted" role="status">
        {statusText(state, end, container)}
      </p>
      {/* Escape is a key of the command, and must not close the panel. */}
      <div
        class="command-screen"
        ref={box}
        hidden={isClosed && end === ""}
        onKeyDown={(event) => event.stopPropagation()}
      />
      {container !== "" && <ClusterCommand page={page} text={execCommand(pod, container, words)} />}
    </>
  );
}

interface Place {
  readonly box: RefObject<HTMLDivElement | null>;
  /** Moves the focus out of the terminal, which handles every key. */
  readonly onLeave: () => void;
}

/**
 * The terminal in the box; it ends with its view, and its screen remains until the next terminal is
 * opened.
 */
function useTerminal(page: DashboardPage, { box, onLeave }: Place) {
  const state = useSignal<State>("closed");
  const end = useSignal("");
  const opened = useRef<Opened>(undefined);
  const close = () => {
    opened.current?.session.close();
    opened.current?.screen.dispose();
    opened.current = undefined;
  };
  useEffect(() => close, []);
  const start = async (path: string) => {
    const { terminals } = page;
    if (terminals === undefined) return;
    close();
    state.value = "opening";
    end.value = "";
    const program = await terminals.loadScreen();
    // The view may no longer exist when the terminal's program is loaded, or the button may have
    // been pressed again.
    if (box.current?.isConnected !== true || state.value !== "opening") return;
    const screen = program.openScreen(box.current, { onLeave });
    const session = program.joinCommand({ socket: terminals.open(path), screen }, (now) => {
      state.value = now === "open" ? "open" : "closed";
      if (now !== "open") end.value = now.ended;
    });
    opened.current = { session, screen };
    screen.focus();
  };
  const stop = () => {
    close();
    state.value = "closed";
  };
  return { state: state.value, end: end.value, start, stop };
}

interface Opened {
  readonly session: CommandSession;
  readonly screen: Screen;
}

function statusText(state: State, end: string, container: string): string {
  switch (state) {
    case "opening":
      return "The terminal is being opened.";
    case "open":
      return "Shift+Escape leaves the terminal. The command continues in the background; closing this panel ends it.";
    case "closed":
      if (end !== "") return end;
      return container === "" ? "No container of the pod is running." : "The command runs with your rights.";
  }
}

interface ChoiceProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly options: readonly string[];
  readonly shown: string;
  readonly isFixed: boolean;
}

function Choice({ label, value, options, shown, isFixed }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={shown} disabled={isFixed} onChange={(event) => (value.value = event.currentTarget.value)}>
        {options.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function runningContainers(pod: Pod | undefined): string[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod?.status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses]
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name }) => name);
}
