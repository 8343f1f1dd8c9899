import type { AddedCommand, PlayAnswer, PlayRequest, SimulatorRequest } from "@kintsugi/story";
import { signal } from "@preact/signals";

/** A command that was run, with its answer. */
export interface ToldCommand {
  readonly command: AddedCommand;
  readonly lines: readonly string[];
}

export interface CommandBarDeps {
  /** The run and its time at which commands are run; undefined without a run. */
  readonly moment: () => { readonly request: PlayRequest; readonly atMs: number } | undefined;
  readonly post: (message: SimulatorRequest) => void;
  /** Continues with a command that changes the cluster. */
  readonly change: (command: AddedCommand) => void;
}

/** Limit on answers; the oldest are dropped. */
const toldMax = 30;

export type CommandBar = ReturnType<typeof createCommandBar>;

/** The state of the kubectl bar: the commands that were run, and the completions of a line. */
export function createCommandBar({ moment, post, change }: CommandBarDeps) {
  const told = signal<readonly ToldCommand[]>([]);
  const isAsking = signal(false);
  const completions = signal<{ readonly text: string; readonly words: readonly string[] }>({ text: "", words: [] });
  /** The text of the editor; undefined while it is closed. */
  const yaml = signal<string | undefined>(undefined);
  let isCompleting = false;
  let next: string | undefined;

  const complete = (text: string): void => {
    if (isCompleting) {
      next = text;
      return;
    }
    const now = moment();
    if (now === undefined) return;
    isCompleting = true;
    post({ complete: now.request, command: { atMs: now.atMs, text } });
  };

  return {
    told,
    isAsking,
    completions,
    yaml,
    complete,
    /** Runs a command at the playhead; `apply` takes the editor's text. */
    ask(text: string): void {
      const now = moment();
      if (now === undefined || text.trim() === "" || isAsking.value) return;
      const objects = /^\s*(kubectl\s+)?apply\b/.test(text) ? yaml.value : undefined;
      isAsking.value = true;
      const command = { atMs: now.atMs, text: text.trim(), ...(objects === undefined ? {} : { yaml: objects }) };
      post({ ask: now.request, command });
    },
    hear(answer: Extract<PlayAnswer, { is: "told" | "completed" }>): void {
      if (answer.is === "completed") {
        isCompleting = false;
        completions.value = { text: answer.command.text, words: answer.words };
        const later = next;
        next = undefined;
        if (later !== undefined) complete(later);
        return;
      }
      isAsking.value = false;
      told.value = [...told.value, { command: answer.command, lines: answer.lines }].slice(-toldMax);
      if (answer.yaml !== undefined) yaml.value = answer.yaml;
      if (answer.isChange) change(answer.command);
    },
  };
}
